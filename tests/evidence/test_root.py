from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special

from dcq.errors import InputError
from dcq.evidence.root import find_root


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [
        (lambda x: x**3 - 2 * x - 5, 2.0, 3.0),
        (lambda x: math.exp(-40 * x) - 0.5, 0.0, 1000.0),
        (lambda x: special.ndtr(x) - 0.975, -9.0, 10.0),
        (lambda x: special.ndtr(x) - 1e-300, -40.0, 10.0),
        (lambda x: 1.0 if x >= 0.25 else -1.0, 0.0, 1.0),  # no value is zero
        (lambda x: x, 0.0, 1.0),
        (lambda x: 1 - x, 0.0, 1.0),
    ],
)
def test_it_finds_what_scipy_finds(
    function: Callable[[float], float], low: float, high: float
) -> None:
    theirs = optimize.brentq(function, low, high)
    assert find_root(function, low, high) == pytest.approx(theirs, rel=1e-9, abs=4e-12)


def test_where_the_function_is_flat_it_ends_all_the_same() -> None:
    assert find_root(lambda x: (x - 0.3) ** 9, 0.0, 1.0) == pytest.approx(0.3, abs=1e-3)


@given(st.floats(-8, 8), st.floats(0.01, 50), st.floats(-0.999, 0.999))
def test_any_tail_is_met(mean: float, width: float, level: float) -> None:
    def beyond(x: float) -> float:
        return math.tanh((x - mean) / width) - level

    low, high = mean - 10 * width, mean + 10 * width
    at = find_root(beyond, low, high)
    assert at == pytest.approx(optimize.brentq(beyond, low, high), abs=1e-9)
    assert find_root(lambda x: -beyond(x), low, high) == pytest.approx(at, abs=1e-9)


def test_it_takes_few_steps() -> None:
    asked: list[float] = []

    def beyond(x: float) -> float:
        asked.append(x)
        return float(special.ndtr(x)) - 0.95

    find_root(beyond, -9.0, 10.0)
    assert len(asked) < 20


def test_without_a_change_of_sign_there_is_none() -> None:
    with pytest.raises(InputError, match="same sign"):
        find_root(lambda x: x * x + 1, -1.0, 1.0)
