"""Combines p-values of methods that read the same texts, with weights that were fixed beforehand.

Weights are not negative and sum to at most 1. What is missing to 1 belongs to p-values that are not
there: they count as 1, and their share of the error goes to no other. A p-value of None counts as
missing. Each combination raises ``InputError`` for other weights and impossible p-values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

from dcq.errors import InputError
from dcq.evidence.arguments import MOST, check_number

PValues = Sequence[float | None]
_ROUNDING = 1e-9
Combine = Callable[[PValues, Sequence[float]], float]


def weighted_holm(p_values: PValues, weights: Sequence[float]) -> float:
    """The smallest p divided by its weight: the first step of Holm's procedure with weights (Holm
    1979, section 4), which is valid however the p-values depend on each other."""
    ratios = [p / weight for p, weight in _given(p_values, weights)]
    return min(1.0, *ratios) if ratios else 1.0


def harmonic_mean(p_values: PValues, weights: Sequence[float]) -> float:
    """The weighted harmonic mean times ``harmonic_factor`` (Vovk and Wang 2020), valid however the
    p-values depend on each other."""
    _check(p_values, weights)
    pairs = zip(p_values, weights, strict=True)
    members = [(1.0 if p is None else p, weight) for p, weight in pairs if weight > 0]
    left = 1 - math.fsum(weights)
    if left > _ROUNDING:
        members.append((1.0, left))
    if any(p == 0.0 for p, _ in members):
        return 0.0
    total = math.fsum(weight / p for p, weight in members)
    return min(1.0, harmonic_factor(len(members)) / total)


def cauchy(p_values: PValues, weights: Sequence[float]) -> float:
    """The weighted Cauchy combination (Liu and Xie 2020), for comparison: it is exact for
    independent p-values and not valid under every dependence. A p-value that is not there counts as
    ½, which is no evidence either way."""
    total = math.fsum(w * _cotangent(p) for p, w in _given(p_values, weights))
    return 0.5 - math.atan(total) / math.pi


@lru_cache(maxsize=64)
def harmonic_factor(count: int) -> float:
    """The factor that makes a harmonic mean of so many p-values valid under any dependence.

    The limit for small p-values of the bound by which Vovk and Wang (2020, Proposition 6) find it:
    the least log(1 + (1 − Ks)/s)/(1 − Ks) over 0 < s < 1/K, which is 2 for K = 2. The bound adds up
    a cut-off 1/p of each p-value with its weight and so holds for any weights that sum to 1.
    """
    check_number(count, "The number of p-values", 0, MOST)
    if count <= 2:
        return float(max(count, 1))
    # Here, because it takes half a second, and answers by Holm need none.
    from scipy.optimize import minimize_scalar

    def bound(share: float) -> float:
        remainder = 1 - count * share
        return math.log1p(remainder / share) / remainder

    optimum = minimize_scalar(bound, bounds=(1e-12, (1 - 1e-9) / count), method="bounded")
    return float(optimum.fun)


def _given(p_values: PValues, weights: Sequence[float]) -> list[tuple[float, float]]:
    """Those that are there and have a weight, with it."""
    _check(p_values, weights)
    pairs = zip(p_values, weights, strict=True)
    return [(p, weight) for p, weight in pairs if p is not None and weight > 0]


def _check(p_values: PValues, weights: Sequence[float]) -> None:
    if len(p_values) != len(weights):
        raise InputError(
            f"There are {len(p_values)} p-values and {len(weights)} weights; give each p-value one."
        )
    if not all(0 <= weight <= 1 + _ROUNDING for weight in weights) or (
        math.fsum(weights) > 1 + _ROUNDING
    ):
        raise InputError("Weights must not be negative and sum to at most 1; give smaller ones.")
    for p in p_values:
        if p is not None:
            check_number(p, "A p-value", 0, 1 + _ROUNDING)


def _cotangent(p: float) -> float:
    """Of πp, kept finite."""
    return 1 / math.tan(math.pi * min(max(p, 1e-15), 1 - 1e-15))
