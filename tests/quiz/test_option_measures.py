from __future__ import annotations

import pytest

from dcq.quiz import option_measures


def test_each_option_has_its_length_and_its_likeness() -> None:
    original, a, b = option_measures.measure_options("one two", {1: "one two three", 0: "one six"})
    assert [o.name for o in (original, a, b)] == ["original", "A", "B"]
    assert [o.length for o in (original, a, b)] == [7, 7, 13]
    # Jaccard: original with A 1/3, with B 2/3; A with B 1/4.
    assert original.centrality == pytest.approx((1 / 3 + 2 / 3) / 2)
    assert b.centrality == pytest.approx((2 / 3 + 1 / 4) / 2)


def test_an_original_alone_stands_nowhere() -> None:
    [alone] = option_measures.measure_options("one two", {})
    assert alone.centrality is None
    assert option_measures.what_stands_out([alone]) == []


@pytest.mark.parametrize(
    ("variants", "said"),
    [
        ({0: "one six twelve", 1: "two nine eleven"}, ["the shortest", "the most like the others"]),
        ({0: "six", 1: "nine"}, ["the longest"]),
        ({0: "six two", 1: "six two", 2: "six two"}, []),
    ],
)
def test_an_original_that_stands_out_is_named(variants: dict[int, str], said: list[str]) -> None:
    assert (
        option_measures.what_stands_out(option_measures.measure_options("one two", variants))
        == said
    )
