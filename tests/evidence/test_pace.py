"""Speed and drift of an annotator."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dcq.errors import InputError
from dcq.evidence.pace import BREAK, FEWEST, pace


def test_nothing_and_one_decision_tell_nothing() -> None:
    none = pace([], [], [])
    assert (none.n, none.seconds, none.accepted_early, none.p_value) == (0, None, None, None)
    single = pace([5.0], [True], ["a"])
    assert (single.n, single.seconds, single.accepted_late) == (1, None, 1.0)
    with pytest.raises(InputError):
        pace([1.0], [], [])


def test_a_click_on_several_shares_its_time_and_a_pause_is_none() -> None:
    # One at 0 s; four at 40 s, 10 s each; one after a long pause; one 20 s later.
    moments = [0.0, 40, 40, 40, 40, 40 + BREAK + 1, 40 + BREAK + 21]
    found = pace(moments, [True] * 7, list("abbbbcd"))
    assert found.seconds == 10.0  # the median of 10, 10, 10, 10 and 20
    assert (found.seconds_early, found.seconds_late) == (10.0, 20.0)


def test_seconds_that_a_tool_measured_take_the_place_of_gaps() -> None:
    took = [4.0, None, 6.0, 8.0, BREAK + 1, -1.0]
    found = pace([0.0, 10, 20, 30, 40, 50], [True] * 6, list("abcdef"), took)
    assert (found.seconds, found.seconds_early, found.seconds_late) == (6.0, 5.0, 8.0)
    assert pace([0.0, 9.0], [True] * 2, "ab", [None, None]).seconds is None
    with pytest.raises(InputError):
        pace([0.0, 9.0], [True] * 2, "ab", [1.0])


def test_the_order_in_which_decisions_are_given_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    moments = np.cumsum(rng.uniform(1, 60, 64))
    accepted = rng.random(64) < 0.7
    units = np.repeat(np.arange(32), 2)
    mixed = rng.permutation(64)
    straight = pace(list(moments), list(accepted), list(units))
    assert pace(list(moments[mixed]), list(accepted[mixed]), list(units[mixed])) == straight


def test_drift_is_mann_whitneys_on_units() -> None:
    """Against the exact test, which scipy works out in another way, where no two shares tie."""
    accepted, units = [], []
    for unit in range(2 * FEWEST):
        share = (unit * 7 % 16) if unit % 2 else (16 + unit)
        accepted += [place < share for place in range(40)]
        units += [unit] * 40
    found = pace(list(range(len(units))), accepted, units)
    shares = [np.mean(accepted[40 * unit : 40 * unit + 40]) for unit in range(2 * FEWEST)]
    assert len(set(shares)) == 2 * FEWEST
    exact = stats.mannwhitneyu(shares[:FEWEST], shares[FEWEST:], method="exact").pvalue
    assert found.p_value == pytest.approx(exact, abs=0.03)
    few = pace([0, 1, 2, 3], [True, True, False, False], [0, 1, 2, 3])
    assert (few.accepted_early, few.accepted_late, few.p_value) == (1.0, 0.0, None)


def test_a_clear_drift_is_found_and_none_is_not() -> None:
    units = [unit for unit in range(40) for _ in range(4)]
    moments = [10.0 * place for place in range(160)]
    drifts = pace(moments, [unit < 20 for unit in units], units)
    assert drifts.p_value is not None
    assert drifts.p_value < 1e-6
    assert pace(moments, [True] * 160, units).p_value == 1.0


@pytest.mark.simulation
def test_it_calls_drift_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    units = np.repeat(np.arange(40), 4)
    moments = list(np.arange(160.0))
    called = 0
    for _ in range(1000):
        own = np.repeat(rng.beta(4, 2, 40), 4)  # instances differ: decisions within one depend
        p = pace(moments, list(rng.random(160) < own), list(units)).p_value
        assert p is not None
        called += p <= 0.05
    assert 30 <= called <= 72  # of 1000, at 5 %
