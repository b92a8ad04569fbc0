"""Soft scores of a run, from the log-probabilities of the letters if the endpoint gave them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dcq.evidence.soft import SoftScore, letter_logprobs, slot_preference, soft_score
from dcq.quiz.build import SLOTS
from dcq.quiz.results import Result
from dcq.records import LETTERS, QuizKind
from dcq.store import Store, choices, results

_LETTERS = LETTERS[:SLOTS]


def scores(store: Store, results: Sequence[Result]) -> dict[str, SoftScore]:
    """The soft scores of those results that have one, by run. The replies of the others, mostly all
    of them, are not read."""
    having = choices.logged(store, [result.run for result in results])
    soft_scores = {r.run: score(store, r) for r in results if r.run in having}
    return {run: soft_score for run, soft_score in soft_scores.items() if soft_score is not None}


def score(store: Store, result: Result) -> SoftScore | None:
    """The soft score of a standard or rotated run, plain and corrected for position bias.

    A rotated run shows the bias itself; for a standard run it comes from the same model's most
    complete modified run of the sample, and the debiased score is None if that has no
    log-probabilities. None for other kinds (the five-option quiz corrects for position bias by its
    design), for likelihood mode, which has no letters, and if no instance has log-probabilities for
    all its calls.
    """
    if result.kind not in {QuizKind.STANDARD, QuizKind.ROTATED} or not result.how.lettered:
        return None
    by_call = _by_call(choices.calls(store, [result.run]))
    slots = sorted({slot for _, slot in by_call})
    instances = list(dict.fromkeys(instance for instance, _ in by_call))
    if not instances:
        return None
    gap = np.full(SLOTS, np.nan)
    table = np.array([[by_call.get((i, slot), gap) for slot in slots] for i in instances])
    if np.isnan(table).any(axis=(1, 2)).all():
        return None  # mostly: so the modified run is not read in vain
    correct = np.tile(np.array(slots), (len(instances), 1))
    if result.kind is QuizKind.ROTATED:
        # Unless the original was in every slot, memory would look like position bias.
        estimate = soft_score(table, correct) if len(slots) == SLOTS else None
    else:
        preference = _preference(store, result)
        estimate = soft_score(table, correct, preference)
        if preference is None:
            estimate = replace(estimate, debiased=None, debiased_low=None, debiased_high=None)
    return estimate if estimate and estimate.n else None


def _preference(store: Store, result: Result) -> NDArray[np.float64] | None:
    counts = results.counts(store, model=result.model, sample=result.sample, every_run=True)
    modified_counts = counts[
        (counts["kind"] == QuizKind.MODIFIED) & (counts["imported"] == result.imported)
    ]
    if modified_counts.empty:
        return None
    best = str(modified_counts.iloc[0]["run"])
    table = [_logprobs(call) for call in choices.calls(store, [best])["logprobs"]]
    rows = np.array([row for row in table if not np.isnan(row).any()])
    return slot_preference(rows) if len(rows) else None


def _by_call(calls: pd.DataFrame) -> dict[tuple[str, int], NDArray[np.float64]]:
    """Letters' log-probabilities by instance and slot of the original."""
    return {
        (instance, int(slot)): _logprobs(logprobs)
        for instance, slot, logprobs in zip(
            calls["instance"], calls["slot"], calls["logprobs"], strict=True
        )
    }


def _logprobs(logprobs: dict[str, float] | None) -> NDArray[np.float64]:
    return letter_logprobs(logprobs or {}, _LETTERS)
