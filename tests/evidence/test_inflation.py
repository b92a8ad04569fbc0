import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dcq.errors import InputError
from dcq.evidence.inflation import (
    Drop,
    alike,
    inflation_above,
    level_of,
    near_guessing,
    paired_drop,
    within_model,
    without_each,
)

RNG = np.random.default_rng(5)
TARGET = RNG.integers(-1, 2, 60).astype(float)
CLEAN = RNG.integers(-1, 2, (60, 5)).astype(float)


def test_a_drop_of_right_and_wrong_answers_is_mcnemars() -> None:
    before = np.array([1] * 50 + [0] * 50)
    after = np.array([1] * 38 + [0] * 12 + [1] * 3 + [0] * 47)
    one = paired_drop(before, after)
    assert (one.n, one.original, one.reworded) == (100, 0.5, 0.41)
    assert one.drop == pytest.approx(0.09)
    assert one.p_value == pytest.approx(stats.binomtest(12, 15, 0.5).pvalue)
    assert one.low is not None
    assert one.high is not None
    assert one.low < 0.09 < one.high


def test_a_drop_of_fractions_is_students() -> None:
    before, after = RNG.random(40), RNG.random(40)
    one = paired_drop(before, after)
    assert one.p_value == pytest.approx(stats.ttest_rel(before, after).pvalue, rel=0.05)


def test_a_drop_of_nothing_and_of_one_instance() -> None:
    assert paired_drop([], []) == Drop(0, None, None, None, None, None, None)
    assert paired_drop([0.5], [0.25]).p_value is None


@pytest.mark.parametrize("answers", [([1.0], [1.0, 0.0]), ([2.0], [1.0]), ([[1.0]], [[1.0]])])
def test_answers_that_are_none_are_refused(answers: tuple[list[float], list[float]]) -> None:
    with pytest.raises(InputError):
        paired_drop(*answers)


def test_the_limits_are_those_of_a_new_model_where_drops_differ() -> None:
    """Where models' drops differ by far more than instances explain, it is the prediction interval
    of a t test of one value against five."""
    shares = np.array([0.0, 0.1, 0.3, 0.2, 0.4])
    clean = np.tile(shares, (4000, 1)) + RNG.normal(0, 0.01, (4000, 5))
    one = inflation_above(np.full(4000, 0.9), clean)
    assert one is not None
    drops = clean.mean(axis=0)
    margin = stats.t.ppf(0.975, 4) * drops.std(ddof=1) * np.sqrt(1 + 1 / 5)
    assert one.inflation == pytest.approx(0.7, abs=1e-3)
    assert one.high - one.inflation == pytest.approx(margin, rel=0.01)
    assert one.spread == pytest.approx(drops.std(ddof=1), rel=0.01)


def test_what_is_hard_for_all_cancels() -> None:
    shared = RNG.normal(0, 3, (60, 1))
    one = inflation_above(TARGET + shared[:, 0], CLEAN + shared)
    other = inflation_above(TARGET, CLEAN)
    assert one is not None
    assert other is not None
    assert one.inflation == pytest.approx(other.inflation)
    assert (one.low, one.p_value) == pytest.approx((other.low, other.p_value))
    assert one.expected == pytest.approx(other.expected + shared.mean())


def test_alike_drops_leave_the_sampling_error_alone() -> None:
    """Below the noise of instances no spread is claimed, and no limit is narrower than noise."""
    clean = np.tile(RNG.permuted([1.0, -1.0] * 30)[:, None], (1, 4))
    one = inflation_above(TARGET, clean)
    assert one is not None
    assert one.spread == 0
    error = (TARGET - clean[:, 0]).std(ddof=1) / np.sqrt(60)
    assert one.high - one.inflation == pytest.approx(stats.t.ppf(0.975, 3) * error, rel=0.01)


def test_too_few_say_nothing() -> None:
    assert inflation_above(TARGET, CLEAN[:, :2]) is None
    assert inflation_above(TARGET[:29], CLEAN[:29]) is None
    assert without_each(TARGET, CLEAN[:, :3]) == [None] * 3
    with pytest.raises(InputError):
        inflation_above(TARGET, CLEAN[:59])


def test_leaving_one_out_is_the_same_without_it() -> None:
    left = without_each(TARGET, CLEAN)
    assert left[1] == inflation_above(TARGET, CLEAN[:, [0, 2, 3, 4]])


@given(st.integers(0, 2**32 - 1))
def test_the_limits_and_p_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = inflation_above(rng.integers(-1, 2, 40), rng.integers(-1, 2, (40, 4)))
    assert one is not None
    assert one.low <= one.inflation <= one.high
    assert (one.p_value < 0.025) == (one.low > 0)
    assert one.smallest > 0


