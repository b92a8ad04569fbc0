"""How well a score tells members from non-members."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, stats

from dcq.evidence.arguments import read_numbers
from dcq.evidence.interval import normal_quantile

_EDGE = 1e-9


@dataclass(frozen=True)
class Auroc:
    """The chance that a member scores higher than a non-member, ties counted half: 1 all do, 0.5
    the score tells nothing, below it members score lower; with limits, and the sizes of both
    groups."""

    value: float
    low: float
    high: float
    members: int
    non_members: int


def auroc(members: ArrayLike, others: ArrayLike, *, confidence: float = 0.95) -> Auroc | None:
    """The AUROC of the scores of both groups; NaN is left out, and the result is None where a group
    is empty.

    Limits are Newcombe's (2006, part 2, method 5), which exist at 0 and 1 as well.
    """
    member_scores, other_scores = (
        read_numbers(part, "Scores", -math.inf, math.inf, gaps=True) for part in (members, others)
    )
    member_scores, other_scores = (
        member_scores[~np.isnan(member_scores)],
        other_scores[~np.isnan(other_scores)],
    )
    if not len(member_scores) or not len(other_scores):
        return None
    ranks = stats.rankdata(np.concatenate([member_scores, other_scores]))
    above = (
        float(ranks[: len(member_scores)].sum()) - len(member_scores) * (len(member_scores) + 1) / 2
    )
    value = above / (len(member_scores) * len(other_scores))
    z = normal_quantile(confidence)

    def excess(truth: float) -> float:
        return (value - truth) ** 2 - z**2 * _variance(truth, len(member_scores), len(other_scores))

    # At 0 and 1 the value itself solves the equation; the limit is the other solution.
    low = float(optimize.brentq(excess, 0, min(value, 1 - _EDGE))) if value else 0.0
    high = float(optimize.brentq(excess, max(value, _EDGE), 1)) if value < 1 else 1.0
    return Auroc(value, low, high, len(member_scores), len(other_scores))


def _variance(truth: float, members: int, others: int) -> float:
    """Of the estimate where the truth is this, by Hanley and McNeil's exponential model with both
    numbers replaced by their mean (Newcombe)."""
    spare = (members + others) / 2 - 1
    inner = 1 + spare * (1 - truth) / (2 - truth) + spare * truth / (1 + truth)
    return truth * (1 - truth) * inner / (members * others)
