import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]  # it ships no types

from dcq.evidence.holm import holm

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(p_values)
@settings(max_examples=30)
def test_agrees_with_statsmodels(raw: list[float]) -> None:
    assert holm(raw) == pytest.approx(multipletests(raw, method="holm")[1])


@given(p_values)
def test_order_of_the_family_does_not_matter(raw: list[float]) -> None:
    assert holm(raw[::-1]) == holm(raw)[::-1]


def test_missing_values_do_not_count() -> None:
    assert holm([None, 0.01, None, 0.04]) == pytest.approx((None, 0.02, None, 0.04))
    assert holm([]) == ()
    assert holm([None]) == (None,)


def test_ties_stay_ties() -> None:
    assert holm([0.02, 0.02]) == pytest.approx((0.04, 0.04))
