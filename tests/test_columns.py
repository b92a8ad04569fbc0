"""Instances read back: what their lines show of their columns."""

from __future__ import annotations

import pytest

from dcq.columns import body_of, pieces_of, shown_columns
from dcq.records import Instance


@pytest.mark.parametrize(
    ("instance", "body", "shown"),
    [
        (
            Instance("Article: Oil\nLabel: 2", {"text": "Oil", "label": "2"}, "2", ("Label: 2",)),
            "Article: Oil",
            ["Oil"],
        ),
        (Instance("One.\nTwo.", {"b": "Two.", "a": "One."}), "One.\nTwo.", ["One.", "Two."]),
        (Instance("Gen 1:1 In the", {"ref": "Gen 1:1", "verse": "In the"}), "Gen 1:1 In the", []),
        (Instance("Q: a a", {"q": "a", "r": "a a", "s": ""}), "Q: a a", ["a a"]),
        (Instance("", {}), "", []),
    ],
)
def test_columns_are_found_in_the_text(instance: Instance, body: str, shown: list[str]) -> None:
    assert body_of(instance) == body
    assert shown_columns(instance) == shown


def test_the_pieces_of_a_text_are_no_columns_of_their_own() -> None:
    pieces = {"first_piece": "He said:", "second_piece": "hello there"}
    whole = Instance("He said: hello there", {**pieces, "text": "He said: hello there"})
    assert shown_columns(whole) == ["He said: hello there"]
    assert pieces_of(whole) == ("He said:", "hello there")
    # Unless the text is made of them.
    made = Instance("First: He said:\nSecond: hello there", pieces)
    assert shown_columns(made) == ["He said:", "hello there"]
    assert pieces_of(Instance("x", {"text": "x"})) is None
