import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]  # it ships no types

from dcq.evidence.family import benjamini_hochberg, holm, q_among

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)
with_ties = st.sampled_from([0.0, 1e-300, 0.01, 0.05, 0.5, 1.0]) | st.floats(0, 1)
Adjust = Callable[[Sequence[float | None]], tuple[float | None, ...]]
METHODS: dict[Adjust, str] = {benjamini_hochberg: "fdr_bh", holm: "holm"}
both = pytest.mark.parametrize("adjust", list(METHODS))


@both
@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_statsmodels(adjust: Adjust, seed: int) -> None:
    raw = (np.random.default_rng(seed).random(20) ** 3).tolist()
    assert adjust(raw) == pytest.approx(multipletests(raw, method=METHODS[adjust])[1])


@given(p_values)
@settings(max_examples=40)
def test_agrees_with_the_definitions(raw: list[float]) -> None:
    m = len(raw)
    for p, q, strict in zip(raw, benjamini_hochberg(raw), holm(raw), strict=True):
        others = sorted(raw)
        rank = [i + 1 for i, value in enumerate(others) if value >= p]
        assert q == pytest.approx(min(1.0, *(m * others[i - 1] / i for i in rank)))
        first = others.index(p)
        assert strict == pytest.approx(min(1.0, max((m - i) * others[i] for i in range(first + 1))))


@given(p_values)
def test_order_of_the_family_does_not_matter_and_holm_is_the_stricter(raw: list[float]) -> None:
    for adjust in METHODS:
        assert adjust(raw[::-1]) == adjust(raw)[::-1]
    for p, q, strict in zip(raw, benjamini_hochberg(raw), holm(raw), strict=True):
        assert q is not None
        assert strict is not None
        assert p - 1e-12 <= q <= strict + 1e-12 <= 1 + 1e-12


@both
def test_what_has_no_p_value_is_no_member(adjust: Adjust) -> None:
    found = adjust([None, 0.01, math.nan, 0.04])
    assert (found[0], found[2]) == (None, None)
    assert (found[1], found[3]) == pytest.approx((0.02, 0.04))
    assert adjust([]) == ()
    assert adjust([None, math.nan]) == (None, None)


def test_by_hand() -> None:
    raw = [0.01, 0.04, 0.03, 0.02]
    assert benjamini_hochberg(raw) == pytest.approx((0.04, 0.04, 0.04, 0.04))
    assert holm(raw) == pytest.approx((0.04, 0.06, 0.06, 0.06))
    assert holm([0.9, 0.8]) == (1.0, 1.0)


def test_ties_stay_ties() -> None:
    assert holm([0.02, 0.02]) == pytest.approx((0.04, 0.04))
    assert benjamini_hochberg([0.02, 0.02]) == pytest.approx((0.02, 0.02))


@given(with_ties, st.lists(with_ties, max_size=12))
@example(0.03, [])
@example(0.05, [0.05, 0.05, 0.01])
@example(1e-300, [0.0, 1.0, 1e-300])
@example(1.0, [1.0, 1.0])
@example(0.0, [0.0])
def test_the_q_value_of_one_more_is_that_in_the_whole_family(p: float, others: list[float]) -> None:
    found = q_among(p, np.array(others))
    assert found == pytest.approx(benjamini_hochberg([*others, p])[-1], rel=1e-12, abs=0)
    by_scipy = false_discovery_control([*others, p], method="bh")[-1]
    assert found == pytest.approx(by_scipy, rel=1e-12, abs=0)
