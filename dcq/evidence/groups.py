"""Is a score the same in all groups of instances, such as labels or lengths?

Each group is compared with all the others together, and the p-values are corrected over the groups
that were tested (Holm). A group that is small keeps its interval and gets no test.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dcq.errors import InputError
from dcq.evidence.arguments import check_chance, read_numbers
from dcq.evidence.compare import Comparison, compare_unpaired
from dcq.evidence.family import holm
from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.evidence.rotated import complete_rows, rotated_kappa

FEWEST = 10  # complete instances on both sides of a test


@dataclass(frozen=True)
class GroupResult:
    """One group: κ of its complete instances, and the ``comparison`` of its score with that of all
    other groups, its own minus theirs (None where either side is smaller than ``FEWEST``).
    ``p_holm`` is corrected over the groups tested."""

    name: str
    kappa: Kappa
    comparison: Comparison | None
    p_holm: float | None


def compare_groups(
    table: ArrayLike, groups: Sequence[Hashable], *, chance: float = 0.25
) -> list[GroupResult]:
    """The groups in the order in which they first occur.

    ``table`` has shape (n, slots): 1 right, 0 wrong, NaN no answer; ``groups`` names the group of
    each of the n instances. One slot gives κ_fixed, several the κ of a rotated quiz. Raises
    InputError where the lengths differ, and for values that are no shares.
    """
    scores = read_numbers(table, "Answers", 0, 1, axes=None, gaps=True)
    check_chance(chance)
    if scores.ndim != 2 or not scores.shape[1] or len(scores) != len(groups):
        raise InputError("Each instance needs the name of its group.")
    names = list(dict.fromkeys(groups))
    member = {name: np.array([group == name for group in groups], dtype=bool) for name in names}
    tests = [_against_rest(scores[member[name]], scores[~member[name]]) for name in names]
    p_values = [test.p_value if test else None for test in tests]
    # Of two groups each is the other's rest: that is one test.
    corrected = tuple(p_values) if len(names) == 2 else holm(p_values)
    return [
        GroupResult(str(name), _kappa(scores[member[name]], chance), test, p)
        for name, test, p in zip(names, tests, corrected, strict=True)
    ]


def _against_rest(group_rows: np.ndarray, other_rows: np.ndarray) -> Comparison | None:
    if min(len(complete_rows(group_rows)), len(complete_rows(other_rows))) < FEWEST:
        return None
    return compare_unpaired(other_rows, group_rows)


def _kappa(group_rows: np.ndarray, chance: float) -> Kappa:
    if group_rows.shape[1] > 1:
        return rotated_kappa(group_rows, chance)
    answered = complete_rows(group_rows)
    return kappa_fixed(int(answered.sum()), len(answered), chance)
