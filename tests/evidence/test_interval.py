import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]  # it ships no types

from dcq.errors import InputError
from dcq.evidence.interval import effective_size, wilson, wilson_over_instances

counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
quarters = st.lists(st.integers(0, 4), min_size=2, max_size=80).map(
    lambda hits: np.array(hits, dtype=np.float64) / 4
)


@given(counts)
def test_wilson_agrees_with_statsmodels(case: tuple[int, int]) -> None:
    found = wilson(*case)
    assert found is not None
    assert found == pytest.approx(proportion_confint(*case, method="wilson"), abs=1e-12)


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


def test_no_answer_has_no_interval() -> None:
    assert wilson(0, 0) is None
    assert wilson_over_instances(np.array([]), 4) is None


@pytest.mark.parametrize(("correct", "n"), [(5, 3), (-1, 3), (0, -1)])
def test_impossible_counts_are_refused(correct: int, n: int) -> None:
    with pytest.raises(InputError, match="give"):
        wilson(correct, n)


@given(quarters)
def test_effective_size_lies_between_instances_and_calls(shares: np.ndarray) -> None:
    size = effective_size(shares, 4)
    assert len(shares) <= size <= 4 * len(shares)


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_one_call_an_instance_is_plain_wilson(right: list[bool]) -> None:
    found = wilson_over_instances(np.array(right, dtype=np.float64), calls=1)
    assert found == pytest.approx(wilson(sum(right), len(right)))


def test_calls_that_agree_count_once_and_calls_that_differ_count_more() -> None:
    rng = np.random.default_rng(0)
    agree = np.repeat(rng.random(200) < 0.4, 4).reshape(200, 4).mean(axis=1)
    independent = (rng.random((200, 4)) < 0.4).mean(axis=1)
    assert effective_size(agree, 4) == 200
    assert 600 < effective_size(independent, 4) <= 800


def test_interval_over_instances_covers_the_truth() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(1000):
        own = rng.beta(2, 3, size=60)  # instances differ: mean 0.4
        shares = rng.binomial(4, own) / 4
        found = wilson_over_instances(shares, 4)
        assert found is not None
        hits += found.low <= 0.4 <= found.high
    assert 0.93 <= hits / 1000 <= 0.975
