from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.ui.overlap.result import link_of, mark_words
from tests.conftest import letters


def test_matching_words_are_marked_and_neighbours_drawn_together() -> None:
    passage = "Well: the brown mare, was sold"
    marks = [(6, 9), (10, 15), (16, 20), (26, 30)]
    assert letters(mark_words(passage, marks)) == (
        "Well: :gray-background[**the brown mare**], was :gray-background[**sold**]"
    )


def test_foreign_text_stays_text() -> None:
    passage = "<b>x</b> [a](http://b) :red[c] $d$ **e**"
    marked = mark_words(passage, [(0, 3), (9, 12)])
    assert "\\<b\\>" in marked
    assert "](http" not in marked
    assert letters(mark_words(passage, [])) == passage


def test_tabs_and_line_breaks_keep_the_marks_in_place() -> None:
    assert mark_words("a\tb  mare", [(5, 9)]) == "a b \u00a0:gray-background[**mare**]"
    marked = letters(mark_words("a mare\nsold", [(2, 6), (7, 11)]))
    assert marked == "a :gray-background[**mare**]\n:gray-background[**sold**]"


MARKS = st.lists(st.tuples(st.integers(-3, 30), st.integers(-3, 30)), max_size=6)


@given(st.text(alphabet="ab *_[]():\n\t", max_size=25), MARKS)
def test_whatever_the_marks_every_letter_is_shown_once(
    passage: str, marks: list[tuple[int, int]]
) -> None:
    shown = mark_words(passage, marks).replace(":gray-background", "")
    assert [c for c in shown if c in "ab"] == [c for c in passage if c in "ab"]


@pytest.mark.parametrize(
    ("address", "label"),
    [
        ("https://www.a.org/b?c=d", "www.a.org/b"),
        ("HTTP://a.org", "a.org"),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("ftp://a.org/x", None),
        ("//a.org/x", None),
        ("https://", None),
        ("http://[bad", None),
        ("https://a.org/ javascript:", None),
        ("https://a.org/\nx", None),
        ("https://a.org/\u202excod", None),
        ("/corpus/a.jsonl", None),
        ("", None),
    ],
)
def test_only_web_addresses_become_links(address: str, label: str | None) -> None:
    found = link_of(address)
    assert found == (None if label is None else (label, address))
