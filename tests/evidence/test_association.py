from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dcq.errors import InputError
from dcq.evidence.association import associate

NAN = float("nan")
FINDINGS = st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, NAN])] * 2), max_size=40)


def test_the_four_counts_and_what_follows_from_them() -> None:
    first = [1] * 6 + [0] * 2 + [1] * 3 + [0] * 9 + [NAN, 1]
    second = [1] * 8 + [0] * 12 + [1, NAN]
    found = associate(first, second)
    assert (found.n, found.both, found.second_only) == (20, 6, 2)
    assert (found.first_only, found.neither) == (3, 9)
    assert found.difference == pytest.approx(6 / 8 - 3 / 12)
    assert found.odds_ratio == pytest.approx(6.5 * 9.5 / (2.5 * 3.5))
    expected = stats.fisher_exact(np.array([[6, 2], [3, 9]])).pvalue
    assert found.p_value == pytest.approx(expected)
    assert found.odds_low is not None
    assert found.odds_high is not None
    log = np.log([found.odds_low, found.odds_high])
    assert (log[1] - log[0]) / 2 == pytest.approx(
        stats.norm.ppf(0.975) * (1 / 6.5 + 1 / 2.5 + 1 / 3.5 + 1 / 9.5) ** 0.5
    )
    assert found.varies


def test_a_finding_that_always_or_never_holds_shows_nothing() -> None:
    always = associate([1, 1, 1], [1, 0, 1])
    assert always.p_value == pytest.approx(1)
    assert not always.varies
    never = associate([1, 0, 1], [0, 0, 0])
    assert (never.difference, never.odds_ratio, never.p_value) == (None, None, None)
    assert not never.varies
    assert associate([], []).n == 0
    with pytest.raises(InputError, match="same instances"):
        associate([1], [1, 0])


@given(FINDINGS)
def test_the_order_of_the_two_changes_no_odds(pairs: list[tuple[float, float]]) -> None:
    one, other = ([pair[side] for pair in pairs] for side in (0, 1))
    found, turned = associate(one, other), associate(other, one)
    assert (found.both, found.first_only) == (turned.both, turned.second_only)
    assert found.varies == turned.varies
    if found.odds_ratio is not None and turned.odds_ratio is not None:
        assert found.odds_ratio == pytest.approx(turned.odds_ratio)
        assert found.p_value == pytest.approx(turned.p_value)
