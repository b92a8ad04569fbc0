"""When a model's training data end, as its maker says; most makers do not say.

``data/cutoffs.toml`` holds what is known, with the page that states it. The user's own file goes
before it: ``DCQ_CUTOFFS`` names it; without that it is ``own_cutoffs.toml`` beside the usual store.
A model is written as for ``--model``, with the last month of its training data::

    [models]
    "our-model@https://models.example.org/v1" = "2027-01"

A name holds for all names that go on with a hyphen or colon (``gpt-4o`` for ``gpt-4o-2024-08-06``,
``llama-3.1`` for ``llama-3.1-8b``) but not with another version (``claude-opus-5-5`` is no
``claude-opus-5``). The longest counts. Preset, address and the owner before a slash are left out.
What a study's file says of its models counts within the study (``stated``), before both.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dcq.environment import read_variable
from dcq.errors import InputError
from dcq.models import user_file
from dcq.models.endpoints import model_asked, model_itself, stored_name
from dcq.places import DATA, OWN
from dcq.records import fingerprint

CUTOFFS_FILE = DATA / "cutoffs.toml"
DEFAULT = OWN / "own_cutoffs.toml"
_WHAT, _VARIABLE = "cut-offs", "DCQ_CUTOFFS"
_MONTH = re.compile(r"((?:19|20)\d\d)-(0[1-9]|1[0-2])")
_GOES_ON = re.compile(r"(?!-\d{1,2}(?:$|[-:@]))[-:@]|$")


@dataclass(frozen=True)
class Cutoff:
    """The last month of a model's training data, as its first day, and the page that states it.
    Where ``of_training`` is False, it is the last month that the model knows reliably: training
    data may be newer."""

    month: date
    source: str
    of_training: bool = True

    def may_cover(self, published: date) -> bool:
        """Whether a text first published on this day can be in the training data: it was published
        in the month or before."""
        return (published.year, published.month) <= (self.month.year, self.month.month)

    @property
    def last_day(self) -> date:
        """The last day of the month."""
        return self.month.replace(day=calendar.monthrange(self.month.year, self.month.month)[1])

    def __str__(self) -> str:
        return f"{self.month:%Y-%m}"


_NONE: Mapping[str, Cutoff] = MappingProxyType({})
_STATED: ContextVar[Mapping[str, Cutoff]] = ContextVar("stated", default=_NONE)


@contextmanager
def stated(months: Mapping[str, str]) -> Iterator[None]:
    """Within the block these months (``2025-06``) are the cut-offs of models, by their names as
    typed, whatever is known of them otherwise: a study says so."""
    cutoffs = {
        name: Cutoff(date.fromisoformat(f"{month}-01"), "the study's file")
        for model, month in months.items()
        for name in (model, model_itself(stored_name(model)))
    }
    token = _STATED.set(cutoffs)
    try:
        yield
    finally:
        _STATED.reset(token)


def cutoff_of(model: str) -> Cutoff | None:
    """The cut-off of a model by its name as typed; None if it is not known.

    Raises InputError if the file of the user's own cut-offs cannot be understood.
    """
    if said := _STATED.get().get(model) or _STATED.get().get(model_itself(model)):
        return said
    name = _bare(model)
    return _longest(name, read_own()) or _longest(name, _known())


def read_own() -> Mapping[str, Cutoff]:
    """All of the user's own cut-offs, by model; empty if there is no file."""
    state = _find_own()
    return {} if state is None else _read_own(state)


def state() -> tuple[int, ...]:
    """A value that changes whenever the user's own file does, or what a study states, for use in
    cache keys."""
    own_file = _find_own()
    own = () if own_file is None else (own_file.changed, own_file.size)
    said = [f"{model} {cutoff}" for model, cutoff in sorted(_STATED.get().items())]
    return (*own, int(fingerprint(*said), 16)) if said else own


def _find_own() -> user_file.FileState | None:
    named = read_variable(_VARIABLE)
    return user_file.find(Path(named) if named else None, DEFAULT, _WHAT, _VARIABLE)


@lru_cache(maxsize=4)
def _read_own(file: user_file.FileState) -> Mapping[str, Cutoff]:
    document = user_file.parse(file.path, _WHAT, _VARIABLE)
    return _read_models(file.path, document.get("models"), file.path.name, of_training=True)


@cache
def _known() -> Mapping[str, Cutoff]:
    document = user_file.parse(CUTOFFS_FILE, _WHAT, _VARIABLE)
    cutoffs: dict[str, Cutoff] = {}
    for page in document["page"]:
        of_training = {"training": True, "knowledge": False}[page["stated"]]
        cutoffs |= _read_models(
            CUTOFFS_FILE, page["models"], page["source"], of_training=of_training
        )
    return cutoffs


def _read_models(path: Path, models: Any, source: str, *, of_training: bool) -> dict[str, Cutoff]:
    if not isinstance(models, dict):
        raise InputError(
            f'The cut-offs in {path} need a table [models] with lines such as "gpt-4o" = "2023-10".'
        )
    return {
        _bare(model): Cutoff(_month(path, model, month), source, of_training)
        for model, month in models.items()
    }


def _month(path: Path, model: str, month: Any) -> date:
    match = _MONTH.fullmatch(month) if isinstance(month, str) else None
    if match is None or not _bare(model):
        raise InputError(
            f"The cut-off of {model[:100]!r} in {path} is not a month of a model; write it as "
            '"gpt-4o" = "2023-10".'
        )
    return date(int(match[1]), int(match[2]), 1)


def _bare(model: str) -> str:
    return model_asked(model).rpartition("/")[2].casefold()


def _longest(name: str, table: Mapping[str, Cutoff]) -> Cutoff | None:
    fitting = (
        prefix
        for prefix in table
        if name.startswith(prefix) and _GOES_ON.match(name[len(prefix) :])
    )
    best = max(fitting, key=len, default=None)
    return None if best is None else table[best]
