"""The effect that a sample of a given size can detect, and the sample size that an effect needs.

Everything is exact for the one-sided binomial test of ``chance``.

The effect that a target of n instances can show against its controls, and the n it needs.

A target with κ is one whose instances are known with probability κ, and otherwise answered like
those of an unseen partition. The power is averaged over the scores that an unseen partition may
have: assuming the expected one would overstate it if partitions differ."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import scipy  # its parts are loaded where they are first used
from numpy.typing import NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import (
    MOST,
    check_chance,
    check_counts,
    check_level,
    check_number,
    read_numbers,
)
from dcq.evidence.chance import binomial_pmf
from dcq.evidence.prediction import Prediction
from dcq.evidence.root import find_root

ALPHA = 0.05
POWER = 0.8
ENOUGH_POWER = 0.2  # a sample that cannot find this κ does not allow "no evidence"
_MOST_PAIRED, _MOST_SEARCHED = 10**6, 10**7
SMALLEST_KAPPA = 0.005  # needs about 83,000 instances; below it the search would grow without use


def detectable_kappa(
    n: int, *, power: float = POWER, alpha: float = ALPHA, chance: float = 0.25
) -> float | None:
    """Smallest κ_fixed that ``n`` instances distinguish from chance with the given ``power``.

    None if even n right of n would not be significant, including n = 0. It falls with n, except for
    small steps back, since counts are whole.
    """
    check_counts(0, n, chance)
    _check_test(power, alpha)
    kappa = _detectable(np.array([n]), power, alpha, chance)[0]
    return None if math.isnan(kappa) else float(kappa)


def needed_n(
    kappa: float, *, power: float = POWER, alpha: float = ALPHA, chance: float = 0.25
) -> int:
    """Number of instances from which on a true κ of ``kappa`` is found with the given ``power``.

    Raises ``InputError`` unless 0.005 ≤ kappa ≤ 1.
    """
    check_chance(chance)
    _check_test(power, alpha)
    if not SMALLEST_KAPPA <= kappa <= 1:
        raise InputError(f"No sample size for κ = {kappa}; ask for one from {SMALLEST_KAPPA} to 1.")
    share = chance + kappa * (1 - chance)
    # Twice the normal approximation, and room for the steps of whole counts.
    spread = -scipy.special.ndtri(alpha) * math.sqrt(chance * (1 - chance)) + scipy.special.ndtri(
        power
    ) * math.sqrt(share * (1 - share))
    most = 2 * math.ceil((spread / (share - chance)) ** 2) + 100
    check_number(most, "The number of instances to search", 0, _MOST_SEARCHED)
    sizes = np.arange(1, most + 1)
    detectable = _detectable(sizes, power, alpha, chance)
    short = np.flatnonzero(~(detectable <= kappa))  # includes NaN, "cannot be found"
    return int(sizes[short[-1]]) + 1 if len(short) else 1


def detectable_gain(
    gained: int, lost: int, n: int, *, power: float = POWER, alpha: float = ALPHA
) -> float | None:
    """Smallest difference of two paired shares that ``n`` instances find by McNemar's exact test.

    Two-sided. The share of instances that change is taken from the observed ``gained`` and ``lost``
    ones, with half a change added, and is never less than the difference itself. None if even n
    gains would not be significant with that power. Raises ``InputError`` on impossible counts.
    """
    check_number(n, "The number of instances", 0, _MOST_PAIRED)
    check_number(gained, "The number of gained instances", 0, n)
    check_number(lost, "The number of lost instances", 0, n - gained)
    _check_test(power, alpha)
    if n == 0:
        return None
    seen = min(1.0, (gained + lost + 0.5) / n)
    changes = np.arange(n + 1)
    critical = critical_counts(changes, 0.5, alpha / 2)

    def found(gain: float) -> float:
        changed = max(seen, gain)
        # Of the critical count and more, which may be more than there are: then never.
        up = np.where(
            critical <= changes,
            scipy.special.bdtrc(
                np.minimum(critical, changes) - 1, changes, (1 + gain / changed) / 2
            ),
            0.0,
        )
        return float(binomial_pmf(n, changed) @ up)

    if found(1.0) < power:
        return None
    if found(0.0) >= power:  # asked for less power than chance has
        return 0.0
    return find_root(lambda gain: found(gain) - power, 0.0, 1.0)


def _check_test(power: float, alpha: float) -> None:
    check_level(power, "A power", "0.8")
    check_level(alpha)


def critical_counts(n: int | NDArray[np.int64], chance: float, alpha: float) -> NDArray[np.float64]:
    """The smallest count k with P(X ≥ k) ≤ ``alpha``, X ~ Binomial(n, chance), for each of ``n``;
    n + 1 where even n right are likelier. As ``scipy.stats.binom.isf``, of whose package each
    result needs nothing else, and which takes half a second to load."""
    check_chance(chance)
    check_level(alpha)
    read_numbers(n, "Numbers of answers", 0, MOST, axes=None)
    counts, most = np.asarray(n, dtype=np.int64), alpha * (1 + 1e-12)
    with np.errstate(invalid="ignore"):  # of no trials there is no quantile
        k = np.nan_to_num(np.ceil(scipy.special.bdtrik(1 - alpha, counts, chance)))
    k = np.where(scipy.special.bdtrc(k, counts, chance) <= most, k, k + 1)  # P(X > k)
    lower = np.maximum(k - 1, 0)
    return np.asarray(np.where(scipy.special.bdtrc(lower, counts, chance) <= most, lower, k)) + 1


def _detectable(
    sizes: NDArray[np.int64], power: float, alpha: float, chance: float
) -> NDArray[np.float64]:
    critical = critical_counts(sizes, chance, alpha)
    reachable = (critical <= sizes) & (sizes > 0)
    result = np.full(len(sizes), math.nan)
    k, n = critical[reachable], sizes[reachable]
    result[reachable] = (scipy.special.betaincinv(k, n - k + 1, power) - chance) / (1 - chance)
    return result


_ALMOST_ALL = 0.999  # κ of 1 leaves a score no variance to divide by
_MOST_N = 100_000  # instances; no sample is larger


def power(
    prediction: Prediction, kappa: float, n: float, *, own_share: float = 0.0, alpha: float = ALPHA
) -> float:
    """P(a target with ``kappa``, 0 to below 1, and ``n`` instances has a p-value of ``alpha``).

    With ``own_share`` (protocol v2) scores are shares minus the model's own choices of the slot
    without the original, and 0 stands for that share. Raises ``InputError`` on impossible numbers.
    """
    return prediction.share_above(prediction.critical(n, alpha), kappa, n, own_share)


# Targets with the same controls have the same prediction, and often the same size.
@lru_cache(maxsize=1024)
def minimum_kappa(prediction: Prediction, n: float, *, own_share: float = 0.0) -> float | None:
    """The smallest κ that ``n`` instances find with a power of 80 %; None where they find none."""
    critical = prediction.critical(n, ALPHA)

    def short(kappa: float) -> float:
        return prediction.share_above(critical, kappa, n, own_share) - POWER

    if short(_ALMOST_ALL) < 0:
        return None
    return find_root(short, 0.0, _ALMOST_ALL)


@lru_cache(maxsize=256)
def needed_instances(prediction: Prediction, *, own_share: float = 0.0) -> int | None:
    """Instances of the target that find κ = 0.2 with a power of 80 %, roughly where scores are
    counts, whose power rises in steps.

    None where no number does, because unseen partitions differ too much or are known too little,
    or only one above 100,000.
    """

    def short(log_n: float) -> float:
        n = math.exp(log_n)
        return power(prediction, ENOUGH_POWER, n, own_share=own_share) - POWER

    most = math.log(_MOST_N)
    if short(most) < 0:
        return None
    # A single instance never does: its own variance leaves a power of at most 0.69.
    return math.ceil(math.exp(find_root(short, 0.0, most)))
