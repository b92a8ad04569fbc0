from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.records import Instance
from dcq.variants.checks import check
from dcq.variants.concerns import Concern, Span, find_concern


def _cut(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("name", "original", "variant", "lost", "new"),
    [
        ("number-changed", "In 1984, 5 of 5.", "In 1985, 5 of 6.", ["1984", "5", "5"],
         ["1985", "6"]),
        ("numeral-changed", "他买了三百只羊。", "他买了四百只羊。", ["三百"], ["四百"]),
        ("digits-changed", "Big room 12", "Large room ١٢", ["12"], ["١٢"]),
        ("name-changed", "Then the old miller quietly met Maria.",
         "Then the old miller quietly met her.", ["Maria"], []),
        ("symbol-changed", "It costs 5 $ + tax.", "It costs 5 € + tax.", ["$"], ["€"]),
        ("punctuation-changed", "He came; he saw.", "He came: he saw!", [";", "."], [":", "!"]),
        ("length", "short", "a very much longer text", [], []),
    ],
)  # fmt: skip
def test_a_finding_is_about_these_words(
    name: str, original: str, variant: str, lost: list[str], new: list[str]
) -> None:
    assert name in {finding.check for finding in check(Instance(original), variant)}
    found = find_concern(name, original, variant)
    assert _cut(original, found.lost) == lost
    assert _cut(variant, found.new) == new


def test_a_label_that_was_changed_or_has_more_on_its_line() -> None:
    original, label = "The sky.\nLabel: 1 (Wet)", "Label: 1 (Wet)"
    changed = find_concern("label-changed", original, "The air.\nLabel: 2 (Dry)", [label])
    assert _cut(original, changed.lost) == [label]
    longer = "The air.\nLabel: 1 (Wet) indeed"
    more = find_concern("label-changed", original, longer, [label])
    assert (more.lost, _cut(longer, more.new)) == ((), ["Label: 1 (Wet) indeed"])


_TEXTS = st.text("aB1.5;$ \n三١é<", max_size=40)


@given(_TEXTS, _TEXTS, st.lists(_TEXTS, max_size=2))
def test_every_part_lies_within_its_text(original: str, variant: str, protected: list[str]) -> None:
    for finding in check(Instance(original, {}, None, tuple(protected)), variant):
        found = find_concern(finding.check, original, variant, protected)
        for text, spans in ((original, found.lost), (variant, found.new)):
            assert all(0 <= start < end <= len(text) for start, end in spans)
            assert list(spans) == sorted(spans)


@given(_TEXTS)
def test_a_text_raises_no_concern_about_itself(text: str) -> None:
    for name in ("number-changed", "symbol-changed", "punctuation-changed", "name-changed"):
        assert find_concern(name, text, text) == Concern()
