import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar  # type: ignore[import-untyped]  # it ships no types
from statsmodels.stats.proportion import confint_proportions_2indep  # type: ignore[import-untyped]  # it ships no types

from dcq.errors import InputError
from dcq.evidence.compare import compare_paired, compare_unpaired
from dcq.evidence.interval import LEAST_SQUARES, mean_interval

hits = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=9)


def rotated(right: list[int]) -> np.ndarray:
    """A row of four calls for each number of right ones."""
    return (np.arange(4) < np.array(right)[:, None]).astype(np.float64)


def one_slot(correct: int, n: int) -> np.ndarray:
    return (np.arange(n) < correct).astype(np.float64)[:, None]


@given(hits)
@settings(max_examples=40)
def test_signs_are_flipped_in_all_ways(rows: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in rows], [b for _, b in rows]
    gaps = [b - a for a, b in rows]
    flipped = [
        abs(sum(sign * gap for sign, gap in zip(signs, gaps, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(gaps))
    ]
    expected = np.mean([total >= abs(sum(gaps)) for total in flipped])
    found = compare_paired(rotated(first), rotated(second))
    assert found.p_value == pytest.approx(expected)
    assert compare_paired(rotated(second), rotated(first)).p_value == found.p_value
    assert found.difference == pytest.approx(sum(gaps) / 4 / len(gaps))
    assert (found.n_first, found.n_second, found.paired) == (len(rows), len(rows), True)


def test_many_flips_agree_with_scipys_permutations() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 4, 80), rng.integers(0, 5, 80)
    gaps = (second - first) / 4
    peer = stats.permutation_test(
        (gaps,), np.mean, permutation_type="samples", n_resamples=20_000, rng=rng
    )
    found = compare_paired(rotated(first.tolist()), rotated(second.tolist()))
    assert found.p_value == pytest.approx(peer.pvalue, abs=0.01)
    limits = mean_interval(gaps)
    assert limits is not None
    assert (found.low, found.high) == pytest.approx(limits)
    wide = compare_paired(rotated(first.tolist()), rotated(second.tolist()), confidence=0.99)
    assert (wide.low, wide.high) == pytest.approx(mean_interval(gaps, 0.99))


def test_tables_of_other_widths_are_compared_by_shares() -> None:
    first, second = rotated([1, 2, 4, 0, 3]), rotated([1, 2, 4, 0, 3])[:, :3]
    found = compare_paired(first, second)
    gaps = second.mean(axis=1) - first.mean(axis=1)
    sums = [abs(np.dot(signs, gaps)) for signs in itertools.product((-1, 1), repeat=5)]
    assert found.p_value == pytest.approx(np.mean(np.array(sums) >= abs(gaps.sum()) - 1e-12))
    assert found.method == "sign-flip test by instance"
    one_wide = compare_paired(one_slot(3, 5), second)
    assert one_wide.method == "sign-flip test by instance"


def test_paired_in_one_slot_is_mcnemars() -> None:
    first, second = one_slot(10, 40), one_slot(25, 40)
    second[:3] = 0
    found = compare_paired(first, second)
    assert found.p_value == pytest.approx(mcnemar([[7, 15], [3, 15]], exact=True).pvalue)
    assert found.difference == pytest.approx(12 / 40)
    assert found.method == "McNemar, exact"
    assert (found.n_first, found.n_second, found.paired) == (40, 40, True)
    assert found.low is not None
    assert found.high is not None
    narrow = compare_paired(first, second, confidence=0.5)
    assert narrow.low is not None
    assert found.low < narrow.low < 0.3 < found.high


def test_instances_with_a_gap_on_either_side_are_left_out() -> None:
    first, second = rotated([1, 2, 3, 4]), rotated([4, 3, 3, 1])
    first[0, 1], second[3, 0] = math.nan, math.nan
    assert compare_paired(first, second) == compare_paired(rotated([2, 3]), rotated([3, 3]))
    unpaired = compare_unpaired(first, second)
    assert (unpaired.n_first, unpaired.n_second, unpaired.paired) == (3, 3, False)


def test_paired_limits_stay_within_one() -> None:
    up = compare_paired(rotated([0, 0, 0, 1]), rotated([4, 4, 4, 4]), confidence=0.999)
    assert up.high == 1
    down = compare_paired(rotated([4, 4, 4, 4]), rotated([0, 0, 0, 1]), confidence=0.999)
    assert down.low == -1
    assert compare_paired(rotated([2]), rotated([3])).low is None
    assert compare_paired(rotated([2]), rotated([2])).p_value == 1


@given(st.integers(0, 30), st.integers(0, 45), st.sampled_from([0.9, 0.95]))
def test_unpaired_limits_are_newcombes(one: int, other: int, confidence: float) -> None:
    found = compare_unpaired(one_slot(one, 30), one_slot(other, 45), confidence=confidence)
    expected = confint_proportions_2indep(
        other, 45, one, 30, method="newcomb", compare="diff", alpha=1 - confidence
    )
    assert (found.low, found.high) == pytest.approx(expected)
    assert found.difference == pytest.approx(other / 45 - one / 30)
    table = np.array([[one, other], [30 - one, 45 - other]])
    assert found.p_value == pytest.approx(stats.fisher_exact(table).pvalue)
    assert found.method == "Fisher, exact"


def test_unpaired_rotated_scores_are_welchs() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, 3, 40).tolist(), rng.integers(0, 5, 25).tolist()
    found = compare_unpaired(rotated(first), rotated(second))
    one, other = np.array(first) / 4, np.array(second) / 4
    errors = [
        (np.var(side, ddof=1) + LEAST_SQUARES / (len(side) - 1)) / len(side)
        for side in (one, other)
    ]
    freedom = sum(errors) ** 2 / (errors[0] ** 2 / 39 + errors[1] ** 2 / 24)
    t = (other.mean() - one.mean()) / math.sqrt(sum(errors))
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), freedom))
    assert found.method == "Welch, by instance"
    plain = stats.ttest_ind(one, other, equal_var=False).pvalue
    assert found.p_value == pytest.approx(plain, rel=0.5)
    mirrored = compare_unpaired(rotated(second), rotated(first))
    assert mirrored.p_value == pytest.approx(found.p_value)
    assert (mirrored.n_first, mirrored.n_second) == (25, 40)
    assert mirrored.low is not None
    assert mirrored.low == pytest.approx(-(found.high or 0))


