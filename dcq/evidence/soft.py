"""Scores from the letters' log-probabilities: finer than a letter, without position bias."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded where they are first used
from numpy.typing import ArrayLike, NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import LARGEST, check_confidence, read_numbers
from dcq.evidence.interval import wilson_over_instances


@dataclass(frozen=True)
class SoftScore:
    """Mean probability of the original over ``n`` instances, plain and corrected for position bias,
    each with its interval over instances; None if n is 0."""

    n: int
    score: float | None
    low: float | None
    high: float | None
    debiased: float | None
    debiased_low: float | None
    debiased_high: float | None


def letter_logprobs(candidates: Mapping[str, float], letters: str) -> NDArray[np.float64]:
    """Log-probability of each of ``letters`` from the ``candidates`` for the answer's first token.

    Shape (len(letters),). Tokens that differ from a letter only in spaces are added up. A letter
    that is not listed gets the smallest log-probability listed, an upper bound; if no letter is
    listed, all are NaN. A candidate whose log-probability is no number does not count.
    """
    candidates = {
        token: logprob for token, logprob in candidates.items() if -math.inf <= logprob <= LARGEST
    }
    logprobs = dict.fromkeys(letters, -math.inf)
    for token, logprob in candidates.items():
        letter = token.strip()
        if letter in logprobs:
            logprobs[letter] = float(np.logaddexp(logprobs[letter], logprob))
    if all(value == -math.inf for value in logprobs.values()):
        return np.full(len(letters), math.nan)
    floor = min(candidates.values())
    return np.array([floor if value == -math.inf else value for value in logprobs.values()])


def original_probability(logprobs: ArrayLike, correct: ArrayLike) -> NDArray[np.float64]:
    """The original's probability among the letters, from ``logprobs`` (…, slots) and its slot
    ``correct`` (…); NaN where the call has none. Raises ``InputError`` where a slot is none of
    them."""
    table = _logits(logprobs)
    chances = scipy.special.softmax(table, axis=-1)
    slots = _slots(correct, table)[..., None]
    return np.asarray(np.take_along_axis(chances, slots, axis=-1)[..., 0])


def _logits(logprobs: ArrayLike) -> NDArray[np.float64]:
    """By call and slot. A call in which no slot has a probability is a gap."""
    table = read_numbers(logprobs, "Log-probabilities", -math.inf, LARGEST, axes=None, gaps=True)
    if not table.ndim or not table.shape[-1]:
        raise InputError("Log-probabilities need an axis of slots.")
    impossible = (table == -math.inf).all(axis=-1, keepdims=True)
    return np.where(impossible, np.nan, np.maximum(table, -LARGEST))


def _slots(correct: ArrayLike, table: NDArray[np.float64]) -> NDArray[np.int64]:
    slots = read_numbers(correct, "Slots", 0, table.shape[-1] - 1, axes=None).astype(np.int64)
    if slots.shape != table.shape[:-1]:
        raise InputError("Each call needs the slot of its original.")
    return slots


def slot_preference(logprobs: ArrayLike) -> NDArray[np.float64]:
    """The slots' prior probabilities, whatever their options, from ``logprobs`` (…, slots).

    Compute it from rotated quizzes, where every text is once in every slot, or from a modified
    quiz, which has no original (Zheng et al. 2024, "PriDe"). Rows with a NaN are left out; equal
    for all slots if no row is left.
    """
    table = _logits(logprobs)
    rows = table.reshape(-1, table.shape[-1])
    rows = rows[~np.isnan(rows).any(axis=1)]
    if len(rows) == 0:
        return np.full(table.shape[-1], 1 / table.shape[-1])
    return np.asarray(scipy.special.softmax(scipy.special.log_softmax(rows, axis=1).mean(axis=0)))


def soft_score(
    logprobs: ArrayLike,
    correct: ArrayLike,
    preference: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
) -> SoftScore:
    """Soft scores from ``logprobs`` (instances, calls, slots) and ``correct`` (instances, calls).

    ``correct`` is the slot of the original. ``preference`` (slots,) defaults to that of these
    calls, which is right only for a rotated quiz: with one fixed slot memory would look like
    preference, so pass the modified quiz's. Instances with a gap are left out. Raises
    ``InputError`` on other shapes.
    """
    check_confidence(confidence)
    table = _logits(logprobs)
    if table.ndim != 3 or not table.shape[1] or np.shape(correct) != table.shape[:2]:
        raise InputError(
            "Soft scores need log-probabilities by instance, call and slot, and the original's "
            "slot for each call."
        )
    slots = _slots(correct, table)
    prior = (
        slot_preference(table) if preference is None else read_numbers(preference, "Shares", 0, 1)
    )
    if prior.shape != table.shape[2:]:
        raise InputError("A preference needs a share for each slot.")
    plain = _limits(table, slots, confidence)
    debiased = _limits(table - np.log(np.maximum(prior, 1 / LARGEST)), slots, confidence)
    n = int((~np.isnan(table).any(axis=(1, 2))).sum())
    return SoftScore(n, *plain, *debiased)


def _limits(
    logits: NDArray[np.float64], slots: NDArray[np.int64], confidence: float
) -> tuple[float | None, float | None, float | None]:
    complete = ~np.isnan(logits).any(axis=(1, 2))
    shares = original_probability(logits[complete], slots[complete]).mean(axis=1)
    limits = wilson_over_instances(shares, confidence)
    if limits is None:
        return None, None, None
    return float(shares.mean()), limits.low, limits.high
