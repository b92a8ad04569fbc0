from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dcq.evidence.auroc import auroc

SCORES = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=12)


def test_values_worked_out_by_hand() -> None:
    found = auroc([3, 2, 2], [1, 2])
    assert found is not None
    assert found.value == pytest.approx((2 + 1.5 + 1.5) / 6)
    assert (found.members, found.non_members) == (3, 2)


def test_limits_at_the_ends_are_no_points() -> None:
    best, worst = auroc(range(100, 120), range(20)), auroc(range(20), range(100, 120))
    assert best is not None
    assert worst is not None
    assert best.value == best.high == 1
    assert worst.value == worst.low == 0
    assert 0.8 < best.low < 0.95
    assert worst.high == pytest.approx(1 - best.low)


def test_nan_is_left_out_and_an_empty_side_gives_nothing() -> None:
    found = auroc([1, np.nan], [0, np.nan, np.nan])
    assert found is not None
    assert (found.value, found.members, found.non_members) == (1, 1, 1)
    assert auroc([], [1.0]) is None
    assert auroc([1.0], [np.nan]) is None


@given(SCORES, SCORES)
def test_it_is_the_share_of_pairs_and_turns_round(one: list[float], other: list[float]) -> None:
    found, turned = auroc(one, other), auroc(other, one)
    assert found is not None
    assert turned is not None
    pairs = [(a > b) + 0.5 * (a == b) for a in one for b in other]
    assert found.value == pytest.approx(np.mean(pairs))
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert turned.value == pytest.approx(1 - found.value)
    assert turned.low == pytest.approx(1 - found.high, abs=1e-6)


@pytest.mark.simulation
def test_the_limits_cover_the_truth() -> None:
    rng = np.random.default_rng(0)
    truth = 0.8555778  # Φ(1.5/√2): two normal distributions 1.5 standard deviations apart
    covered = 0
    for _ in range(1000):
        found = auroc(rng.normal(1.5, 1, 20), rng.normal(0, 1, 20))
        assert found is not None
        covered += found.low <= truth <= found.high
    assert 930 <= covered <= 985


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_limits_solve_newcombes_equation(confidence: float) -> None:
    """His method 5, written out: |θ − A| = z √V(θ), V by Hanley and McNeil with mean sizes."""
    found = auroc([1, 3, 4, 6, 7, 9], [0, 2, 2.5, 5], confidence=confidence)
    assert found is not None
    m, n, z = 6, 4, stats.norm.ppf((1 + confidence) / 2)
    for truth in (found.low, found.high):
        first, second = truth / (2 - truth), 2 * truth**2 / (1 + truth)
        spread = truth * (1 - truth) + ((m + n) / 2 - 1) * (first + second - 2 * truth**2)
        assert abs(truth - found.value) == pytest.approx(z * np.sqrt(spread / (m * n)))
