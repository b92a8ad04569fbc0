"""Answers of runs as the tables by which a target is compared with its controls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dcq.evidence.soft import letter_logprobs, original_probability
from dcq.quiz import tables
from dcq.quiz.build import SLOTS
from dcq.quiz.results import Result
from dcq.records import LETTERS, Kind, Mode
from dcq.store import Store, choices

Answers = Mapping[str, pd.DataFrame]
_Table = NDArray[np.float64]


def by_letters(result: Result, answers: Answers) -> _Table:
    """1 right, 0 wrong, NaN no answer: (instances, slots); of a bcq the gains over its bdq."""
    if result.kind is Kind.ROTATED:
        return np.asarray(_right(result, answers), dtype=np.float64)
    if result.kind is Kind.BCQ and result.without and result.slot is not None:
        after, before = _with_and_without(result, answers)
        return np.asarray(after - before, dtype=np.float64)[:, None]
    right = result.correct or 0
    counts = [right, result.n - right, max(0, result.asked - result.n)]
    return np.repeat([1.0, 0.0, np.nan], counts)[:, None]


def refused_as_wrong(result: Result, answers: Answers) -> _Table | None:
    """The table of a bcq with its calls that have no answer counted as wrong, for instances that
    the bdq answered; None for other kinds, where NaN says it all."""
    if result.kind is not Kind.BCQ or not result.without or result.slot is None:
        return None
    after, before = _with_and_without(result, answers)
    return np.asarray(after.fillna(0.0) - before, dtype=np.float64)[:, None]


def by_probability(
    store: Store, target: Result, controls: Sequence[Result], answers: Answers
) -> tuple[_Table, list[_Table]] | None:
    """The original's probability among the four letters in the place of right and wrong, for a
    rotated quiz; NaN where there is no answer. None unless each answer of the target and of all its
    controls has log-probabilities, which the runs were asked for before they began."""
    if target.kind is not Kind.ROTATED or target.mode is Mode.LIKELIHOOD:
        return None
    found = []
    for result in (target, *controls):
        letters = _right(result, answers)
        given = _probabilities(store, result.run, tuple(result.outcomes.values()))
        if given is None:
            return None
        table = given.reindex(index=letters.index, columns=letters.columns).where(letters.notna())
        if bool((letters.notna() & table.isna()).any(axis=None)):
            return None
        found.append(np.asarray(table, dtype=np.float64))
    return found[0], found[1:]


def _right(result: Result, answers: Answers) -> pd.DataFrame:
    rows = answers[result.run]
    asked = rows.groupby("instance")["asked"].transform("any")
    return tables.right(rows[asked])


def _with_and_without(result: Result, answers: Answers) -> tuple[pd.Series, pd.Series]:
    letter = LETTERS[result.slot or 0]
    after = tables.chose(answers[result.run], letter)
    return after, tables.chose(answers[result.without or ""], letter).reindex(after.index)


@lru_cache(maxsize=256)  # some 300 kB for 10,000 instances
def _probabilities(store: Store, run_id: str, outcomes: tuple[int, ...]) -> pd.DataFrame | None:
    """The original's probability by instance and slot, None where no call has log-probabilities;
    ``outcomes`` tell the cache that there are other answers: an error may be asked again."""
    calls = choices.calls(store, [run_id])
    calls = calls[calls["logprobs"].notna()]
    if calls.empty:
        return None
    given = np.array([letter_logprobs(one, LETTERS[:SLOTS]) for one in calls["logprobs"]])
    slots = calls["slot"].to_numpy(np.int64)
    found = calls.assign(value=original_probability(given, slots))
    return found.pivot(index="instance", columns="slot", values="value")
