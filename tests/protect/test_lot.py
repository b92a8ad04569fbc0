"""The lot of an item."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
import scipy

from dcq.protect.lot import draw, permutation, uniform

KEY = bytes(32)


@pytest.mark.parametrize("wordings", [2, 3, 4, 7, 8])
def test_each_wording_is_equally_likely(wordings: int) -> None:
    places = Counter(draw(KEY, "root", "", f"{item}", wordings) for item in range(4_000))
    assert set(places) == set(range(wordings))
    assert scipy.stats.chisquare(list(places.values())).pvalue > 0.001


def test_a_lot_rests_on_all_that_it_names() -> None:
    lots = {
        name: [draw(*start, f"{item}", 8) for item in range(60)]
        for name, start in {
            "one": (KEY, "root", ""),
            "another key": (b"\x01" * 32, "root", ""),
            "other wordings": (KEY, "other", ""),
            "a round": (KEY, "root", "value"),
        }.items()
    }
    assert len({tuple(one) for one in lots.values()}) == len(lots)
    assert lots["one"] == [draw(KEY, "root", "", f"{item}", 8) for item in range(60)]


def test_parts_cannot_be_shifted_into_each_other() -> None:
    assert [uniform(KEY, ["ab", "c"], 1 << 50)] != [uniform(KEY, ["a", "bc"], 1 << 50)]


def test_orders_are_equally_likely() -> None:
    found = Counter(tuple(permutation(KEY, [f"{item}"], 3)) for item in range(3_000))
    assert set(found) == set(permutations(range(3)))
    assert scipy.stats.chisquare(list(found.values())).pvalue > 0.001
