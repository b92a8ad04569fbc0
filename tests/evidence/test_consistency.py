from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from statsmodels.stats.contingency_tables import (  # type: ignore[import-untyped]  # it ships no types
    cochrans_q,
    mcnemar,
)

from dcq.errors import InputError
from dcq.evidence.consistency import FEWEST, Consistency, Heterogeneity, compare_sets

RNG = np.random.default_rng(5)
TABLE = (RNG.random((60, 3)) < [0.3, 0.5, 0.6]).astype(float)


def heterogeneity(found: Consistency) -> Heterogeneity:
    assert found.heterogeneity is not None
    return found.heterogeneity


def test_q_is_cochrans_as_another_library_has_it() -> None:
    found, theirs = heterogeneity(compare_sets(TABLE)), cochrans_q(TABLE)
    assert found.q == pytest.approx(theirs.statistic)
    assert found.p_value == pytest.approx(theirs.pvalue)


def test_q_of_two_sets_is_mcnemars() -> None:
    two = TABLE[:, :2]
    counts = [[np.sum((two[:, 0] == a) & (two[:, 1] == b)) for b in (1, 0)] for a in (1, 0)]
    theirs = mcnemar(counts, exact=False, correction=False)
    assert heterogeneity(compare_sets(two)).q == pytest.approx(theirs.statistic)


def test_with_few_differing_instances_permutations_decide() -> None:
    table = np.zeros((40, 2))
    table[:4, 1] = 1  # McNemar's exact p of 4 to 0 is 1/8
    found = heterogeneity(compare_sets(table))
    assert found.p_value == pytest.approx(0.125, abs=0.03)


@pytest.mark.parametrize("table", [TABLE, RNG.integers(0, 5, (50, 4)) / 4])
def test_alpha_is_krippendorffs_as_another_library_has_it(table: np.ndarray) -> None:
    found = compare_sets(table).agreement
    assert found is not None
    theirs = krippendorff.alpha(table.T, level_of_measurement="interval")
    assert found.alpha == pytest.approx(theirs)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= theirs <= found.high


def test_of_few_instances_alpha_has_no_limits() -> None:
    found = compare_sets(TABLE[: FEWEST - 1]).agreement
    assert found is not None
    theirs = krippendorff.alpha(TABLE[: FEWEST - 1].T, level_of_measurement="interval")
    assert found.alpha == pytest.approx(theirs)
    assert (found.low, found.high) == (None, None)
    assert 0 < found.same < 1


def test_the_same_answers_in_all_sets_agree_wholly_and_differ_by_nothing() -> None:
    found = compare_sets(np.repeat(TABLE[:, :1], 3, axis=1))
    assert found.agreement is not None
    assert (found.agreement.alpha, found.agreement.same) == (1.0, 1.0)
    assert heterogeneity(found).q is None
    assert (heterogeneity(found).tau, heterogeneity(found).i_squared) == (0.0, 0.0)
    assert found.widening == 1.0


def test_one_letter_for_everything_says_nothing_of_agreement() -> None:
    found = compare_sets(np.zeros((30, 3)))
    assert found.agreement is not None
    assert found.agreement.alpha is None
    assert found.within == 0.0
    assert found.widening is None


def test_instances_without_an_answer_in_one_set_are_left_out() -> None:
    table = TABLE.copy()
    table[:5, 1] = np.nan
    assert compare_sets(table) == compare_sets(TABLE[5:])
    assert compare_sets(table).n == 55


def test_nothing_in_common_gives_no_value() -> None:
    found = compare_sets([[1.0, np.nan], [np.nan, 0.0]])
    assert (found.n, found.scores, found.within, found.agreement) == (0, (), None, None)
    one = compare_sets([[1.0, 0.0]])
    assert (one.n, one.within, one.heterogeneity) == (1, None, None)


@pytest.mark.parametrize("table", [np.zeros(0), np.zeros(2), np.zeros((2, 1))])
def test_less_than_two_sets_are_refused(table: np.ndarray) -> None:
    with pytest.raises(InputError, match="Two sets"):
        compare_sets(table)


@given(arrays.arrays(float, (20, 3), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0])))
def test_all_values_are_in_their_bounds(table: np.ndarray) -> None:
    found = compare_sets(table)
    assert found.agreement is not None
    assert 0 <= heterogeneity(found).i_squared <= 1
    assert heterogeneity(found).tau >= 0
    assert found.agreement.alpha is None or found.agreement.alpha <= 1 + 1e-9
    p = heterogeneity(found).p_value
    assert p is None or 0 < p <= 1


def test_tau_finds_the_spread_between_sets_and_p_keeps_its_level() -> None:
    """200 studies of 4 sets: scores that differ by a standard deviation of 0.1, and not at all."""
    rng = np.random.default_rng(1)
    taus, calls = [], 0
    for _ in range(200):
        ability = rng.uniform(0.2, 0.8, (150, 1))
        apart = np.clip(ability + rng.normal(0, 0.1, 4), 0.01, 0.99)
        moved = heterogeneity(compare_sets((rng.random((150, 4)) < apart).astype(float)))
        taus.append(moved.tau**2)
        alike = heterogeneity(compare_sets((rng.random((150, 4)) < ability).astype(float)))
        calls += (alike.p_value or 1) <= 0.05
    assert np.sqrt(np.mean(taus)) == pytest.approx(0.1, rel=0.15)
    assert calls <= 19  # 10 expected; 19 is beyond the 99th percentile
