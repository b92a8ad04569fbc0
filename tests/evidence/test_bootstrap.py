import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dcq.errors import InputError
from dcq.evidence import bootstrap
from dcq.evidence.bootstrap import FEWEST, paired_bootstrap, resampled_means

pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=FEWEST, max_size=60)


@given(pairs)
@settings(max_examples=40)
def test_holds_the_difference_and_mirrors(case: list[tuple[bool, bool]]) -> None:
    first, second = [a for a, _ in case], [b for _, b in case]
    found, mirrored = paired_bootstrap(first, second), paired_bootstrap(second, first)
    assert found.difference is not None
    assert found.difference == pytest.approx(np.mean(second) - np.mean(first))
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= found.difference + 1e-9
    assert found.difference <= found.high + 1e-9 <= 1 + 1e-8
    assert mirrored.difference == pytest.approx(-found.difference)


@pytest.mark.parametrize("kind", ["answers", "soft scores"])
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_agrees_with_scipy(kind: str, confidence: float) -> None:
    rng = np.random.default_rng(3)
    first, second = rng.random(300), rng.random(300) ** 0.7
    if kind == "answers":
        first, second = (first < 0.3).astype(float), (second < 0.6).astype(float)
    gaps = second - first
    found = paired_bootstrap(first, second, confidence=confidence)
    peer = stats.bootstrap(
        (gaps,), np.mean, method="percentile", confidence_level=confidence, rng=rng
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((peer.low, peer.high), abs=0.008)
    assert found.n == 300


@pytest.mark.parametrize("n", [9, 500, 70_000])
def test_resamples_of_few_and_of_many_distinct_values_have_the_same_spread(n: int) -> None:
    rng = np.random.default_rng(4)
    few = rng.integers(0, 2, size=n).astype(np.float64)
    many = few + rng.random(n) * 1e-9
    spread, samples = few.std() / np.sqrt(n), 9_999 if n < 70_000 else 60
    for values in (few, many):
        means = resampled_means(values, samples, rng)
        assert len(means) == samples
        assert means.std() == pytest.approx(spread, rel=0.05 if n < 70_000 else 0.3)
        assert means.mean() == pytest.approx(few.mean(), abs=6 * spread / np.sqrt(samples))


@pytest.mark.parametrize("n", [9, 10, 15, 21])
def test_as_many_are_drawn_as_there_are(n: int) -> None:
    """One draw fewer would show: the spread of 9 draws for that of 8 is 6 % wider."""
    values = np.random.default_rng(5).normal(0, 1, n)
    means = bootstrap._means_of_pairs(values, 60_000, np.random.default_rng(6))
    spread = values.std() / np.sqrt(n)
    assert means.std() == pytest.approx(spread, rel=0.012)


def test_every_value_can_be_drawn() -> None:
    values = np.arange(100.0)
    drawn = resampled_means(values, 4_000, np.random.default_rng(0))
    assert drawn.mean() == pytest.approx(49.5, abs=0.2)
    single = resampled_means(values[:65] * 0 + np.arange(65.0), 50_000, np.random.default_rng(1))
    assert single.mean() == pytest.approx(32, abs=0.05)


def test_the_seed_decides() -> None:
    first, second = np.tile([0, 1, 0, 1, 1], 4), np.tile([1, 1, 0, 1, 0], 4)
    assert paired_bootstrap(first, second) == paired_bootstrap(first, second, seed=0)
    soft = np.random.default_rng(0).random((2, 90))
    assert paired_bootstrap(*soft) == paired_bootstrap(*soft, seed=0)
    assert paired_bootstrap(*soft).low != paired_bootstrap(*soft, seed=1).low
    assert paired_bootstrap(*soft, samples=10_000) == paired_bootstrap(*soft)
    assert paired_bootstrap(*soft, samples=500).low != paired_bootstrap(*soft).low


def test_below_ten_instances_there_are_no_limits() -> None:
    few = paired_bootstrap([0] * 9, [1] * 9)
    assert (few.n, few.difference, few.low, few.high) == (9, 1, None, None)
    ten = paired_bootstrap([0] * 10, [1] * 10)
    assert (ten.n, ten.difference, ten.low, ten.high) == (10, 1, 1, 1)


def test_edges() -> None:
    nothing = paired_bootstrap([], [])
    assert (nothing.n, nothing.difference, nothing.low, nothing.high) == (0, None, None, None)
    for shapes in (([1], [1, 2]), ([[1.0], [2.0]], [[1.0], [2.0]])):
        with pytest.raises(InputError, match="both hold"):
            paired_bootstrap(*shapes)
