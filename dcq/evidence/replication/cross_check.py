"""Two methods on the same instances: does one find those that the other finds?"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from dcq.evidence.association import associate


@dataclass(frozen=True)
class CrossCheck:
    """``n`` instances by quiz (right, wrong) and replication (match, none).

    ``difference`` is the share right among matches minus that among the rest: negative where the
    quiz finds fewer of the replicated instances than of the others. It, the odds ratio and the
    p-value are those of ``dcq.evidence.association``.
    """

    n: int
    match_right: int
    match_wrong: int
    other_right: int
    other_wrong: int
    difference: float | None
    low: float | None
    high: float | None
    odds_ratio: float | None
    odds_low: float | None
    odds_high: float | None
    p_value: float | None


def cross_check(right: ArrayLike, match: ArrayLike, *, confidence: float = 0.95) -> CrossCheck:
    """Compare both, of shape (n,), 1 yes, 0 no, NaN not known; instances with both values count.
    Raises ``InputError`` where the lengths differ."""
    association = associate(right, match, confidence=confidence)
    return CrossCheck(
        n=association.n,
        match_right=association.both,
        match_wrong=association.second_only,
        other_right=association.first_only,
        other_wrong=association.neither,
        difference=association.difference,
        low=association.low,
        high=association.high,
        odds_ratio=association.odds_ratio,
        odds_low=association.odds_low,
        odds_high=association.odds_high,
        p_value=association.p_value,
    )
