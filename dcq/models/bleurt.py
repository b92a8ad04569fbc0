"""BLEURT (Sellam et al. 2020) from a checkpoint on this machine, by transformers and torch.

Checkpoints in transformers' own format (the Elron/bleurt-* conversions) need nothing more. The
conversions of BLEURT-20, the one that Time Travel in LLMs uses, need the package bleurt-pytorch.
None of it comes with dcq: install ``requirements-likelihood.txt``, and fetch a checkpoint.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dcq.errors import ModelChoiceError
from dcq.incoming.plain_file import MOST_SETTINGS, read_text
from dcq.models.scorable import INSTALL

PACKAGES = ("torch", "transformers")
_OWN_PACKAGE = "bleurt_pytorch"
_OWN_TYPE = "bleurt"  # ``model_type`` of checkpoints that need it
_BATCH = 16
_MAX_TOKENS = 512


class Bleurt:
    """A checkpoint; its weights are loaded with the first scores.

    Raises ``ModelChoiceError`` where the folder or a package is missing.
    """

    def __init__(self, checkpoint: Path) -> None:
        _check(checkpoint)
        self._checkpoint = checkpoint
        self._parts: tuple[Any, Any] | None = None

    def score(
        self, references: Sequence[str], candidates: Sequence[str]
    ) -> npt.NDArray[np.float64]:
        """BLEURT of each candidate given its reference, shape (n,): about 0 to 1, higher is closer,
        and it may lie outside. Pairs of more than 512 tokens are cut, the longer text first."""
        if self._parts is None:
            self._parts = _load(self._checkpoint)
        tokenizer, model = self._parts
        torch = importlib.import_module("torch")
        scores: list[float] = []
        for start in range(0, len(references), _BATCH):
            texts = [list(side[start : start + _BATCH]) for side in (references, candidates)]
            inputs = tokenizer(
                *texts, padding=True, truncation=True, max_length=_MAX_TOKENS, return_tensors="pt"
            )
            with torch.inference_mode():
                scores += model(**inputs).logits.flatten().double().tolist()
        return np.array(scores, dtype=np.float64)


def _check(checkpoint: Path) -> None:
    if not (checkpoint / "config.json").is_file():
        raise ModelChoiceError(
            f"There is no BLEURT checkpoint at {checkpoint}; give a folder with a config.json, as "
            "Hugging Face lays it out."
        )
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise ModelChoiceError(f"BLEURT needs {' and '.join(missing)}; run: {INSTALL}")
    if _needs_own(checkpoint) and importlib.util.find_spec(_OWN_PACKAGE) is None:
        raise ModelChoiceError(
            f"The checkpoint {checkpoint.name} needs bleurt-pytorch; run: pip install "
            "bleurt-pytorch"
        )


def _needs_own(checkpoint: Path) -> bool:
    try:
        config = json.loads(read_text(checkpoint / "config.json", MOST_SETTINGS))
    except (OSError, ValueError) as error:
        raise ModelChoiceError(
            f"The config.json of {checkpoint.name} cannot be read; fetch the checkpoint again."
        ) from error
    return isinstance(config, dict) and config.get("model_type") == _OWN_TYPE


def _load(checkpoint: Path) -> tuple[Any, Any]:
    if _needs_own(checkpoint):
        package = importlib.import_module(_OWN_PACKAGE)
        tokens, network = package.BleurtTokenizer, package.BleurtForSequenceClassification
    else:
        package = importlib.import_module("transformers")
        tokens, network = package.AutoTokenizer, package.AutoModelForSequenceClassification
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # progress bars
            tokenizer = tokens.from_pretrained(checkpoint, local_files_only=True)
            model = network.from_pretrained(checkpoint, local_files_only=True)
    except Exception as error:  # the libraries raise whatever their many readers do
        raise ModelChoiceError(
            f"The checkpoint at {checkpoint} cannot be loaded ({type(error).__name__}); name one of"
            " BLEURT."
        ) from error
    if model.config.num_labels != 1:
        raise ModelChoiceError(
            f"The checkpoint at {checkpoint} gives {model.config.num_labels} numbers, not one "
            "score; name one of BLEURT."
        )
    return tokenizer, model.eval()
