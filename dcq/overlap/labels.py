"""Which instances were found, and where: a csv of ours, or the annotations and reports that the
authors publish.

A table has a row for each instance with ``instance_id, category, score``. It may have ``sources``,
the addresses on which the instance stands, separated by white space; ``text``, its text, by which
results with other ids are matched; and ``window``, the time that was searched, with a row for each
instance and window (the contamination report's Figure 2 has 2017–2020 and 2020–2023).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dcq.errors import InputError
from dcq.incoming.json_parts import read_json
from dcq.overlap.label import Label, Labels, together
from dcq.overlap.match import Category
from dcq.overlap.release_report import complete, is_report, read_report
from dcq.partitions.files import read_file

_CATEGORIES = {
    "clean": Category.CLEAN,
    "input-only": Category.INPUT_ONLY,
    "input contamination": Category.INPUT_ONLY,
    "input-and-label": Category.INPUT_AND_LABEL,
    "input-and-label contamination": Category.INPUT_AND_LABEL,
}


def read_labels(path: Path) -> dict[str, Label]:
    """The labels of one file, whatever the windows. Raises ``InputError`` on anything else."""
    return merged(read_windows([path]).values())


def read_windows(paths: Sequence[Path]) -> dict[str, dict[str, Label]]:
    """Labels by window, in the order of the files and rows: the window that a row names, else the
    name of its file.

    A file is a table as above, a JSON object of ``id: [category, score]``, what
    ``overlap search --json`` prints, or the report that belongs to such annotations, which gives
    them addresses and texts and is no window (see ``dcq.overlap.release_report``). A report without
    annotations has its queries as ids. Raises ``InputError`` on anything else, where a window has
    an instance twice, and for a report on other annotations than those given.
    """
    found: dict[str, dict[str, Label]] = {}
    reports: list[tuple[Path, list[Label]]] = []
    for path in paths:
        value = _json(path) if path.suffix.lower() == ".json" else None
        if is_report(value):
            reports.append((path, read_report(path, value)))
            continue
        given = _document(path, value)
        rows = _rows(path, read_file(path).rows) if given is None else given
        for window, identity, label in rows:
            labels = found.setdefault(window or path.stem, {})
            if identity in labels:
                raise InputError(
                    f"{path.name} has {identity!r} twice; keep one label an instance, or name the "
                    "windows in a column window."
                )
            labels[identity] = label
    return _completed(found, reports)


def _completed(
    found: dict[str, dict[str, Label]], reports: Sequence[tuple[Path, list[Label]]]
) -> dict[str, dict[str, Label]]:
    if not found:
        for path, given in reports:
            alone = ({one.text: one} for one in given)
            found[path.stem] = merged([found.get(path.stem, {}), *alone])
        return found
    for path, given in reports:
        fitting = (
            (window, whole)
            for window, labels in found.items()
            if (whole := complete(labels, given)) is not None
        )
        window, whole = next(fitting, (None, None))
        if window is None or whole is None:
            raise InputError(
                f"{path.name} is a report on other annotations than those given; give the "
                "annotations of the same run, or the report alone."
            )
        found[window] = whole
    return found


def merged(windows: Iterable[Labels]) -> dict[str, Label]:
    """One label an instance: the most serious category and the best score of all windows, and all
    addresses."""
    found: dict[str, Label] = {}
    for labels in windows:
        for identity, label in labels.items():
            known = found.get(identity)
            found[identity] = label if known is None else together(known, label)
    return found


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


def _json(path: Path) -> Any:
    try:
        return read_json(path)
    except (OSError, ValueError, RecursionError):
        return None  # the general reader says what is wrong


def _document(path: Path, value: Any) -> Iterable[_Row] | None:
    """None for a table."""
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
    except (TypeError, ValueError, OverflowError):
        value = math.inf
    if not (math.isnan(value) or 0 <= value <= 1):
        raise InputError(
            f"{path.name} gives {identity!r} the score {score!r}; give a number from 0 to 1."
        )
    return known, value
