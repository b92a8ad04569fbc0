from __future__ import annotations

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.evidence.replication.cross_check import cross_check
from dcq.evidence.replication.guidance import compare_instructions
from dcq.evidence.replication.replicated import Replicated, count_matches, false_alarms

NAN = float("nan")


def test_a_clear_gain_and_none() -> None:
    general = np.linspace(0, 0.4, 10)
    better = compare_instructions(general, general + 0.2)
    assert (better.p_value, better.contaminated) == (0.0, True)
    assert better.difference == pytest.approx(0.2)
    assert compare_instructions(general, general - 0.2).p_value == 1.0


def test_ties_count_against_the_guided_instruction() -> None:
    same = compare_instructions([0.1] * 10, [0.1] * 10)
    assert (same.p_value, same.contaminated) == (1.0, False)
    # One instance of ten is better: it is missing from (9/10)^10 of the resamples.
    one = compare_instructions([0.1] * 10, [0.1] * 9 + [0.5])
    assert one.p_value == pytest.approx(0.9**10, abs=0.02)
    # 0.3 − 0.1 and 0.2 − 0.4 cancel but for rounding.
    tie = compare_instructions([0.1, 0.4], [0.3, 0.2])
    assert tie.p_value == pytest.approx(0.75, abs=0.02)


def test_missing_scores_and_few_instances() -> None:
    assert compare_instructions([], []).general is None
    assert compare_instructions([NAN, 0.1], [0.5, 0.2]).n == 1
    assert compare_instructions([0.1], [0.2]).p_value is None
    few = compare_instructions([0.1] * 9, [0.2] * 9)
    assert (few.low, few.p_value) == (None, 0.0)
    with pytest.raises(InputError, match="differ in number"):
        compare_instructions([0.1], [0.1, 0.2])


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=30), st.integers(0, 9))
def test_the_seed_decides(pairs: list[tuple[float, float]], seed: int) -> None:
    general, guided = [a for a, _ in pairs], [b for _, b in pairs]
    found = [compare_instructions(general, guided, samples=200, seed=seed) for _ in (1, 2)]
    assert found[0] == found[1]
    assert found[0].p_value is None or 0 <= found[0].p_value <= 1


@pytest.mark.parametrize(
    ("exact", "near", "contaminated"), [(0, 0, False), (0, 1, False), (0, 2, True), (1, 0, True)]
)
def test_algorithm_2(exact: int, near: int, contaminated: bool) -> None:
    found = count_matches(10, exact, near)
    assert found.contaminated is contaminated
    assert found.rate == (exact + near) / 10
    assert found.interval is not None
    assert found.interval.low <= found.rate <= found.interval.high


def test_impossible_counts() -> None:
    assert count_matches(0, 0, 0).rate is None
    with pytest.raises(InputError, match="impossible"):
        count_matches(2, 2, 1)
    with pytest.raises(InputError, match="impossible"):
        count_matches(2, -1, 1)
    assert false_alarms([True, False]).flagged == 1
    assert false_alarms([]).interval is None


def test_two_methods_on_the_same_instances() -> None:
    right = [1] * 4 + [0] * 7 + [1] * 30 + [0] * 30
    match = [1] * 11 + [0] * 60
    found = cross_check(right, match)
    assert (found.match_right, found.match_wrong) == (4, 7)
    assert (found.other_right, found.other_wrong) == (30, 30)
    assert found.difference == pytest.approx(4 / 11 - 0.5)
    assert found.odds_ratio == pytest.approx(4.5 * 30.5 / (7.5 * 30.5))
    assert found.p_value == pytest.approx(
        scipy.stats.fisher_exact(np.array([[4, 7], [30, 30]])).pvalue
    )
    assert found.low is not None
    assert found.high is not None
    assert found.difference is not None
    assert found.low < found.difference < found.high


def test_a_cross_check_without_matches_or_with_gaps() -> None:
    empty = cross_check([1, 0], [0, 0])
    assert (empty.n, empty.difference, empty.odds_ratio, empty.p_value) == (2, None, None, None)
    assert cross_check([1, NAN, 1], [1, 1, NAN]).n == 1
    with pytest.raises(InputError, match="same instances"):
        cross_check([1], [1, 0])


def test_what_is_missing_is_counted_against_memory() -> None:
    gaps = Replicated(
        "x",
        np.array([0.2, NAN, 0.3, NAN]),
        np.array([0.5, 0.4, NAN, NAN]),
        np.zeros(4),
        np.zeros(4),
    )
    assert gaps.least_gain[:, 0] == pytest.approx([0.3, 0.0, -0.3, 0.0])
    with pytest.raises(InputError, match="differ in number"):
        Replicated("x", np.zeros(2), np.zeros(2), np.zeros(3), np.zeros(2))
