"""Which instances were found: a csv of ours, or the annotations that the authors publish."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dcq.errors import InputError
from dcq.overlap.match import Category
from dcq.partitions.files import read_file

_CATEGORIES = {
    "clean": Category.CLEAN,
    "input-only": Category.INPUT_ONLY,
    "input contamination": Category.INPUT_ONLY,
    "input-and-label": Category.INPUT_AND_LABEL,
    "input-and-label contamination": Category.INPUT_AND_LABEL,
}


@dataclass(frozen=True)
class Label:
    """What was found of an instance, and the METEOR of the best match, NaN where not given."""

    category: Category
    score: float


def read_labels(path: Path) -> dict[str, Label]:
    """Labels by instance. A file with ``instance_id, category, score``, or a JSON object of
    ``id: [category, score]``. Raises ``InputError`` on anything else."""
    if path.suffix.lower() == ".json":
        given = _annotations(path)
        if given is not None:
            return {one: _label(path, one, *pair) for one, pair in given.items()}
    found: dict[str, Label] = {}
    for number, row in enumerate(read_file(path).rows, start=1):
        identity, category = row.get("instance_id"), row.get("category")
        if identity is None or category is None:
            raise InputError(
                f"{path.name} lacks instance_id or category in row {number}; "
                "give the columns instance_id, category and score."
            )
        if str(identity) in found:
            raise InputError(f"{path.name} has {identity!r} twice; keep one label an instance.")
        found[str(identity)] = _label(path, str(identity), category, row.get("score"))
    return found


def _annotations(path: Path) -> Mapping[str, tuple[Any, Any]] | None:
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # the general reader says what is wrong
    if not isinstance(value, dict) or not value:
        return None
    if all(isinstance(pair, list) and len(pair) == 2 for pair in value.values()):
        return {str(one): (pair[0], pair[1]) for one, pair in value.items()}
    return None


def _label(path: Path, identity: str, category: Any, score: Any) -> Label:
    known = _CATEGORIES.get(str(category).strip().lower().replace("_", "-"))
    if known is None:
        raise InputError(
            f"{path.name} calls {identity!r} {category!r}; the categories are clean, input-only "
            "and input-and-label."
        )
    try:
        value = math.nan if score is None or str(score).strip() == "" else float(score)
    except (TypeError, ValueError):
        value = math.inf
    if not (math.isnan(value) or 0 <= value <= 1):
        raise InputError(
            f"{path.name} gives {identity!r} the score {score!r}; give a number from 0 to 1."
        )
    return Label(known, value)
