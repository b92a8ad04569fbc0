"""A file of scores of a benchmark's wordings that others computed: ``item, wording, published,
score`` and optionally ``benchmark``, one wording a row.

An item counts where all its wordings have a score. Whether one is missing does not depend on the
lot of a model that never saw the benchmark, so leaving such items out is fair. Where scores of
published wordings are missing more or less often than others, it did depend on the lot, and nothing
can be said.

Whether lots were drawn at all a file of scores cannot show. Where it names wordings alike in all
items, such as ``original``, it can show that they were not: then one wording was published for all
items, which is one draw at most.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from dcq.errors import InputError
from dcq.evidence.lot import LotTest, as_one_draw, assess, chance_of_repeats
from dcq.incoming.numbers import read_number
from dcq.incoming.separated import separation, text_encoding
from dcq.naming import as_seen
from dcq.words import counted, percent

_COLUMNS = ("item", "wording", "published", "score")
_MOST_BYTES, _MOST_ROWS = 200_000_000, 2_000_000
# The chance at which missing scores that do not depend on the lot are taken for some that do.
_UNEQUAL = 0.01
_NO_LOT = 0.001  # the chance of a lot below which repeats of one wording are taken for none
_YES, _NO = {"1", "1.0", "true", "yes"}, {"0", "0.0", "false", "no", ""}


@dataclass(frozen=True)
class ScoredBenchmark:
    """The ``test`` of a benchmark's items that have all their scores, and how many items were
    ``left_out`` because one is missing. ``reasons`` are sentences on wordings that were not drawn
    by lot, or may not have been."""

    test: LotTest
    left_out: int
    reasons: tuple[str, ...] = ()

    def document(self, benchmark: str) -> dict[str, Any]:
        """The keys of ``protect test``."""
        return {
            "benchmark": benchmark,
            **asdict(self.test),
            "left_out": self.left_out,
            "reasons": list(self.reasons),
        }


def assess_file(content: bytes, name: str) -> dict[str, ScoredBenchmark]:
    """The test of each benchmark in a csv file called ``name``. Raises InputError for another file,
    for an item without exactly one published wording, and for a benchmark of which scores are
    missing unequally."""
    if len(content) > _MOST_BYTES:
        raise InputError(f"{name} is too large; give a file of {_MOST_BYTES // 10**6} MB at most.")
    scores_by_benchmark: dict[str, dict[str, dict[str, tuple[bool, float]]]] = {}
    for number, row in enumerate(_rows(content, name), 2):
        where = f"Row {number} of {name}"
        item, wording = (_id(row, column, where) for column in ("item", "wording"))
        wordings = scores_by_benchmark.setdefault(row.get("benchmark") or "", {}).setdefault(
            item, {}
        )
        if as_seen(wording) in wordings:
            raise InputError(
                f"{where} has wording {wording[:40]!r} of item {item[:40]!r} again; give each "
                "wording once."
            )
        wordings[as_seen(wording)] = (
            _published(row["published"], where),
            _score(row["score"], where),
        )
    if not scores_by_benchmark:
        raise InputError(f"{name} has no rows; give one for each wording.")
    return {
        benchmark: _without_lot(
            _assess(
                [_item(item, wordings) for item, wordings in items.items()],
                f"benchmark {benchmark[:40]!r}" if benchmark else name,
            ),
            list(items.values()),
        )
        for benchmark, items in scores_by_benchmark.items()
    }


def left_out_words(benchmark: str, left_out: int) -> str:
    """A sentence on the items that do not count; empty where all do."""
    if not left_out:
        return ""
    where = f" of {benchmark}" if benchmark else ""
    return (
        f"{counted(left_out, 'item')}{where} left out: a wording has no score, and an item counts "
        "only with all its wordings scored."
    )


def _assess(items: Sequence[list[float]], where: str) -> ScoredBenchmark:
    complete = [scores for scores in items if not any(map(math.isnan, scores))]
    present = [[float(not math.isnan(score)) for score in scores] for scores in items]
    missing = [[1 - score for score in scores] for scores in present]
    if len(complete) < len(items):
        if min(assess(present).p_value, assess(missing).p_value) <= _UNEQUAL / 2:
            raise InputError(
                f"In {where}, {_shares(present)} have a score. Missing scores must not depend on "
                "what was published; score all wordings alike."
            )
        if not complete:
            raise InputError(
                f"No item of {where} has a score for each wording; score all wordings."
            )
    return ScoredBenchmark(assess(complete), len(items) - len(complete))


def _without_lot(
    scored: ScoredBenchmark, items: Sequence[dict[str, tuple[bool, float]]]
) -> ScoredBenchmark:
    """With the limits and the sentence that are due where one wording is published too often."""
    published = [
        wording
        for wordings in items
        for wording, (is_published, _) in wordings.items()
        if is_published
    ]
    [(wording, times)] = Counter(published).most_common(1)
    k, n = min(map(len, items)), len(items)
    repeated = f"Wording {wording[:40]!r} is published for {times:,} of {n:,} items"
    if chance_of_repeats(times, n, k) < _NO_LOT:
        reason = (
            f"{repeated}, which lots drawn item by item do not explain. One draw among {k} "
            f"wordings gives p = {1 / k:.3g} at best, so no smaller p is reported."
        )
        return replace(scored, test=as_one_draw(scored.test, k), reasons=(reason,))
    if times == n > 1:
        reason = (
            f"{repeated}. With so few items that may be chance. The p-value holds only if a lot "
            "was drawn for each item."
        )
        return replace(scored, reasons=(reason,))
    return scored


def _shares(present: Sequence[list[float]]) -> str:
    published = sum(scores[0] for scores in present) / len(present)
    others = [score for scores in present for score in scores[1:]]
    return (
        f"{percent(published)} of the published wordings and "
        f"{percent(math.fsum(others) / len(others))} of the others"
    )


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


def _id(row: dict[str, str], column: str, where: str) -> str:
    if not as_seen(row[column]):
        raise InputError(f"{where} has nothing in the column {column}; name it.")
    return row[column]


def _published(cell: str, where: str) -> bool:
    word = cell.strip().lower()
    if word not in _YES | _NO:
        raise InputError(f"{where}: published is 1 or 0, not {cell[:40]!r}.")
    return word in _YES


def _score(cell: str, where: str) -> float:
    """NaN where the cell is empty."""
    if not cell:
        return math.nan
    score = read_number(cell)
    if score is None:
        raise InputError(
            f"{where}: {cell[:40]!r} in the column score is no score; give a number, such as "
            "-1.25, or leave the cell empty."
        )
    return score
