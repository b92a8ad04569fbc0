"""Combined p-values beside independent implementations, at extremes, and under dependence."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]  # it ships no types

from dcq.errors import InputError
from dcq.evidence.combine import cauchy, harmonic_factor, harmonic_mean, weighted_holm

EVEN = (0.25,) * 4
P = st.floats(1e-12, 1.0)


@given(st.lists(P, min_size=4, max_size=4))
def test_even_weights_are_holms_first_step(ps: list[float]) -> None:
    assert weighted_holm(ps, EVEN) == pytest.approx(min(multipletests(ps, method="holm")[1]))


def test_nothing_that_votes_is_no_evidence() -> None:
    assert weighted_holm([None] * 4, EVEN) == 1.0


@given(st.lists(P, min_size=4, max_size=4))
def test_cauchy_is_the_tail_of_scipys_distribution(ps: list[float]) -> None:
    total = sum(w * stats.cauchy.isf(p) for p, w in zip(ps, EVEN, strict=True))
    assert cauchy(ps, EVEN) == pytest.approx(stats.cauchy.sf(total), rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("count", [3, 4, 10, 100])
def test_the_factor_is_that_of_vovk_and_wang(count: int) -> None:
    """Their closed form: y² = K((y + 1) log(y + 1) − y), factor (y + K)²/((y + 1) K)."""

    def equation(y: float) -> float:
        return y**2 - count * ((y + 1) * math.log(y + 1) - y)

    y = scipy.optimize.brentq(equation, 1e-6, 1e7)
    assert harmonic_factor(count) == pytest.approx((y + count) ** 2 / ((y + 1) * count), rel=1e-5)
    assert harmonic_factor(count) < math.e * math.log(count)  # their simpler bound


def test_two_are_multiplied_by_two_and_one_by_none() -> None:
    assert harmonic_factor(2) == 2.0
    assert harmonic_mean([0.03, 0.06], (0.5, 0.5)) == pytest.approx(2 * stats.hmean([0.03, 0.06]))
    for combine in (weighted_holm, harmonic_mean, cauchy):
        assert combine([0.031], (1.0,)) == pytest.approx(0.031)


def test_what_is_not_there_counts_as_1_and_gives_its_weight_to_no_other() -> None:
    assert weighted_holm([0.01, None], (0.5, 0.5)) == pytest.approx(0.02)
    assert weighted_holm([0.01, 1.0], (0.5, 0.5)) == weighted_holm([0.01], (0.5,))
    assert harmonic_mean([0.01, None], (0.5, 0.5)) == harmonic_mean([0.01, 1.0], (0.5, 0.5))
    assert harmonic_mean([0.01], (0.5,)) == harmonic_mean([0.01, 1.0], (0.5, 0.5))


@pytest.mark.parametrize("combine", [weighted_holm, harmonic_mean, cauchy])
def test_at_the_ends(combine: object) -> None:
    assert callable(combine)
    assert combine([0.0, 1.0], (0.5, 0.5)) == pytest.approx(0.0, abs=1e-9)
    assert combine([1e-300, 0.5], (0.5, 0.5)) == pytest.approx(0.0, abs=1e-9)
    assert combine([1.0, 1.0], (0.5, 0.5)) == pytest.approx(1.0)
    assert combine([0.2, 0.9], (0.0, 1.0)) == combine([0.9], (1.0,))
    with pytest.raises(InputError, match="at most 1"):
        combine([0.1, 0.1], (0.7, 0.7))
    with pytest.raises(InputError, match="not be negative"):
        combine([0.1, 0.1], (-0.1, 0.7))
    with pytest.raises(InputError, match="give each p-value one"):
        combine([0.1], (0.5, 0.5))


@pytest.mark.parametrize("weights", [(1 / 3,) * 3, (0.7, 0.2, 0.1)])
def test_the_worst_dependence_is_held(weights: tuple[float, ...]) -> None:
    """One p-value is small while the others are not: Holm's rule spends all of its 5 %, the Cauchy
    combination more."""
    rng = np.random.default_rng(0)
    alpha, repeats = 0.05, 20_000
    shares = np.cumsum([0.0, *(alpha * w for w in weights)])
    called = {weighted_holm: 0, harmonic_mean: 0}
    for lot in rng.random(repeats):
        # Each p is uniform; those that are small lie where no other is.
        ps = [float((lot - start) % 1.0) for start in shares[:-1]]
        for combine in called:
            called[combine] += combine(ps, weights) <= alpha
    error = 3 * math.sqrt(alpha * (1 - alpha) / repeats)
    assert called[weighted_holm] / repeats == pytest.approx(alpha, abs=error)
    assert called[harmonic_mean] / repeats <= alpha + error


@given(st.lists(P, min_size=3, max_size=3), st.floats(0.01, 0.99))
def test_a_smaller_p_never_makes_more_of_all(ps: list[float], factor: float) -> None:
    smaller = [ps[0] * factor, *ps[1:]]
    for combine in (weighted_holm, harmonic_mean, cauchy):
        assert combine(smaller, (0.5, 0.3, 0.2)) <= combine(ps, (0.5, 0.3, 0.2)) + 1e-12
