"""Opens the lots: computes from the replies of a run how published wordings compare with the
others.

This is the one module in which replies and lots meet, after the replies are in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dcq.protect.method import read_scores
from dcq.protect.shuffle import By, Sheet
from dcq.records import Outcome
from dcq.store import Store, frozen, method_runs
from dcq.store.method_runs import ReadAnswer


def conclude(store: Store, run_id: str, sheet: Sheet, places: Sequence[int]) -> None:
    """Store the scores of each item that was asked about in full, under its first position: ``0``
    is the published wording's score, the others follow as they were shown. An item with a call that
    got no reply waits, because that call is made again when the run is resumed. No wording is
    stored."""
    answers = method_runs.answers(store, run_id)
    scores_by_position = {}
    for at, item in enumerate(sheet.items):
        item_answers = [answers.get(at * sheet.asks + turn) for turn in range(sheet.asks)]
        asked = [
            answer
            for answer in item_answers
            if answer is not None and answer.outcome != Outcome.ERROR
        ]
        if len(asked) < sheet.asks:
            continue
        scores = _scores(sheet.by, asked, len(item.wordings))
        if scores is not None:
            published = scores.pop(places[at])
            scores_by_position[at * sheet.asks] = {
                str(k): v for k, v in enumerate([published, *scores])
            }
    frozen.keep_values(store, run_id, scores_by_position)


def table_of(
    values: Mapping[str, Mapping[int, float]], wordings: int, asks: int, positions: Sequence[int]
) -> NDArray[np.float64]:
    """The stored scores of the items at these first ``positions``, the published wording's first,
    NaN where nothing is stored; shape (items, wordings)."""
    table = np.full((len(positions), wordings), np.nan)
    rows = {position: row for row, position in enumerate(positions)}
    for place in range(wordings):
        for position, value in values.get(str(place), {}).items():
            if position in rows:
                table[rows[position], place] = value
    return table


def _scores(by: By, asked: Sequence[ReadAnswer], count: int) -> list[float] | None:
    """A score for each wording as shown: how often it was chosen, or its log-probability a token;
    None where nothing was said."""
    if by is By.LIKELIHOOD:
        return read_scores(asked[0].reply, count)
    chosen = Counter(answer.value for answer in asked if answer.outcome == Outcome.ANSWERED)
    return [float(chosen[str(place)]) for place in range(count)] if chosen else None
