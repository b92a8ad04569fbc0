"""Which instances were found, and where: a csv of ours, or the annotations and reports that the
authors publish.

A table has a row for each instance with ``instance_id, category, score``. It may have ``sources``,
the addresses on which the instance stands, separated by white space; ``text``, its text, by which
results with other ids are matched; and ``window``, the time that was searched, with a row for each
instance and window (the contamination report's Figure 2 has 2017–2020 and 2020–2023).

What a search or a scan found as labels: for the effect on scores, and as a file for others.

The reports that the authors of the contamination report publish: found instances with the pages
that have them, beside annotations that say which instance is which.

A report is a JSON object of ``dataset_name`` and ``matches``. That has a list for each found
instance, of the pages found: ``query``, ``match_string``, ``score``, ``score_label``, ``name``,
``url`` and ``snippet``. It has no ids. It was written in one loop with the annotations, so its
instances are those that the annotations do not call clean, in their order, and the best score of
each is the annotated one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard

import pandas as pd

from dcq.errors import InputError
from dcq.incoming.json_parts import read_json
from dcq.incoming.numbers import read_number
from dcq.overlap.label import Label, Labels, together
from dcq.overlap.match import Category
from dcq.overlap.meteor import RELEASE
from dcq.overlap.outcome import OverlapHit, OverlapResult
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
    them addresses and texts and is no window (see ``dcq.overlap.labels``). A report without
    annotations has its queries as ids. Raises ``InputError`` on anything else, where a window has
    an instance twice, and for a report on other annotations than those given.
    """
    windows: dict[str, dict[str, Label]] = {}
    reports: list[tuple[Path, list[Label]]] = []
    for path in paths:
        value = _json(path) if path.suffix.lower() == ".json" else None
        if is_report(value):
            reports.append((path, read_report(path, value)))
            continue
        given_rows = _document(path, value)
        rows = _rows(path, read_file(path).rows) if given_rows is None else given_rows
        for window, identity, label in rows:
            labels = windows.setdefault(window or path.stem, {})
            if identity in labels:
                raise InputError(
                    f"{path.name} has {identity!r} twice; keep one label an instance, or name the "
                    "windows in a column window."
                )
            labels[identity] = label
    return _completed(windows, reports)


def _completed(
    windows: dict[str, dict[str, Label]], reports: Sequence[tuple[Path, list[Label]]]
) -> dict[str, dict[str, Label]]:
    if not windows:
        for path, given_labels in reports:
            alone = ({label.text: label} for label in given_labels)
            windows[path.stem] = merged([windows.get(path.stem, {}), *alone])
        return windows
    for path, given_labels in reports:
        fitting = (
            (window, completed)
            for window, labels in windows.items()
            if (completed := complete(labels, given_labels)) is not None
        )
        window, completed = next(fitting, (None, None))
        if window is None or completed is None:
            raise InputError(
                f"{path.name} is a report on other annotations than those given; give the "
                "annotations of the same run, or the report alone."
            )
        windows[window] = completed
    return windows


def merged(windows: Iterable[Labels]) -> dict[str, Label]:
    """One label an instance: the most serious category and the best score of all windows, and all
    addresses."""
    labels_by_id: dict[str, Label] = {}
    for labels in windows:
        for identity, label in labels.items():
            known_label = labels_by_id.get(identity)
            labels_by_id[identity] = label if known_label is None else together(known_label, label)
    return labels_by_id


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
        ("", str(identity), Label(*_judged(path, str(identity), category, score)))
        for identity, (category, score) in value.items()
    ]


def _addresses(value: Any) -> tuple[str, ...]:
    addresses = value if isinstance(value, list) else str(value or "").split()
    return tuple(dict.fromkeys(str(address) for address in addresses))


def _judged(path: Path, identity: str, category: Any, score: Any) -> tuple[Category, float]:
    known_category = _CATEGORIES.get(str(category).strip().lower().replace("_", "-"))
    if known_category is None:
        raise InputError(
            f"{path.name} calls {identity!r} {category!r}; the categories are clean, input-only "
            "and input-and-label."
        )
    try:
        if score is None or str(score).strip() == "":
            value = math.nan
        elif isinstance(score, str):
            known = read_number(score)
            value = math.inf if known is None else known
        else:
            value = float(score)
    except (TypeError, ValueError, OverflowError):
        value = math.inf
    if not (math.isnan(value) or 0 <= value <= 1):
        raise InputError(
            f"{path.name} gives {identity!r} the score {score!r}; give a number from 0 to 1."
        )
    return known_category, value


