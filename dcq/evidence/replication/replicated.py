"""The replication of one partition by one model, as two measures; and Algorithm 2 of Time Travel in
LLMs.

The rules of the paper are shown and decide nothing: they do not compare with unseen text, and a
fluent model meets them on texts it cannot have seen, the more often the more instances there are.
Here both of their measures, the rate of matches and the gain by guidance, are compared with the
same model's on unseen partitions by the rule of ``dcq.evidence.controls``. Of the two p-values the
smaller one decides, doubled because there are two. Matches are counted, with a prior of their own
on how much unseen partitions differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dcq.errors import InputError
from dcq.evidence.interval import Interval, wilson
from dcq.evidence.record import GAIN, MATCHES, Measure
from dcq.evidence.replication.guidance import Guidance, compare_instructions
from dcq.evidence.share_prediction import MATCHES as MATCH_PRIOR


@dataclass(frozen=True, eq=False)
class Replicated:
    """The completions of one partition by one model; all arrays have shape (n,), NaN for a missing
    value. ``general`` and ``guided`` are overlap scores; ``exact`` and ``near_exact`` are 1 or 0,
    never both 1. ``unusable`` is the share of the instances that lack a completion or a
    judgement."""

    name: str
    general: NDArray[np.float64]
    guided: NDArray[np.float64]
    exact: NDArray[np.float64]
    near_exact: NDArray[np.float64]
    unusable: float = 0.0

    def __post_init__(self) -> None:
        if (
            len({len(part) for part in (self.general, self.guided, self.exact, self.near_exact)})
            > 1
        ):
            raise InputError(
                f"The scores and matches of {self.name} differ in number; give one of each an "
                "instance."
            )

    @property
    def gain(self) -> NDArray[np.float64]:
        """Guided minus general, (n, 1)."""
        return (self.guided - self.general)[:, None]

    @property
    def least_gain(self) -> NDArray[np.float64]:
        """``gain`` with missing completions counted against memory, (n, 1): a missing guided
        completion overlaps with nothing, and a missing general one leaves no gain."""
        guided, general = np.nan_to_num(self.guided), np.nan_to_num(self.general)
        gains = np.where(np.isnan(self.general), 0.0, guided - general)
        return np.asarray(gains[:, None])

    @property
    def match(self) -> NDArray[np.float64]:
        """1 for an exact or near-exact match, (n, 1)."""
        return (self.exact + self.near_exact)[:, None]

    @property
    def gains(self) -> NDArray[np.float64]:
        """``gain`` of the instances that have both scores, (m,)."""
        gain = self.gain[:, 0]
        return gain[np.isfinite(gain)]

    @cached_property
    def guidance(self) -> Guidance:
        """Algorithm 1."""
        return compare_instructions(self.general, self.guided)

    @cached_property
    def matches(self) -> Matches:
        """Algorithm 2."""
        judged = ~np.isnan(self.exact + self.near_exact)
        return count_matches(
            int(judged.sum()), int(self.exact[judged].sum()), int(self.near_exact[judged].sum())
        )

    @property
    def measures(self) -> tuple[Measure, Measure]:
        """The two measures that are compared with controls."""
        return (
            Measure(MATCHES, self.match, prior=MATCH_PRIOR),
            Measure(GAIN, self.gain, refused_as_wrong=self.least_gain, own_share=0.0),
        )


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
    """The matches with their rate. Raises ``InputError`` on impossible counts."""
    if min(n, exact, near_exact) < 0 or exact + near_exact > n:
        raise InputError(
            f"{exact} exact and {near_exact} near-exact matches of {n} are impossible; count each "
            "completion once."
        )
    matches = exact + near_exact
    return Matches(n, exact, near_exact, matches / n if n else None, wilson(matches, n))


def false_alarms(flags: Sequence[bool]) -> FalseAlarms:
    """The false alarms of a rule, from what it says of each control partition."""
    flagged = sum(flags)
    return FalseAlarms(len(flags), flagged, wilson(flagged, len(flags)))
