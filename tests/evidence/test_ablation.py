import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as peer  # type: ignore[import-untyped]  # it ships no types

from dcq.errors import InputError
from dcq.evidence.ablation import Ablation, above_own_baseline, compare, mcnemar

pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


def changed(gained: int, lost: int, unchanged: int = 0, chosen: int = 0) -> Ablation:
    without = [1] * lost + [0] * gained + [1] * chosen + [0] * (unchanged - chosen)
    with_it = [0] * lost + [1] * gained + [1] * chosen + [0] * (unchanged - chosen)
    return compare(without, with_it)


@given(st.integers(0, 80), st.integers(0, 80))
def test_mcnemar_agrees_with_statsmodels(gained: int, lost: int) -> None:
    assert mcnemar(gained, lost) == pytest.approx(
        peer([[3, gained], [lost, 4]], exact=True).pvalue, abs=1e-12
    )
    assert mcnemar(gained, lost) == mcnemar(lost, gained)


@given(pairs)
def test_the_interval_holds_the_difference_and_mirrors(case: list[tuple[bool, bool]]) -> None:
    before, after = [a for a, _ in case], [b for _, b in case]
    found, mirrored = compare(before, after), compare(after, before)
    assert found.difference is not None
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= found.difference <= found.high <= 1
    assert found.low < found.high
    assert mirrored.low == pytest.approx(-found.high)
    assert found.difference == pytest.approx(np.mean(after) - np.mean(before))
    assert found.modified_share == pytest.approx(np.mean(before))
    assert found.standard_share == pytest.approx(np.mean(after))
    assert found.p_value == mcnemar(found.gained, found.lost)


def test_the_interval_by_hand() -> None:
    # Bonett & Price (2012): p₁₂ = (14 + 1)/(50 + 2), p₂₁ = (4 + 1)/52, 1.96 standard errors.
    up, down = 15 / 52, 5 / 52
    for confidence in (0.95, 0.8):
        found = compare([1] * 4 + [0] * 46, [0] * 4 + [1] * 14 + [0] * 32, confidence=confidence)
        margin = stats.norm.ppf((1 + confidence) / 2) * math.sqrt(
            (up + down - (up - down) ** 2) / 52
        )
        assert (found.n, found.gained, found.lost) == (50, 14, 4)
        assert (found.low, found.high) == pytest.approx((up - down - margin, up - down + margin))


def test_the_interval_covers_the_difference() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(1500):
        before = rng.random(40) < 0.2
        after = before ^ (rng.random(40) < 0.3)  # truth: .8·.3 − .2·.3
        found = compare(before, after)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.18 <= found.high
    assert 0.94 <= hits / 1500 <= 0.975


def test_limits_stay_within_one() -> None:
    assert changed(4, 0).high == 1
    assert changed(0, 4).low == -1


def test_the_papers_xsum_ablation() -> None:
    before = [True] * 3 + [False] * 97  # GPT-4, option D: 3 % without the original, 100 % with it
    found = compare(before, [True] * 100)
    assert (found.gained, found.lost) == (97, 0)
    assert found.difference == pytest.approx(0.97)
    assert found.low is not None
    assert found.low > 0.9
    assert found.p_value is not None
    assert found.p_value < 1e-20


def test_an_instance_without_an_answer_in_either_is_left_out() -> None:
    gap = math.nan
    found = compare([1, 0, gap, 0, 1], [1, 1, 1, gap, 0])
    assert found == compare([1, 0, 1], [1, 1, 0])
    assert found.n == 3
    assert compare([gap, 1], [1, gap]) == compare([], [])


def test_edges() -> None:
    nothing = compare([], [])
    assert nothing == Ablation(0, 0, 0, None, None, None, None, None, None)
    unchanged = compare([True, False], [True, False])
    assert (unchanged.difference, unchanged.p_value) == (0, 1)
    for shapes in (([True], [True, False]), ([[1], [0]], [[1], [0]])):
        with pytest.raises(InputError, match="both of them hold"):
            compare(*shapes)


def test_above_its_own_baseline() -> None:
    found = changed(40, 5, 55, 10)
    kappa = above_own_baseline(found)
    assert (kappa.n, kappa.correct) == (100, 50)
    assert kappa.score == pytest.approx(0.5)
    assert kappa.kappa_fixed == pytest.approx((0.5 - 0.15) / 0.85)
    assert found.low is not None
    assert found.high is not None
    assert (kappa.kappa_low, kappa.kappa_high) == pytest.approx(
        (found.low / 0.85, found.high / 0.85)
    )
    assert kappa.p_value == found.p_value
    full = above_own_baseline(changed(5, 0, 5, 5))
    assert full.kappa_fixed == 1
    assert full.kappa_high == 1


def test_without_a_baseline_there_is_no_value() -> None:
    nothing = above_own_baseline(compare([], []))
    assert (nothing.n, nothing.correct, nothing.score, nothing.kappa_fixed) == (0, 0, None, None)
    always = above_own_baseline(compare([1, 1, 1], [1, 0, 1]))  # nothing is left to be above
    assert (always.n, always.correct, always.kappa_fixed, always.p_value) == (3, 2, None, None)
    assert always.score == pytest.approx(2 / 3)


def test_the_interval_above_its_own_baseline_covers() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(1000):
        without = rng.random(60) < 0.15
        kept = rng.random(60) < 0.6  # a model mostly repeats its choice
        with_it = np.where(kept, without, rng.random(60) < 0.15) | (rng.random(60) < 0.3)
        found = above_own_baseline(compare(without, with_it))
        assert found.kappa_low is not None
        assert found.kappa_high is not None
        hits += found.kappa_low <= 0.3 <= found.kappa_high
    assert 0.945 <= hits / 1000 <= 0.985


@pytest.mark.parametrize(("gained", "lost"), [(1, 0), (4, 4), (5, 4), (900, 1), (5000, 4800)])
def test_mcnemar_agrees_with_scipys_binomial_test(gained: int, lost: int) -> None:
    theirs = stats.binomtest(gained, gained + lost, 0.5).pvalue
    assert mcnemar(gained, lost) == pytest.approx(theirs, rel=1e-9, abs=0)
