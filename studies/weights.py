"""Weights that were trained, written as a GGUF file, which is read without torch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

_OWN = {"general.architecture", "general.file_type", "general.quantization_version"}
_TURNED = {"attn_q.weight": "head_count", "attn_k.weight": "head_count_kv"}


def write_gguf(weights: Mapping[str, NDArray[np.float32]], like: Path, path: Path) -> None:
    """The ``weights`` of a Llama, by transformers' names, in 32 bits at ``path``; tokenizer and all
    numbers that describe it are those of the file ``like``. Nothing is at ``path`` until all is
    written."""
    reader = gguf.GGUFReader(like)
    begun = path.with_suffix(".part")
    out = gguf.GGUFWriter(begun, "llama")
    out.add_file_type(gguf.LlamaFileType.ALL_F32)
    for name, field in reader.fields.items():
        if name not in _OWN and not name.startswith("GGUF."):
            inner = field.types[1] if field.types[0] is gguf.GGUFValueType.ARRAY else None
            out.add_key_value(name, field.contents(), field.types[0], inner)
    blocks = _number(reader, "block_count")
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, blocks)
    remaining = {tensor.name for tensor in reader.tensors}
    for tensor_name, numbers in weights.items():
        name = names.get_name(tensor_name, try_suffixes=(".weight",)) or tensor_name
        if name not in remaining:  # an output matrix that is the embeddings once more
            continue
        part = name.split(".", 2)[-1]
        heads = _number(reader, f"attention.{_TURNED[part]}") if part in _TURNED else 0
        out.add_tensor(name, _in_pairs(numbers, heads) if heads else numbers)
        remaining.remove(name)
    if remaining:
        raise ValueError(f"the trained model has no {', '.join(sorted(remaining))}")
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
    begun.replace(path)


def _number(reader: Any, key: str) -> int:
    return int(reader.fields[f"llama.{key}"].contents())


def _in_pairs(numbers: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Rows of queries or keys in the order of llama.cpp, which turns neighbours (2i, 2i + 1) where
    transformers turns i and i + half."""
    rows, columns = numbers.shape
    halves = numbers.reshape(heads, 2, rows // heads // 2, columns)
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(rows, columns))
