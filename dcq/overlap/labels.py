"""Which instances were found, and where: a csv of ours, or the annotations that the authors
publish.

A table has a row for each instance with ``instance_id, category, score``. It may have ``sources``,
the addresses on which the instance stands, separated by white space; ``text``, its text, by which
results with other ids are matched; and ``window``, the time that was searched, with a row for each
instance and window (the contamination report's Figure 2 has 2017–2020 and 2020–2023).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
_SERIOUS = tuple(Category)  # in rising order


@dataclass(frozen=True)
class Label:
    """What was found of an instance, and the METEOR of the best match, NaN where not given.
    ``sources`` are the addresses that have it, ``text`` is its own; both may be empty."""

    category: Category
    score: float
    sources: tuple[str, ...] = ()
    text: str = ""


Labels = Mapping[str, Label]  # by instance


def read_labels(path: Path) -> dict[str, Label]:
    """The labels of one file, whatever the windows. Raises ``InputError`` on anything else."""
    return merged(read_windows([path]).values())


def read_windows(paths: Sequence[Path]) -> dict[str, dict[str, Label]]:
    """Labels by window, in the order of the files and rows: the window that a row names, else the
    name of its file.

    A file is a table as above, a JSON object of ``id: [category, score]``, or what
    ``overlap search --json`` prints. Raises ``InputError`` on anything else, and where a window has
    an instance twice.
    """
    found: dict[str, dict[str, Label]] = {}
    for path in paths:
        given = _document(path) if path.suffix.lower() == ".json" else None
        rows = _rows(path, read_file(path).rows) if given is None else given
        for window, identity, label in rows:
            labels = found.setdefault(window or path.stem, {})
            if identity in labels:
                raise InputError(
                    f"{path.name} has {identity!r} twice; keep one label an instance, or name the "
                    "windows in a column window."
                )
            labels[identity] = label
    return found


def merged(windows: Iterable[Labels]) -> dict[str, Label]:
    """One label an instance: the most serious category and the best score of all windows, and all
    addresses."""
    found: dict[str, Label] = {}
    for labels in windows:
        for identity, label in labels.items():
            known = found.get(identity)
            found[identity] = label if known is None else _together(known, label)
    return found


def _together(one: Label, other: Label) -> Label:
    scores = [score for score in (one.score, other.score) if not math.isnan(score)]
    return Label(
        max(one.category, other.category, key=_SERIOUS.index),
        max(scores, default=math.nan),
        tuple(dict.fromkeys((*one.sources, *other.sources))),
        one.text or other.text,
    )


_Row = tuple[str, str, Label]  # window, instance, label


def _rows(path: Path, rows: Iterable[Mapping[str, Any]], window: str = "") -> Iterator[_Row]:
    for number, row in enumerate(rows, start=1):
        identity, category = row.get("instance_id"), row.get("category")
        if identity is None or category is None:
            raise InputError(
                f"{path.name} lacks instance_id or category in row {number}; "
                "give the columns instance_id, category and score."
            )
        kind, score = _judged(path, str(identity), category, row.get("score"))
        label = Label(kind, score, _addresses(row.get("sources")), str(row.get("text") or ""))
        yield str(row.get("window") or window), str(identity), label


def _document(path: Path) -> Iterable[_Row] | None:
    """None for a table."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # the general reader says what is wrong
    if not isinstance(value, dict) or not value:
        return None
    if isinstance(value.get("rows"), list):
        days = value.get("window")
        window = " to ".join(map(str, days)) if isinstance(days, list) else ""
        # What was not searched for has no category, and is not clean for that.
        searched = [row for row in value["rows"] if isinstance(row, dict) and row.get("category")]
        return _rows(path, searched, window)
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in value.values()):
        return None
    return [
        ("", str(one), Label(*_judged(path, str(one), category, score)))
        for one, (category, score) in value.items()
    ]


def _addresses(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else str(value or "").split()
    return tuple(dict.fromkeys(str(one) for one in listed))


def _judged(path: Path, identity: str, category: Any, score: Any) -> tuple[Category, float]:
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
    return known, value
