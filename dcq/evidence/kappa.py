"""How far above chance: κ with fixed chance, and Cohen's κ in general."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dcq.errors import InputError
from dcq.evidence.arguments import MOST, check_number, read_numbers
from dcq.evidence.chance import chance_p_value
from dcq.evidence.interval import Interval, wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Kappa:
    """One estimate; everything except the counts is None if n is 0.

    ``score`` and the κ values are fractions: κ 1 means always the original, 0 as often as chance,
    negative less often than chance. ``n`` counts instances, ``correct`` calls.
    """

    n: int
    correct: int
    score: float | None
    kappa_fixed: float | None
    kappa_low: float | None
    kappa_high: float | None
    p_value: float | None

    @property
    def contamination(self) -> float | None:
        """The paper's figure (Table 1): κ if it is positive, else 0."""
        return None if self.kappa_fixed is None else max(0.0, self.kappa_fixed)


def rescale(share: float, chance: float) -> float:
    """(share − chance)/(1 − chance): 1 at a share of 1, 0 at chance, negative below. Raises
    ``InputError`` for a chance of 1, above which nothing is."""
    _check_scale(share, "A share", chance)
    return (share - chance) / (1 - chance)


def unscale(kappa: float, chance: float) -> float:
    """The share that ``rescale`` turns into this ``kappa``."""
    _check_scale(kappa, "κ", chance)
    return chance + (1 - chance) * kappa


def _check_scale(value: float, name: str, chance: float) -> None:
    check_number(value, name, -MOST, MOST)
    check_number(chance, "The chance level", 0, 1, below=True)


def kappa_fixed(correct: int, n: int, chance: float = 0.25, *, confidence: float = 0.95) -> Kappa:
    """κ with fixed chance for ``correct`` of ``n`` (Data Contamination Quiz, §3.3), signed.

    The interval is Wilson's on the score, rescaled; the p-value is the exact one-sided
    binomial against chance. Raises ``InputError`` on impossible counts or chance levels.
    """
    p_value = chance_p_value(correct, n, chance)
    limits = wilson(correct, n, confidence)
    score = correct / n if n else None
    return from_parts(n, correct, score, limits, p_value, chance)


def from_parts(
    n: int,
    correct: int,
    score: float | None,
    limits: Interval | None,
    p_value: float | None,
    chance: float,
) -> Kappa:
    """Put a score and its interval on the κ scale; no score or no interval gives no κ."""
    if score is None or limits is None:
        return Kappa(n, correct, None, None, None, None, None)
    return Kappa(
        n=n,
        correct=correct,
        score=score,
        kappa_fixed=rescale(score, chance),
        kappa_low=rescale(limits.low, chance),
        kappa_high=rescale(limits.high, chance),
        p_value=p_value,
    )


def cohen(answers: Sequence[Hashable], truth: Sequence[Hashable]) -> float | None:
    """Cohen's κ (1960) between the ``answers`` and the ``truth``, both of length n.

    (p_o − p_e)/(1 − p_e) with p_e from both marginals: 1 is full agreement, 0 what the marginals
    give by themselves. None for n = 0, and where p_e is 1 (both always say the same one thing).
    Raises ``InputError`` where the lengths differ.
    """
    if len(answers) != len(truth):
        raise InputError(
            f"There are {len(answers)} answers for {len(truth)} questions; give one for each."
        )
    if not answers:
        return None
    import numpy as np  # here, because single counts need none of it

    codes = {value: code for code, value in enumerate(dict.fromkeys([*answers, *truth]))}
    table = np.zeros((len(codes), len(codes)), dtype=np.int64)
    places = ([codes[value] for value in answers], [codes[value] for value in truth])
    np.add.at(table, places, 1)
    kappa = float(cohen_of(table))
    return None if math.isnan(kappa) else kappa


def cohen_of(tables: NDArray[np.int64]) -> NDArray[np.float64]:
    """Cohen's κ of tables of counts, shape (…, labels, labels): how often each label met each. NaN
    where ``cohen`` gives none. Raises ``InputError`` for other tables."""
    import numpy as np

    counts = read_numbers(tables, "Counts", 0, 2**31, axes=None)
    if counts.ndim < 2 or counts.shape[-1] != counts.shape[-2]:
        raise InputError("Cohen's κ needs a table with a row and a column for each label.")
    check_number(float(counts.sum(axis=(-2, -1)).max(initial=0)), "A table's total", 0, 2**31)
    n = tables.sum(axis=(-2, -1))
    same = np.trace(tables, axis1=-2, axis2=-1)
    # Times n², in whole numbers: exactly n² where both always say the same one thing.
    by_chance = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1)
    above, most = np.asarray(n * same - by_chance), np.asarray(n * n - by_chance)
    kappa = np.divide(above, most, out=np.full(most.shape, np.nan), where=most > 0)
    return np.asarray(kappa, dtype=np.float64)
