"""Weights by transformers' names come out as the file that llama.cpp's own order describes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dcq.models.scorers.gguf_file import Floats, GgufFile
from studies.weights import write_gguf
from tests.support import tiny_gguf
from tests.support.tiny_gguf import HEADS, LAYERS, SHARED, random_weights

THEIRS = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def as_transformers(ours: dict[str, Floats]) -> dict[str, Floats]:
    """By its names, with rows of queries and keys in halves, as it undoes llama.cpp's order."""
    found = {
        "model.embed_tokens.weight": ours["token_embd"],
        "model.norm.weight": ours["output_norm"],
        "lm_head.weight": ours["output"],
    }
    for layer in range(LAYERS):
        for name, theirs in THEIRS.items():
            values = ours[f"blk.{layer}.{name}"]
            if name in {"attn_q", "attn_k"}:
                heads = HEADS if name == "attn_q" else SHARED
                pairs = values.reshape(heads, len(values) // heads // 2, 2, -1)
                values = pairs.swapaxes(1, 2).reshape(values.shape)
            found[f"model.layers.{layer}.{theirs}.weight"] = values
    return found


@pytest.mark.parametrize("tied", [False, True])
def test_every_tensor_and_the_tokenizer_come_back(tmp_path: Path, *, tied: bool) -> None:
    like = tiny_gguf.write(tmp_path / "like.gguf", random_weights(1), tied=tied)
    expected = random_weights(2)
    out = tmp_path / "out.gguf"
    write_gguf(as_transformers(expected), like, out)
    found, known = GgufFile(out), GgufFile(like)
    assert found.tensors.keys() == known.tensors.keys()
    assert ("output.weight" in found.tensors) is not tied
    for name, tensor in found.tensors.items():
        [values] = found.slices(name, tensor.rows)
        held = expected[name.removesuffix(".weight")]
        np.testing.assert_array_equal(values.reshape(held.shape), held)
    for key in ("tokenizer.ggml.tokens", "tokenizer.ggml.merges"):
        assert found.texts(key) == known.texts(key)
    assert list(tmp_path.glob("*.part")) == []


def test_a_tensor_that_is_missing_is_named(tmp_path: Path) -> None:
    like = tiny_gguf.write(tmp_path / "like.gguf", random_weights())
    weights = as_transformers(random_weights())
    del weights["model.norm.weight"]
    with pytest.raises(ValueError, match=r"has no output_norm\.weight"):
        write_gguf(weights, like, tmp_path / "out.gguf")
    assert not (tmp_path / "out.gguf").exists()