def test_a_single_instance_has_no_t_test() -> None:
    for first, second in (([2], [1, 2, 3]), ([1, 2, 3], [2])):
        found = compare_unpaired(rotated(first), rotated(second))
        assert found.p_value is None
        assert found.difference == pytest.approx(0)
    two = compare_unpaired(rotated([2, 1]), rotated([1, 2]))
    assert two.p_value == pytest.approx(1)


def test_unpaired_alarms_stay_at_five_per_cent() -> None:
    rng = np.random.default_rng(5)
    alarms = 0
    for _ in range(1000):
        first, second = (rng.binomial(4, rng.beta(2, 3, size=n)).tolist() for n in (25, 60))
        alarms += (compare_unpaired(rotated(first), rotated(second)).p_value or 0) <= 0.05
    assert 0.03 <= alarms / 1000 <= 0.065


def test_nothing_on_a_side() -> None:
    empty = np.empty((0, 4))
    paired = compare_paired(empty, empty)
    assert (paired.n_first, paired.difference, paired.p_value, paired.low) == (0, None, None, None)
    for sides in ((empty, rotated([1, 2])), (rotated([1, 2]), empty)):
        found = compare_unpaired(*sides)
        assert (found.difference, found.low, found.p_value) == (None, None, None)
        assert found.n_first + found.n_second == 2
        assert not found.paired


def test_unlike_lengths_are_no_pairs() -> None:
    for pair in (
        (rotated([1]), rotated([1, 2])),
        (np.zeros(3), rotated([1, 2, 3])),
        (rotated([1]), np.zeros(1)),
    ):
        with pytest.raises(InputError, match=r"^Paired results .* of the same instances\.$"):
            compare_paired(*pair)
