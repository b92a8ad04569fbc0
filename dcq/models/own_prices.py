"""The user's own prices: a file that overrides every list price.

``DCQ_PRICES`` names it; without that it is ``prices.toml`` beside the usual store, if there is
one. A model is written as for ``--model``, its prices in USD per million tokens, in and out::

    as_of = 2026-11-01
    source = "our contract"

    [models]
    "azure:our-deployment" = [2.50, 10.00]
    "our-model@https://models.example.org/v1" = [0.20, 0.60]
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from dcq import settings
from dcq.errors import InputError
from dcq.models import own_file
from dcq.models.price import Price
from dcq.places import OWN

DEFAULT = OWN / "prices.toml"
_WHAT, _VARIABLE = "prices", "DCQ_PRICES"
MOST = 1e6  # USD per million tokens


def find(model: str) -> Price | None:
    """The user's own price of a model; ``openai:NAME`` and ``NAME`` are the same.

    Raises InputError if the file cannot be read or understood."""
    table = read()
    plain = model.removeprefix("openai:")
    return next((table[name] for name in (model, plain, f"openai:{plain}") if name in table), None)


def read() -> Mapping[str, Price]:
    """All of the user's own prices, by model; empty if there is no file."""
    found = own_file.find(settings.load().prices, DEFAULT, _WHAT, _VARIABLE)
    return {} if found is None else _read(found)


@lru_cache(maxsize=4)
def _read(file: own_file.State) -> Mapping[str, Price]:
    path = file.path
    document = own_file.parse(path, _WHAT, _VARIABLE)
    as_of, source, models = (document.get(key) for key in ("as_of", "source", "models"))
    if not isinstance(models, dict):
        raise InputError(
            f'The prices in {path} need a table [models] with lines such as "gpt-4o" = [2.5, 10].'
        )
    if type(as_of) not in (date, type(None)):
        raise InputError(f"as_of in {path} is not a date; write it as 2026-11-01.")
    return {
        model.strip(): Price(*_pair(path, model, pair), as_of, str(source or path.name))
        for model, pair in models.items()
    }


def _pair(path: Path, model: str, pair: Any) -> tuple[float, float]:
    sums = pair if isinstance(pair, list) else []
    numbers = [usd for usd in sums if type(usd) in (int, float) and 0 <= usd <= MOST]
    if not len(sums) == len(numbers) == 2:
        raise InputError(
            f"The price of {model!r} in {path} needs two numbers, USD per million tokens in and "
            "out, such as [2.5, 10]."
        )
    return float(numbers[0]), float(numbers[1])
