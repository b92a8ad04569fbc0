import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]  # it ships no types

from dcq.errors import InputError
from dcq.evidence.interval import (
    LEAST_SQUARES,
    effective_size,
    mean_interval,
    normal_quantile,
    score_interval,
    variance_of_mean,
    wilson,
    wilson_over_instances,
)

counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
quarters = st.lists(st.integers(0, 4), min_size=2, max_size=80).map(
    lambda hits: np.array(hits, dtype=np.float64) / 4
)


@given(counts, st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_wilson_agrees_with_statsmodels(case: tuple[int, int], confidence: float) -> None:
    expected = proportion_confint(*case, alpha=1 - confidence, method="wilson")
    assert wilson(*case, confidence) == pytest.approx(expected, abs=1e-12)


@given(counts)
def test_wilson_holds_the_share_and_mirrors(case: tuple[int, int]) -> None:
    correct, n = case
    found, mirrored = wilson(correct, n), wilson(n - correct, n)
    assert found is not None
    assert mirrored is not None
    assert 0 <= found.low <= correct / n <= found.high <= 1
    assert found.low < found.high
    assert mirrored == pytest.approx((1 - found.high, 1 - found.low), abs=1e-12)


@given(counts)
def test_one_more_right_answer_raises_both_limits(case: tuple[int, int]) -> None:
    correct, n = case
    if correct == n:
        return
    less, more = wilson(correct, n), wilson(correct + 1, n)
    assert less is not None
    assert more is not None
    assert more.low > less.low
    assert more.high >= less.high


def test_none_and_all_end_exactly_at_the_ends() -> None:
    assert [wilson(0, n).low for n in range(1, 200)] == [0.0] * 199  # type: ignore[union-attr]  # n > 0
    assert [wilson(n, n).high for n in range(1, 200)] == [1.0] * 199  # type: ignore[union-attr]  # n > 0


@given(st.floats(0.01, 0.99), st.floats(1.5, 900))
def test_sizes_between_whole_numbers_solve_wilsons_equation(share: float, n: float) -> None:
    found = score_interval(share, n, 0.9)
    for limit in found:
        error = math.sqrt(limit * (1 - limit) / n)
        assert abs(limit - share) == pytest.approx(stats.norm.ppf(0.95) * error, rel=1e-6)


def test_no_answer_has_no_interval() -> None:
    assert wilson(0, 0) is None
    assert wilson_over_instances(np.array([])) is None
    assert mean_interval(np.array([])) is None
    assert mean_interval(np.array([0.4])) is None


@pytest.mark.parametrize(("correct", "n"), [(5, 3), (-1, 3), (0, -1)])
def test_impossible_counts_are_refused(correct: int, n: int) -> None:
    with pytest.raises(InputError, match="give"):
        wilson(correct, n)


@given(quarters)
def test_the_effective_size_is_at_least_that_of_yes_or_no_answers(shares: np.ndarray) -> None:
    assert effective_size(shares) >= len(shares)
    assert effective_size(shares) == pytest.approx(effective_size(1 - shares))


def test_the_effective_size_of_nothing_of_one_and_of_equals() -> None:
    assert effective_size(np.array([])) == 0
    assert effective_size(np.array([0.25])) == 1
    assert effective_size(np.ones(9)) == 9
    assert effective_size(np.zeros(9)) == 9
    assert effective_size(np.array([0.0, 1.0])) == 2


def test_the_effective_size_pays_for_few_degrees_of_freedom() -> None:
    shares = np.array([0.45, 0.55] * 5)
    variance = (10 * 0.05**2 + LEAST_SQUARES) / 9 / 10
    # The quantile of t with nine degrees of freedom is 2.262157.
    assert effective_size(shares) == pytest.approx(0.25 / variance * (1.959964 / 2.262157) ** 2)


def test_intervals_hold_95_percent_by_default() -> None:
    assert score_interval(0.3, 40) == score_interval(0.3, 40, 0.95)


def test_the_effective_size_gives_the_mean_its_own_standard_error() -> None:
    shares = np.random.default_rng(0).binomial(4, 0.4, size=200) / 4
    size = effective_size(shares, 0.9)
    error = stats.sem(shares) * stats.t.ppf(0.95, 199) / stats.norm.ppf(0.95)
    assert math.sqrt(shares.mean() * (1 - shares.mean()) / size) == pytest.approx(error, rel=5e-3)
    assert 600 < effective_size(shares) < 1000


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_one_call_an_instance_is_plain_wilson(right: list[bool]) -> None:
    found = wilson_over_instances(np.array(right, dtype=np.float64), 0.9)
    assert found == pytest.approx(wilson(sum(right), len(right), 0.9))


def test_calls_that_agree_count_once() -> None:
    right = np.random.default_rng(0).random(200) < 0.4
    assert effective_size(np.repeat(right, 4).reshape(200, 4).mean(axis=1)) == 200


def differing(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.asarray(rng.binomial(4, rng.beta(2, 3, size=n)) / 4)  # mean 0.4


def preferring(rng: np.random.Generator, n: int) -> np.ndarray:
    """Six calls in ten at A, whatever is there."""
    chosen = rng.choice(4, p=[0.6, 0.2, 0.15, 0.05], size=(n, 4))
    return np.asarray((chosen == np.arange(4)).mean(axis=1))


def preferring_and_seen(rng: np.random.Generator, n: int) -> np.ndarray:
    """Eight calls in ten at A, but a fifth of the instances known: mean 0.4."""
    chosen = rng.choice(4, p=[0.8, 0.1, 0.06, 0.04], size=(n, 4))
    shares = (chosen == np.arange(4)).mean(axis=1)
    return np.where(rng.random(n) < 0.2, 1.0, shares)


@pytest.mark.parametrize(
    ("drawn", "truth"), [(differing, 0.4), (preferring, 0.25), (preferring_and_seen, 0.4)]
)
@pytest.mark.parametrize("n", [20, 60])
def test_the_interval_over_instances_covers_the_truth(drawn, truth: float, n: int) -> None:  # type: ignore[no-untyped-def]  # any of the three
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(1500):
        found = wilson_over_instances(drawn(rng, n))
        assert found is not None
        hits += found.low <= truth <= found.high
    assert 0.938 <= hits / 1500 <= 0.985  # scatters by .006


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40), st.sampled_from([0.8, 0.95]))
def test_the_interval_of_a_mean_is_students(values: list[float], confidence: float) -> None:
    found, n = mean_interval(np.array(values), confidence), len(values)
    variance = (np.var(values, ddof=1) * (n - 1) + LEAST_SQUARES) / (n - 1)
    expected = stats.t.interval(confidence, n - 1, np.mean(values), math.sqrt(variance / n))
    assert found == pytest.approx(expected)


def test_values_that_are_all_alike_leave_a_width() -> None:
    assert variance_of_mean(np.full(5, 0.3)) == pytest.approx(0.1 / 4 / 5)
    assert variance_of_mean(np.array([-1.0, 1.0])) == pytest.approx((2 + 0.1) / 2)


def test_the_normal_quantile() -> None:
    assert normal_quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert normal_quantile(0.8) == pytest.approx(stats.norm.ppf(0.9))
