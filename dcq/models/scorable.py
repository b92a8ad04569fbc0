"""Models on this machine that can score texts: the embedded one and GGUF files with what dcq comes
with, the folders of Hugging Face models with an extra (``requirements-likelihood.txt``)."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from dcq.errors import ModelChoiceError
from dcq.places import INSTALLED

PACKAGES = ("torch", "transformers")
# An installed copy has no such file beside it.
INSTALL = (
    f"pip install {' '.join(PACKAGES if INSTALLED else ('-r', 'requirements-likelihood.txt'))}"
)
GGUF = ".gguf"
_NUMPY = ("gguf", "tokenizers")
_LLAMA_CPP = ("gguf", "xllamacpp")


def check_embedded() -> None:
    """Raise ``ModelChoiceError`` where a package is missing that the embedded model needs."""
    _need(_NUMPY)


def check(path: Path) -> None:
    """Raise ``ModelChoiceError`` if there is no model at ``path``, or a package is missing that it
    needs."""
    if path.suffix == GGUF and path.is_file():
        _need(_LLAMA_CPP)
    elif (path / "config.json").is_file():
        _need(PACKAGES, INSTALL)
    else:
        raise ModelChoiceError(
            f"There is no model at {path}; give a folder with a config.json, as Hugging Face lays"
            " it out, or a .gguf file."
        )


def scorable() -> str:
    """What can be scored on this machine, as a sentence."""
    if _missing(PACKAGES):
        return f"The embedded model and .gguf files can be scored; for folders run: {INSTALL}"
    return "The embedded model, .gguf files and folders of Hugging Face models can be scored."


def _need(packages: tuple[str, ...], install: str = "") -> None:
    if missing := _missing(packages):
        command = install or f"pip install {' '.join(missing)}"
        raise ModelChoiceError(
            f"Scoring texts under this model takes {' and '.join(missing)}; run: {command}"
        )


def _missing(packages: tuple[str, ...]) -> list[str]:
    return [name for name in packages if importlib.util.find_spec(name) is None]
