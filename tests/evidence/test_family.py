import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]  # it ships no types

from dcq.evidence.family import benjamini_hochberg, holm

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)
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
