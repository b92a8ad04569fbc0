import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dcq.errors import InputError
from dcq.evidence.bootstrap import paired_bootstrap, resampled_means

pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


@given(pairs)
@settings(max_examples=40)
def test_holds_the_difference_and_mirrors(case: list[tuple[bool, bool]]) -> None:
    first, second = [a for a, _ in case], [b for _, b in case]
    found, mirrored = paired_bootstrap(first, second), paired_bootstrap(second, first)
    assert found.difference is not None
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= found.difference + 1e-9
    assert found.difference <= found.high + 1e-9 <= 1 + 1e-8
    assert mirrored.difference == pytest.approx(-found.difference)


@pytest.mark.parametrize("kind", ["answers", "soft scores"])
def test_agrees_with_scipy(kind: str) -> None:
    rng = np.random.default_rng(3)
    first, second = rng.random(300), rng.random(300) ** 0.7
    if kind == "answers":
        first, second = (first < 0.3).astype(float), (second < 0.6).astype(float)
    gaps = second - first
    found = paired_bootstrap(first, second)
    peer = stats.bootstrap((gaps,), np.mean, method="percentile", rng=rng).confidence_interval
    assert (found.low, found.high) == pytest.approx((peer.low, peer.high), abs=0.01)


def test_resamples_of_few_and_of_many_distinct_values_have_the_same_spread() -> None:
    rng = np.random.default_rng(4)
    few = rng.integers(0, 2, size=500).astype(np.float64)
    many = few + rng.random(500) * 1e-9
    spread = few.std() / np.sqrt(500)
    for values in (few, many):
        means = resampled_means(values, 9_999, rng)
        assert len(means) == 9_999
        assert means.std() == pytest.approx(spread, rel=0.05)


def test_the_seed_decides() -> None:
    first, second = [0, 1, 0, 1, 1], [1, 1, 0, 1, 0]
    assert paired_bootstrap(first, second) == paired_bootstrap(first, second)


def test_edges() -> None:
    assert paired_bootstrap([], []).low is None
    one = paired_bootstrap([0], [1])
    assert (one.difference, one.low, one.high) == (1, 1, 1)
    with pytest.raises(InputError, match="both hold"):
        paired_bootstrap([1], [1, 2])
