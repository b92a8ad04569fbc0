import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special

from dcq.evidence.roots import root

FUNCTIONS: dict[str, tuple[Callable[[float], float], float, float]] = {
    "line": (lambda x: 3 * x - 1, -9.0, 10.0),
    "cubic": (lambda x: x**3 - 2 * x - 5, 0.0, 10.0),
    "tail": (lambda x: float(special.ndtr((0.4 - x) / 0.05)) - 0.05, -9.0, 10.0),
    "beta": (lambda x: float(special.betainc(12, 29, x)) - 0.8, 0.0, 0.999),
    "steps": (lambda x: math.floor(7 * x) / 7 - 0.3, 0.0, 3.0),
    "falling": (lambda x: math.exp(-x) - 0.5, 0.0, 30.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_digits_are_those_of_scipy(name: str) -> None:
    function, low, high = FUNCTIONS[name]
    assert root(function, low, high) == optimize.brentq(function, low, high)
    assert root(function, high, low) == optimize.brentq(function, high, low)


@given(st.floats(0.01, 0.99), st.floats(0.5, 400), st.floats(0.5, 400))
def test_any_quantile_of_a_beta_distribution(share: float, a: float, b: float) -> None:
    def short(x: float) -> float:
        return float(special.betainc(a, b, x)) - share

    assert root(short, 0.0, 1.0) == optimize.brentq(short, 0.0, 1.0)


def test_a_root_at_an_end_is_taken() -> None:
    asked: list[float] = []

    def noted(x: float) -> float:
        asked.append(x)
        return x

    assert root(noted, 0.0, 1.0) == 0.0
    assert root(noted, -1.0, 0.0) == 0.0
    assert asked == [0.0, 1.0, -1.0, 0.0]


def test_a_flat_root_is_found_as_far_as_it_can_be() -> None:
    assert root(lambda x: (x - 1) ** 9, -2.0, 10.0) == pytest.approx(1, abs=1e-6)


def test_a_function_that_does_not_cross_is_refused() -> None:
    with pytest.raises(ValueError, match="same sign"):
        root(lambda x: x * x + 1, -1.0, 1.0)
