"""Instances read back: what their lines show of their columns."""

from __future__ import annotations

import pytest

from dcq.columns import body_of, shown_columns
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