def test_levels() -> None:
    assert level_of(Drop(2, 0.8, 0.6, 0.2, None, None, None)) == pytest.approx(0.7)
    assert near_guessing(0.39, 0.25)
    assert not near_guessing(0.41, 0.25)
    assert alike(0.5, 0.69)
    assert not alike(0.5, 0.71)
    with pytest.raises(InputError):
        level_of(paired_drop([], []))


def test_the_comparison_within_a_model() -> None:
    seen = np.arange(200) % 2 == 0
    level = np.repeat(np.linspace(0, 1, 20), 10)
    gaps = np.where(seen, 1.0, 0.0)
    one = within_model(gaps, np.zeros((200, 3)), seen, level)
    assert (one.n_seen, one.n_rest, one.drop_seen, one.drop_rest) == (100, 100, 1, 0)
    assert one.difference == pytest.approx(1)
    assert one.p_value == pytest.approx(1 / 4001)


def test_what_clean_models_lose_on_the_same_instances_is_taken_off() -> None:
    seen = np.arange(200) % 2 == 0
    gaps = np.where(seen, 1.0, 0.0)
    one = within_model(gaps, np.tile(gaps[:, None], (1, 3)), seen, np.zeros(200))
    assert one.difference == 0
    assert one.p_value == 1


def test_permutations_agree_with_scipys() -> None:
    rng = np.random.default_rng(1)
    gaps, seen = rng.normal(0, 1, 60), np.arange(60) < 25
    gaps[seen] += 0.5
    one = within_model(gaps, np.zeros((60, 3)), seen, np.zeros(60), draws=20_000)
    other = stats.permutation_test(
        (gaps[seen], gaps[~seen]),
        lambda x, y: x.mean() - y.mean(),
        alternative="greater",
        n_resamples=5_000,
        rng=rng,
    )
    assert one.p_value == pytest.approx(other.pvalue, abs=0.01)


def test_nothing_to_compare_within() -> None:
    nobody = within_model(TARGET, CLEAN, np.zeros(60, bool), np.zeros(60))
    assert nobody.drop_seen is None
    assert nobody.drop_rest == pytest.approx(TARGET.mean())
    assert nobody.difference is None
    apart = within_model(TARGET, CLEAN, np.arange(60) < 30, (np.arange(60) < 30).astype(float))
    assert apart.difference is None
    with pytest.raises(InputError):
        within_model(TARGET, CLEAN, np.zeros(59, bool), np.zeros(60))


def test_the_smallest_inflation_is_called_in_four_of_five_cases() -> None:
    one = inflation_above(TARGET, CLEAN)
    assert one is not None
    error = (one.high - one.inflation) / stats.t.ppf(0.975, 4)
    quantiles = stats.t.ppf(0.95, 4) + stats.t.ppf(0.8, 4)
    assert one.smallest == pytest.approx(quantiles * error)


def test_strata_weigh_as_mantel_and_haenszels() -> None:
    """Two strata, of 2 and 4, and of 3 and 3, written out."""
    rng = np.random.default_rng(8)
    gaps = rng.normal(0, 1, 12)
    seen = np.isin(np.arange(12), [0, 1, 6, 7, 8])
    level = np.repeat([0.2, 0.7], 6)
    one = within_model(gaps, np.zeros((12, 3)), seen, level)
    weights, differences, variances = [], [], []
    for part in (slice(0, 6), slice(6, 12)):
        a, b = gaps[part][seen[part]], gaps[part][~seen[part]]
        weights.append(1 / (1 / len(a) + 1 / len(b)))
        differences.append(a.mean() - b.mean())
        pooled = (((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum() + 0.1) / 4
        variances.append(pooled * (1 / len(a) + 1 / len(b)))
    share = np.array(weights) / sum(weights)
    assert one.difference == pytest.approx(share @ differences)
    assert one.high is not None
    error = (one.high - share @ differences) / stats.norm.ppf(0.975)
    assert error == pytest.approx(np.sqrt(share**2 @ variances))


def test_a_skewed_permutation_is_that_of_all_arrangements() -> None:
    gaps = np.array([5.0, 0, 0, 0, 0, 0, 0, 1])
    seen = np.arange(8) < 2
    one = within_model(gaps, np.zeros((8, 3)), seen, np.zeros(8), draws=20_000)
    sums = [gaps[list(pair)].sum() for pair in itertools.combinations(range(8), 2)]
    assert one.p_value == pytest.approx(np.mean(np.array(sums) >= 5), abs=0.01)
    low = within_model(-gaps, np.zeros((8, 3)), seen, np.zeros(8), draws=20_000)
    assert low.p_value == pytest.approx(np.mean(-np.array(sums) >= -5), abs=0.01)
