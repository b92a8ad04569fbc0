from __future__ import annotations

import math

import pytest

from dcq.overlap.effect_report import growth, shares
from dcq.overlap.label import Label
from dcq.overlap.match import Category


def _labels(found: str) -> dict[str, Label]:
    kinds = {"c": Category.CLEAN, "i": Category.INPUT_ONLY, "b": Category.INPUT_AND_LABEL}
    return {str(n): Label(kinds[kind], math.nan) for n, kind in enumerate(found)}


def test_the_share_found_in_each_window() -> None:
    early, late = shares({"2017-2020": _labels("ccib"), "2020-2023": _labels("cbbb")})
    assert (early.window, early.share_found.n, early.share_found.accuracy) == ("2017-2020", 4, 0.5)
    assert (late.input_only, late.input_and_label) == (0, 3)


def test_growth_is_paired_by_instance() -> None:
    one, other, third = _labels("cccci"), _labels("bbbbbc"), _labels("")
    up, none = growth({"1": one, "2": other, "3": third})
    assert up.change.paired
    assert up.change.n_first == 5  # the sixth was looked for in one window alone
    assert up.change.difference == pytest.approx(0.8)
    assert up.change.p_value == pytest.approx(2 * 0.5**4)
    assert none.change.difference is None
