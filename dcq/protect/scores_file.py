"""A file of scores of a benchmark's wordings that others computed: ``item, wording, published,
score`` and optionally ``benchmark``, one wording a row."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections import Counter
from dataclasses import asdict
from typing import Any

from dcq.errors import InputError
from dcq.evidence.lot import LotTest, assess
from dcq.incoming.separated import separation, text_encoding

_COLUMNS = ("item", "wording", "published", "score")
_MOST_BYTES, _MOST_ROWS = 200_000_000, 2_000_000
_MISSING = {"", "nan", "na", "none", "null"}
_YES, _NO = {"1", "1.0", "true", "yes"}, {"0", "0.0", "false", "no", ""}


def assess_file(content: bytes, name: str) -> dict[str, LotTest]:
    """The test of each benchmark in a csv file called ``name``. Raises InputError for another file,
    and for an item without exactly one published wording."""
    if len(content) > _MOST_BYTES:
        raise InputError(f"{name} is too large; give a file of {_MOST_BYTES // 10**6} MB at most.")
    scores_by_benchmark: dict[str, dict[str, dict[str, tuple[bool, float]]]] = {}
    for number, row in enumerate(_rows(content, name), 2):
        wordings = scores_by_benchmark.setdefault(row.get("benchmark") or "", {}).setdefault(
            row["item"], {}
        )
        if row["wording"] in wordings:
            raise InputError(
                f"Row {number} of {name} has wording {row['wording'][:40]!r} of item "
                f"{row['item'][:40]!r} again; give each wording once."
            )
        wordings[row["wording"]] = (
            _published(row["published"], number),
            _score(row["score"], number),
        )
    if not scores_by_benchmark:
        raise InputError(f"{name} has no rows; give one for each wording.")
    return {
        benchmark: assess([_item(item, wordings) for item, wordings in items.items()])
        for benchmark, items in scores_by_benchmark.items()
    }


def document(benchmark: str, test: LotTest) -> dict[str, Any]:
    """The keys of ``protect test``."""
    return {"benchmark": benchmark, **asdict(test)}


def _item(item: str, wordings: dict[str, tuple[bool, float]]) -> list[float]:
    """The scores, the published one's first."""
    published = [score for is_published, score in wordings.values() if is_published]
    if len(published) != 1:
        raise InputError(
            f"Item {item[:40]!r} has {len(published)} published wordings; mark exactly one with 1."
        )
    if len(wordings) < 2:
        raise InputError(f"Item {item[:40]!r} has 1 wording; a lot takes at least 2.")
    return [*published, *(score for is_published, score in wordings.values() if not is_published)]


def _rows(content: bytes, name: str) -> list[dict[str, str]]:
    try:
        text = io.StringIO(content.decode(text_encoding(content)), newline="")
        separator, declared = separation(text.readline())
        if not declared:
            text.seek(0)
        reader = csv.DictReader(text, strict=True, delimiter=separator)
        rows = list(itertools.islice(reader, _MOST_ROWS + 1))
        counts = Counter(reader.fieldnames or ())
    except (UnicodeDecodeError, csv.Error):
        raise InputError(f"{name} is no csv file in UTF-8; save it as one.") from None
    if missing := [column for column in _COLUMNS if not counts[column]]:
        raise InputError(f"{name} lacks the column {missing[0]}; it needs {', '.join(_COLUMNS)}.")
    if twice := [column for column in (*_COLUMNS, "benchmark") if counts[column] > 1]:
        raise InputError(f"{name} has the column {twice[0]} more than once; keep one of them.")
    if len(rows) > _MOST_ROWS:
        raise InputError(f"{name} has more than {_MOST_ROWS:,} rows; test it in parts.")
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():  # what csv calls what is too much or too little
            raise InputError(
                f"Row {number} of {name} has not as many cells as there are columns; mend it."
            )
    return rows


def _published(cell: str, number: int) -> bool:
    word = cell.strip().lower()
    if word not in _YES | _NO:
        raise InputError(f"Row {number}: published is 1 or 0, not {cell[:40]!r}.")
    return word in _YES


def _score(cell: str, number: int) -> float:
    """NaN where it is missing."""
    if cell.strip().lower() in _MISSING:
        return math.nan
    try:
        score = float(cell)
    except ValueError:
        raise InputError(f"Row {number}: {cell[:40]!r} is no score; give a number.") from None
    return score
