from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dcq.errors import InputError
from dcq.evidence.midrank import beats_all, midranks

SCORES = st.lists(
    st.lists(st.integers(-3, 3).map(float), min_size=4, max_size=4), min_size=1, max_size=8
)


def test_ranks_and_first_places_by_hand() -> None:
    scores = [[5, 1, 2, 3], [1, 2, 3, 4], [2, 1, 2, 3], [1, 1, 1, 1], [3, 3, 1, 0], [2, 3, 3, 2]]
    assert midranks(scores).tolist() == pytest.approx([1, 0, 1.5 / 3, 0.5, 2.5 / 3, 0.5 / 3])
    assert beats_all(scores).tolist() == [1, 0, 0, 0.25, 0.5, 0]


def test_a_missing_score_leaves_no_rank() -> None:
    scores = [[1.0, math.nan], [math.nan, 1.0], [1.0, 0.0]]
    assert np.isnan(midranks(scores)).tolist() == [True, True, False]
    assert np.isnan(beats_all(scores)).tolist() == [True, True, False]
    assert midranks(np.empty((0, 2))).tolist() == beats_all(np.empty((0, 2))).tolist() == []


@given(SCORES)
def test_ranks_are_those_of_scipy(scores: list[list[float]]) -> None:
    expected = [(stats.rankdata(row)[0] - 1) / (len(row) - 1) for row in scores]
    assert midranks(scores).tolist() == pytest.approx(expected)


@given(SCORES)
def test_over_all_places_of_the_original_a_rank_is_a_half(scores: list[list[float]]) -> None:
    """Whatever the ties, so that an original that is like its rewordings is expected at ½, and
    first in one of as many places as there are wordings."""
    turned = [np.roll(scores, place, axis=1) for place in range(4)]
    assert np.mean([midranks(one) for one in turned], axis=0) == pytest.approx(0.5)
    assert np.mean([beats_all(one) for one in turned], axis=0) == pytest.approx(0.25)


def test_an_original_without_rewordings_has_no_rank() -> None:
    with pytest.raises(InputError, match="at least one rewording"):
        midranks([[1.0]])
