from __future__ import annotations

import pytest
from statsmodels.stats.proportion import (  # type: ignore[import-untyped]  # it ships no types
    proportion_confint,
)

from dcq.evidence.record import MethodEstimate, estimate_share


def test_a_share_has_wilsons_interval() -> None:
    low, high = proportion_confint(3, 12, method="wilson")
    one = estimate_share(3, 12, "share of words")
    assert (one.value, one.share, one.n, one.unit) == (0.25, 0.25, 12, "share of words")
    assert (one.low, one.high) == pytest.approx((low, high))


def test_of_nothing_there_is_no_value() -> None:
    assert estimate_share(0, 0, "share of words") == MethodEstimate(
        None, None, None, "share of words"
    )
