"""Likelihoods from a model that runs in this process, by transformers and torch.

Both are large and optional (``requirements-likelihood.txt``), so they are imported only when a
model is loaded; and by name, so that type checks are the same whether or not they are installed.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dcq.errors import EndpointRefusedError, ModelChoiceError, RequestRejectedError
from dcq.models.scorers.likelihood import Likelihood, ScoredText
from dcq.places import INSTALLED

PACKAGES = ("torch", "transformers", "accelerate", "gguf")
# An installed copy has no such file beside it.
INSTALL = (
    f"pip install {' '.join(PACKAGES if INSTALLED else ('-r', 'requirements-likelihood.txt'))}"
)
GGUF = ".gguf"
# Logits (texts × positions × vocabulary) that are held at once: 2²⁶ numbers are 256 MB.
LOGITS_AT_ONCE = 2**26


def check(path: Path) -> None:
    """Raise ``ModelChoiceError`` if the extra is not installed or there is no model at ``path``."""
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise ModelChoiceError(
            f"Likelihood mode on this machine needs {' and '.join(missing)}; run: {INSTALL}"
        )
    if not (path / "config.json").is_file() and not (path.suffix == GGUF and path.is_file()):
        raise ModelChoiceError(
            f"There is no model at {path}; give a folder with a config.json, as Hugging Face lays"
            " it out, or a .gguf file."
        )


class LocalScorer:
    """Scores texts under the model at ``path``, which is loaded with the first of them: a file of
    100 million weights takes about half a minute."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loaded: _Model | None = None
        self._turn = asyncio.Lock()  # all cores work on one batch; a second would only slow it

    @property
    def settings(self) -> Mapping[str, object]:
        """The file and the number type of the computation; the latter once it is loaded."""
        loaded = self._loaded.settings if self._loaded else {}
        return {"file": self._path.name, **loaded}

    async def score(self, texts: Sequence[ScoredText]) -> list[Likelihood]:
        """See ``Scorer.score``; ``texts`` are one batch."""
        async with self._turn:
            return await asyncio.to_thread(self._score, texts)

    def _score(self, texts: Sequence[ScoredText]) -> list[Likelihood]:
        if self._loaded is None:
            self._loaded = _Model(self._path)
        return self._loaded.score(texts)


class _Model:
    """Weights and tokenizer."""

    def __init__(self, path: Path) -> None:
        torch, transformers = _load("torch"), _load("transformers")
        transformers.utils.logging.disable_progress_bar()
        transformers.utils.logging.set_verbosity_error()
        place: dict[str, Any] = {"local_files_only": True}
        if path.suffix == GGUF:
            place["gguf_file"] = path.name
            path = path.parent
        # A second thread waits for the first by spinning: on a busy machine that costs more than
        # it brings, see dcq.models.embedded_child.
        torch.set_num_threads(max(1, (os.cpu_count() or 1) - 1))
        try:
            # Written-out special tokens in a dataset's text are text.
            with contextlib.redirect_stderr(io.StringIO()):  # it draws bars that cannot be refused
                self._tokenizer = transformers.AutoTokenizer.from_pretrained(
                    path, split_special_tokens=True, **place
                )
                self._model = transformers.AutoModelForCausalLM.from_pretrained(path, **place)
        except Exception as error:  # the library raises whatever its many readers do
            raise EndpointRefusedError(
                f"The model at {path} cannot be loaded ({type(error).__name__}); name a causal"
                " language model that transformers knows without code of its own."
            ) from error
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model.to(self._device).eval()
        self._longest: int | None = getattr(self._model.config, "max_position_embeddings", None)
        start = self._tokenizer.bos_token_id
        self._start = [] if start is None else [int(start)]
        self.settings = {
            "dtype": str(self._model.dtype).removeprefix("torch."),
            "beginning_token": self._tokenizer.bos_token,
        }

    def score(self, texts: Sequence[ScoredText]) -> list[Likelihood]:
        """One batch, padded at the end: a later token never affects an earlier one."""
        encoded = [self._encode(text) for text in texts]
        width = max(len(ids) for ids, _ in encoded)
        rows = [ids + [0] * (width - len(ids)) for ids, _ in encoded]
        found = self._logprobs(rows)
        return [
            Likelihood(*line[:, max(0, before - 1) : len(ids) - 1].numpy())
            for (ids, before), line in zip(encoded, found, strict=True)
        ]

    def _encode(self, text: ScoredText) -> tuple[list[int], int]:
        """Token ids, and how many of them stand before the text."""
        try:
            before, own = (
                list(self._tokenizer(part, add_special_tokens=False)["input_ids"])
                for part in (text.context, text.text)
            )
        except (UnicodeEncodeError, TypeError):  # a lone surrogate is not valid UTF-8
            raise RequestRejectedError(
                "The option has a broken character that cannot be scored; fix or leave out this"
                " instance."
            ) from None
        ids = self._start + before + own
        if len(ids) < 2:
            raise RequestRejectedError(
                "The option is too short to be scored; leave this instance out."
            )
        if self._longest is not None and len(ids) > self._longest:
            raise RequestRejectedError(
                f"The option takes {len(ids)} tokens and the model reads {self._longest}; leave"
                " this instance out or choose a model with a larger context."
            )
        return ids, len(ids) - len(own)

    def _logprobs(self, rows: Sequence[Sequence[int]]) -> Any:
        """Log-probability of each token except the first, given those before it, with its mean and
        its deviation over the vocabulary: (rows, 3, tokens), float64, on CPU.

        Long texts go through in pieces that share one cache of what was read, because the logits
        of 20,000 characters at once would take gigabytes.
        """
        torch = _load("torch")
        ids = torch.tensor(rows, device=self._device)
        inputs, targets = ids[:, :-1], ids[:, 1:]
        piece = max(1, LOGITS_AT_ONCE // (len(rows) * self._model.config.vocab_size))
        cache, found = None, []
        with torch.inference_mode():
            for begin in range(0, inputs.shape[1], piece):
                out = self._model(
                    input_ids=inputs[:, begin : begin + piece],
                    past_key_values=cache,
                    use_cache=inputs.shape[1] > piece,
                )
                cache = out.past_key_values
                every = out.logits.float().log_softmax(dim=2)
                chosen = every.gather(2, targets[:, begin : begin + piece, None])[..., 0]
                share = every.exp()
                mean = (share * every).sum(dim=2)
                spread = ((share * every.square()).sum(dim=2) - mean.square()).clamp(min=0).sqrt()
                found.append(torch.stack([chosen, mean, spread], dim=1))
        return torch.cat(found, dim=2).double().cpu()


def _load(package: str) -> Any:
    return importlib.import_module(package)
