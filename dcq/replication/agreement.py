"""Do two people call the same completions exact, near-exact and inexact?"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dcq.errors import InputError
from dcq.evidence.interval import Interval, wilson
from dcq.replication.judge import Match


@dataclass(frozen=True)
class Agreement:
    """Over the ``n`` completions that both labelled.

    ``share`` is how many have the same label, with its Wilson ``interval``. ``kappa`` is Cohen's κ,
    ``alpha`` Krippendorff's α for names: 1 full agreement, 0 what chance gives, negative less than
    that. Both are None where all labels are the same one, and all are None for n = 0.
    """

    n: int
    same: int
    share: float | None
    interval: Interval | None
    kappa: float | None
    alpha: float | None


def agree(first: Sequence[Match | None], second: Sequence[Match | None]) -> Agreement:
    """``first`` and ``second`` label the same completions, None where one gave no label.

    Raises ``InputError`` where the lengths differ.
    """
    if len(first) != len(second):
        raise InputError("The two annotators labelled different completions; match them first.")
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    n, same = len(pairs), sum(a is b for a, b in pairs)
    if not n:
        return Agreement(0, 0, None, None, None, None)
    counts = [Counter(pair[side] for pair in pairs) for side in (0, 1)]
    by_chance = sum(counts[0][label] * counts[1][label] for label in Match) / n**2
    kappa = None if by_chance == 1 else (same / n - by_chance) / (1 - by_chance)
    return Agreement(n, same, same / n, wilson(same, n), kappa, _alpha(pairs))


def both(first: Match | None, second: Match | None) -> Match | None:
    """What two labels have in common: exact if both say so, near-exact if both say at least that,
    else inexact; None without both."""
    if first is None or second is None:
        return None
    order = [Match.INEXACT, Match.NEAR_EXACT, Match.EXACT]
    return min((first, second), key=order.index)


def _alpha(pairs: Sequence[tuple[Match, Match]]) -> float | None:
    import krippendorff  # here, because most who read labels do not need it

    order = list(Match)
    table = [[order.index(pair[side]) for pair in pairs] for side in (0, 1)]
    if len({label for row in table for label in row}) == 1:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = float(
            krippendorff.alpha(
                reliability_data=table,
                level_of_measurement="nominal",
                value_domain=list(range(len(order))),
            )
        )
    return None if math.isnan(found) else found