_WEB = ("http://", "https://")


def labels(overlap: OverlapResult) -> dict[str, Label]:
    """The labels of what was searched, with the web addresses of the hits that count and the text
    by which results are matched."""
    rows = {row.instance_id: row for row in overlap.rows}
    return {
        identity: replace(
            label, sources=_table_addresses(rows[identity].hits), text=rows[identity].text
        )
        for identity, label in overlap.labels().items()
    }


def window_name(overlap: OverlapResult) -> str:
    """``2017-01 to 2020-12``; "" where the time was not limited."""
    if overlap.window is None:
        return ""
    return f"{overlap.window.start:%Y-%m} to {overlap.window.end:%Y-%m}"


def frame(overlap: OverlapResult) -> pd.DataFrame:
    """A row for each instance that was searched, as ``overlap effect --labels`` reads it."""
    name = window_name(overlap)
    return pd.DataFrame(
        [
            {
                "instance_id": identity,
                "category": label.category.value,
                "score": None if math.isnan(label.score) else label.score,
                "sources": " ".join(label.sources),
                "text": label.text,
                "window": name,
            }
            for identity, label in labels(overlap).items()
        ],
        columns=["instance_id", "category", "score", "sources", "text", "window"],
    ).astype({"score": float})


def web_address(hit: OverlapHit) -> str:
    """Where on the web a hit is: a page's address, or what a document of a crawl is called; ""
    for files."""
    addresses = (
        address for address in (hit.source, hit.document) if address.lower().startswith(_WEB)
    )
    return next((address for address in addresses if not any(c.isspace() for c in address)), "")


def _table_addresses(hits: tuple[OverlapHit, ...]) -> tuple[str, ...]:
    counted = (web_address(hit) for hit in hits if hit.crawled is not False)
    return tuple(dict.fromkeys(address for address in counted if address))


_SAME = 1e-9  # scores that differ by less are one


def is_report(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """True if a value has the form of a report, whatever its matches hold."""
    return isinstance(value, dict) and isinstance(value.get("matches"), list)


def read_report(path: Path, value: Mapping[str, Any]) -> list[Label]:
    """The instances of a report, their queries as texts, with the category that the code's
    threshold of 0.7 gives them. Raises ``InputError`` where one is not of the form above."""
    return [_instance(path, number, pages) for number, pages in enumerate(value["matches"], 1)]


def _instance(path: Path, number: int, pages: Any) -> Label:
    if not isinstance(pages, list) or not pages or not all(isinstance(p, dict) for p in pages):
        raise InputError(f"{path.name} has no list of pages for match {number}; write it again.")
    scores = [
        tuple(_score(path, number, page, name) for name in ("score", "score_label"))
        for page in pages
    ]
    label_scores = [label for score, label in scores if score >= RELEASE.threshold]
    category = Category.INPUT_ONLY if label_scores else Category.CLEAN
    if any(label >= RELEASE.threshold for label in label_scores):
        category = Category.INPUT_AND_LABEL
    for name in ("query", "url"):
        if not all(isinstance(page.get(name), str) and page[name].strip() for page in pages):
            raise InputError(f'{path.name} has no text "{name}" in match {number}; add it.')
    addresses = dict.fromkeys(page["url"].strip() for page in pages)
    return Label(category, max(s for s, _ in scores), tuple(addresses), pages[0]["query"].strip())


def _score(path: Path, number: int, page: Mapping[str, Any], name: str) -> float:
    value = page.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(
            f"{path.name} has {value!r:.40} as {name} in match {number}; give a number from 0 to 1."
        )
    return float(value)


def complete(labels: Mapping[str, Label], from_report: list[Label]) -> dict[str, Label] | None:
    """``labels`` with the pages and texts of a report on them; None where the report is on other
    labels: another number of found instances, or another score of one."""
    ids = [identity for identity, label in labels.items() if label.category is not Category.CLEAN]
    if len(ids) != len(from_report) or not all(
        abs(labels[identity].score - page.score) < _SAME
        for identity, page in zip(ids, from_report, strict=True)
    ):
        return None
    return dict(labels) | {
        identity: replace(labels[identity], sources=page.sources, text=page.text)
        for identity, page in zip(ids, from_report, strict=True)
    }
