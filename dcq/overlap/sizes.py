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
    billions_by_model = {
        effect.model: sizes.get(effect.model, size_in_name(effect.model)) for effect in effects
    }
    models = sorted(
        (
            SizedModel(entry.model, billions, gap.difference, gap.low, gap.high)
            for entry in effects
            if (billions := billions_by_model[entry.model]) is not None
            and (gap := entry.difference).difference is not None
        ),
        key=lambda entry: (entry.billions, entry.model),
    )
    size_trend = trend([entry.billions for entry in models], [entry.gain for entry in models])
    unsized = tuple(model for model, billions in billions_by_model.items() if billions is None)
    return BySize(tuple(models), unsized, size_trend)


def size_in_name(model: str) -> float | None:
    """Billions of parameters as the name says, such as 7B or 160m; None where it does not, or names
    two."""
    sizes = {
        float(number) / (1000 if unit.lower() == "m" else 1)
        for number, unit in _SIZE.findall(model.replace("_", " "))
    }
    return sizes.pop() if len(sizes) == 1 else None


def read_sizes(path: Path) -> dict[str, float]:
    """Billions of parameters by model, from a table of ``model, parameters``. Raises ``InputError``
    on anything else."""
    sizes: dict[str, float] = {}
    for number, row in enumerate(read_file(path).rows, start=1):
        model, parameters = row.get("model"), row.get("parameters")
        if model is None or parameters is None:
            raise InputError(
                f"{path.name} lacks model or parameters in row {number}; give both columns, the "
                "parameters in billions."
            )
        try:
            billions = float(parameters)
        except (TypeError, ValueError):
            billions = math.nan
        if not 0 < billions < math.inf:
            raise InputError(
                f"{path.name} gives {model!r} the size {parameters!r}; give billions of "
                "parameters, such as 7 or 0.5."
            )
        sizes[str(model)] = billions
    return sizes
