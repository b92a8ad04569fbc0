"""Do larger models gain more from what they can have seen (the contamination report, section 6)?"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dcq.errors import InputError
from dcq.evidence.subsets import Trend, trend
from dcq.overlap.effect import Effect
from dcq.partitions.files import read_file

# 7B, 70b, 0.5B, 160m; not the experts of 8x7B, whose total is another, nor the active part A3B.
_SIZE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)([bm])(?![a-z0-9])", re.IGNORECASE)


@dataclass(frozen=True)
class SizedModel:
    """A model of ``billions`` parameters, and its accuracy on found instances minus that on clean
    ones, with its limits."""

    model: str
    billions: float
    gain: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class BySize:
    """The models whose size and gain are known, the smallest first, and the trend over them.
    ``unsized`` are those of unknown size."""

    models: tuple[SizedModel, ...]
    unsized: tuple[str, ...]
    trend: Trend


def by_size(effects: Sequence[Effect], sizes: Mapping[str, float]) -> BySize:
    """The trend of gains over sizes, which are given or read from the models' names. Models of one
    family share more than their size, and families differ in more: a trend over few models is a
    hint."""
    known = {
        effect.model: sizes.get(effect.model, size_in_name(effect.model)) for effect in effects
    }
    models = sorted(
        (
            SizedModel(one.model, billions, gap.difference, gap.low, gap.high)
            for one in effects
            if (billions := known[one.model]) is not None
            and (gap := one.difference).difference is not None
        ),
        key=lambda one: (one.billions, one.model),
    )
    found = trend([one.billions for one in models], [one.gain for one in models])
    unsized = tuple(model for model, billions in known.items() if billions is None)
    return BySize(tuple(models), unsized, found)


def size_in_name(model: str) -> float | None:
    """Billions of parameters as the name says, such as 7B or 160m; None where it does not, or names
    two."""
    found = {
        float(number) / (1000 if unit.lower() == "m" else 1)
        for number, unit in _SIZE.findall(model.replace("_", " "))
    }
    return found.pop() if len(found) == 1 else None


def read_sizes(path: Path) -> dict[str, float]:
    """Billions of parameters by model, from a table of ``model, parameters``. Raises ``InputError``
    on anything else."""
    sizes: dict[str, float] = {}
    for number, row in enumerate(read_file(path).rows, start=1):
        model, given = row.get("model"), row.get("parameters")
        if model is None or given is None:
            raise InputError(
                f"{path.name} lacks model or parameters in row {number}; give both columns, the "
                "parameters in billions."
            )
        try:
            billions = float(given)
        except (TypeError, ValueError):
            billions = math.nan
        if not 0 < billions < math.inf:
            raise InputError(
                f"{path.name} gives {model!r} the size {given!r}; give billions of parameters, "
                "such as 7 or 0.5."
            )
        sizes[str(model)] = billions
    return sizes
