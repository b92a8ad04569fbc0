import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.evidence.interval import Interval, kappa_interval, wilson


def mover_r(
    x: float, x_low: float, x_high: float, y: float, y_low: float, y_high: float
) -> tuple[float, float]:
    """Limits of x/y in the form of Donner & Zou (2012), equation 9."""
    low = (
        x * y - math.sqrt((x * y) ** 2 - x_low * y_high * (2 * x - x_low) * (2 * y - y_high))
    ) / (y_high * (2 * y - y_high))
    high = (
        x * y + math.sqrt((x * y) ** 2 - x_high * y_low * (2 * x - x_high) * (2 * y - y_low))
    ) / (y_low * (2 * y - y_low))
    return low, high


@given(st.integers(2, 59), st.integers(2, 99))
def test_agrees_with_the_textbooks_form(correct: int, base_correct: int) -> None:
    own, base = wilson(correct, 60), wilson(base_correct, 100)
    assert own is not None
    assert base is not None
    score, level = correct / 60, base_correct / 100
    x, y = 1 - score, 1 - level
    if abs((1 - base.low) - 2 * y) < 1e-6:
        return  # the textbook's form divides by 0
    low, high = mover_r(x, 1 - own.high, 1 - own.low, y, 1 - base.high, 1 - base.low)
    assert kappa_interval(score, own, level, base) == pytest.approx((1 - high, 1 - low))


def test_a_known_base_gives_the_interval_of_the_score_alone() -> None:
    own = wilson(70, 100)
    assert own is not None
    low, high = kappa_interval(0.7, own, 0.25, Interval(0.25, 0.25))
    assert (low, high) == pytest.approx(((own.low - 0.25) / 0.75, (own.high - 0.25) / 0.75))


def test_limits_without_errors() -> None:
    sure = Interval(0.96, 1.0)
    assert kappa_interval(1.0, sure, 0.4, Interval(0.3, 0.5))[1] == 1
    assert kappa_interval(0.5, Interval(0.4, 0.6), 1.0, sure) == (None, None)
    low, high = kappa_interval(0.5, Interval(0.4, 0.6), 0.98, Interval(0.9, 1.0))
    assert low is None
    assert high is not None
    assert 0 < 1 - high < 25


def test_it_covers_the_ratio_of_two_independent_shares() -> None:
    rng = np.random.default_rng(3)
    hits = 0
    for a, b in zip(rng.binomial(80, 0.6, 1500), rng.binomial(120, 0.3, 1500), strict=True):
        own, base = wilson(int(a), 80), wilson(int(b), 120)
        assert own is not None
        assert base is not None
        low, high = kappa_interval(a / 80, own, b / 120, base)
        assert low is not None
        assert high is not None
        hits += low <= 0.3 / 0.7 <= high
    assert 0.935 <= hits / 1500 <= 0.967
