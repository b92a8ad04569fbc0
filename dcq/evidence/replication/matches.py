"""Algorithm 2 of Time Travel in LLMs: is an instance completed exactly, or are two nearly so?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dcq.errors import InputError
from dcq.evidence.interval import Interval, wilson

EXACT_NEEDED, NEAR_EXACT_NEEDED = 1, 2  # either marks a partition (§3.2)


@dataclass(frozen=True)
class Matches:
    """Of ``n`` judged completions so many are ``exact`` and so many ``near_exact`` matches.

    ``rate`` is the share of both, with its Wilson ``interval``; None for n = 0.
    """

    n: int
    exact: int
    near_exact: int
    rate: float | None
    interval: Interval | None

    @property
    def contaminated(self) -> bool:
        """The paper's rule: one exact or two near-exact matches, of however many. It was chosen
        for ten instances, and with more of them chance alone reaches it more often."""
        return self.exact >= EXACT_NEEDED or self.near_exact >= NEAR_EXACT_NEEDED


@dataclass(frozen=True)
class FalseAlarms:
    """How many of the ``partitions`` that a model cannot have seen a rule calls contaminated, and
    the Wilson interval of that share; None without partitions."""

    partitions: int
    flagged: int
    interval: Interval | None


def count_matches(n: int, exact: int, near_exact: int) -> Matches:
    """Raises ``InputError`` on impossible counts."""
    if min(n, exact, near_exact) < 0 or exact + near_exact > n:
        raise InputError(
            f"{exact} exact and {near_exact} near-exact matches of {n} are impossible; count each "
            "completion once."
        )
    both = exact + near_exact
    return Matches(n, exact, near_exact, both / n if n else None, wilson(both, n))


def false_alarms(flags: Sequence[bool]) -> FalseAlarms:
    """From what a rule says of each control partition."""
    flagged = sum(flags)
    return FalseAlarms(len(flags), flagged, wilson(flagged, len(flags)))
