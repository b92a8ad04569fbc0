"""Likelihoods from the folder of a Hugging Face model, in this process, by transformers and torch.

Both are large and optional (``requirements-likelihood.txt``), so they are imported only when a
model is loaded; and by name, so that type checks are the same whether or not they are installed.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from dcq.errors import EndpointRefusedError
from dcq.models.scorers.likelihood import (
    Likelihood,
    Numbers,
    ScoredText,
    check_length,
    check_letters,
)

# Logits (texts × positions × vocabulary) that are held at once: 2²⁵ numbers are 128 MB, and what is
# computed from them takes as much twice more.
LOGITS_AT_ONCE = 2**25
_NO_WINDOW = 10**9  # tokens; of a model that names no longest text


class FolderScorer:
    """Scores texts under the model in the folder ``path``, which is loaded with the first of
    them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loaded: _Model | None = None
        self._turn = asyncio.Lock()  # all cores work on one batch; a second would only slow it

    @property
    def settings(self) -> Mapping[str, object]:
        """The folder and the number type of the computation; the latter once it is loaded."""
        loaded = self._loaded.settings if self._loaded else {}
        return {"file": self._path.name, **loaded}

    async def score(self, texts: Sequence[ScoredText]) -> list[Likelihood]:
        """See ``Scorer.score``; ``texts`` are one batch."""
        async with self._turn:
            return await asyncio.to_thread(self._score, texts)

    def _score(self, texts: Sequence[ScoredText]) -> list[Likelihood]:
        if not texts:
            return []
        if self._loaded is None:
            self._loaded = _Model(self._path)
        return self._loaded.score(texts)


@dataclass(frozen=True)
class _Coded:
    """A text's tokens after all that stands before it; from ``first`` on they are scored."""

    ids: list[int]
    first: int
    pieces: tuple[str, ...]


class _Model:
    """Weights and tokenizer."""

    def __init__(self, path: Path) -> None:
        torch, transformers = _load("torch"), _load("transformers")
        transformers.utils.logging.disable_progress_bar()
        transformers.utils.logging.set_verbosity_error()
        # A second thread waits for the first by spinning: on a busy machine that costs more than
        # it brings, see dcq.models.embedded_child.
        torch.set_num_threads(max(1, (os.cpu_count() or 1) - 1))
        try:
            # Written-out special tokens in a dataset's text are text.
            with contextlib.redirect_stderr(io.StringIO()):  # it draws bars that cannot be refused
                self._tokenizer = transformers.AutoTokenizer.from_pretrained(
                    path, split_special_tokens=True, local_files_only=True
                )
                self._model = transformers.AutoModelForCausalLM.from_pretrained(
                    path, local_files_only=True
                )
        except Exception as error:  # the library raises whatever its many readers do
            raise EndpointRefusedError(
                f"The model at {path} cannot be loaded ({type(error).__name__}); name a causal"
                " language model that transformers knows without code of its own."
            ) from error
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model.to(self._device).eval()
        longest = getattr(self._model.config, "max_position_embeddings", None)
        self._window: int = _NO_WINDOW if longest is None else longest
        start = self._tokenizer.bos_token_id
        self._start = [] if start is None else [int(start)]
        self.settings = {
            "dtype": str(self._model.dtype).removeprefix("torch."),
            "beginning_token": self._tokenizer.bos_token,
        }

    def score(self, texts: Sequence[ScoredText]) -> list[Likelihood]:
        """One batch, padded at the end: a later token never affects an earlier one."""
        coded = [self._encode(text) for text in texts]
        width = max(len(coded_text.ids) for coded_text in coded)
        distributions = self._distributions(
            [coded_text.ids + [0] * (width - len(coded_text.ids)) for coded_text in coded]
        )
        lines = [
            line[:, coded_text.first - 1 : len(coded_text.ids) - 1]
            for coded_text, line in zip(coded, distributions, strict=True)
        ]
        return [
            Likelihood(logprobs, means, spreads, coded_text.pieces)
            for coded_text, (logprobs, means, spreads) in zip(coded, lines, strict=True)
        ]

    def _encode(self, text: ScoredText) -> _Coded:
        check_letters(text)
        before = self._start + (self._tokenize(text.context)[0] if text.context else [])
        text_ids, pieces = self._tokenize(text.text)
        ids = before + text_ids
        first = max(1, len(before))
        check_length(len(ids), len(ids) - first, self._window)
        return _Coded(ids, first, pieces[first - len(before) :])

    def _tokenize(self, text: str) -> tuple[list[int], tuple[str, ...]]:
        """Tokens, and the part of the text that each stands for where the tokenizer tells it: up to
        its end from the end of the one before."""
        has_offsets = self._tokenizer.is_fast
        coded = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=has_offsets)
        ids = [int(number) for number in coded["input_ids"]]
        if not has_offsets:
            return ids, ()
        ends = np.maximum.accumulate([0, *(end for _, end in coded["offset_mapping"])])
        return ids, tuple(text[a:b] for a, b in pairwise(ends))

    def _distributions(self, rows: Sequence[Sequence[int]]) -> Numbers:
        """Texts × 3 × positions: of each token except the first, given those before it, log p, and
        the mean and the deviation of log p over the vocabulary.

        Long texts go through in pieces that share one cache of what was read, because the logits
        of 20,000 characters at once would take gigabytes.
        """
        torch = _load("torch")
        ids = torch.tensor(rows, device=self._device)
        inputs, targets = ids[:, :-1], ids[:, 1:]
        piece = max(1, LOGITS_AT_ONCE // (len(rows) * self._model.config.vocab_size))
        cache, blocks = None, []
        with torch.inference_mode():
            for begin in range(0, inputs.shape[1], piece):
                out = self._model(
                    input_ids=inputs[:, begin : begin + piece],
                    cache=cache,
                    use_cache=inputs.shape[1] > piece,
                )
                cache = out.cache
                logp = out.logits.float().log_softmax(dim=2)
                target_logp = logp.gather(2, targets[:, begin : begin + piece, None])[..., 0]
                p = logp.exp()
                mean = (p * logp).sum(dim=2)
                spread = (p * (logp - mean[..., None]).square()).sum(dim=2).sqrt()
                blocks.append(torch.stack([target_logp, mean, spread], dim=1))
        together: Numbers = torch.cat(blocks, dim=2).double().cpu().numpy()
        return together


def _load(package: str) -> Any:
    return importlib.import_module(package)
