"""Tails of long sums: as the convolution has them, to the smallest, in a time that stays small."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy

from dcq.errors import InputError
from dcq.evidence import lot_tail
from dcq.evidence.lot import assess


@pytest.mark.parametrize("raised", [-0.5, 0.0, 0.5, 2.0])
@pytest.mark.parametrize("wordings", [2, 4, 9])
@pytest.mark.parametrize("tied", [False, True])
def test_a_transform_gives_what_the_convolution_gives(
    raised: float, wordings: int, tied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = np.random.default_rng(3).normal(size=(150, wordings))
    scores[:, 0] += raised
    items = list(np.round(scores) if tied else scores)
    items.append(np.arange(float(wordings + 3)))  # and one of another number of wordings
    exact = assess(items).p_value
    monkeypatch.setattr(lot_tail, "_MOST_STEPS", -1)
    assert assess(items).p_value == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(
    "items",
    [
        [[1, 0, 0, 0]] * 200,
        [list(range(8, 0, -1))] * 300,
        [[3, 2, 1, 0]] * 299 + [[2, 3, 1, 0]],
        [[0, 1, 2, 3]] * 300,
        [[0, 1]] * 299 + [[1, 0]],
        [[0, 0]] * 9 + [[1, 0]],
    ],
)
def test_extremes_keep_their_digits(
    items: list[list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = assess(items).p_value
    monkeypatch.setattr(lot_tail, "_MOST_STEPS", -1)
    assert assess(items).p_value == pytest.approx(exact, rel=1e-9)


def test_many_items_are_tested_at_once() -> None:
    """One ask an item: the sum is a binomial count. A convolution would take minutes."""
    items = [[1.0, 0, 0, 0]] * 25_600 + [[0, 1.0, 0, 0]] * 74_400
    found = assess(items)
    expected = scipy.stats.binom.sf(25_599, 100_000, 0.25)
    assert found.p_value == pytest.approx(expected, rel=1e-6)
    assert found.picked == 25_600


def test_one_item_of_many_wordings() -> None:
    """All pairs of 100,000 scores would fill 10 GB."""
    scores = np.arange(100_000.0)
    scores[0] = 94_999.5
    found = assess([scores])
    assert found.p_value == pytest.approx(0.05001)
    assert math.isclose(found.statistic, 95_000)


def test_too_many_patterns_of_ties_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lot_tail, "_MOST_STEPS", -1)
    monkeypatch.setattr(lot_tail, "_MOST_TRANSFORMED", 1_000)
    scores = np.random.default_rng(0).integers(0, 3, size=(200, 8)).astype(float)
    with pytest.raises(InputError, match="patterns of ties"):
        assess(list(scores))
