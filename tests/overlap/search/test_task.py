"""What the passages of services say of an instance."""

from __future__ import annotations

import math

import pytest

from dcq.overlap.meteor import PAPER, RELEASE, MeteorSettings
from dcq.overlap.search.service import WebPage
from dcq.overlap.search.task import judge

QUESTION = "What did the ACT theory's critics say of it"
ANSWER = "it cannot be tested"
TEXT = f"{QUESTION} {ANSWER}"


@pytest.mark.parametrize("settings", [PAPER, RELEASE])
def test_snippets_are_judged_as_the_authors_code_does(settings: MeteorSettings) -> None:
    both = WebPage("https://a.org", "", (TEXT, "and more"), (TEXT, ""))
    other = WebPage("https://b.org", "", ("nothing of the kind",), ("",))
    found = judge([[TEXT]], ANSWER, [other, both], settings)
    [passage] = found.passages
    assert (passage.url, passage.text, passage.label_score) == ("https://a.org", TEXT, 1)
    assert passage.score == found.score > 0.99
    assert [TEXT[slice(*mark)] for mark in passage.marks][:2] == ["What", "did"]
    assert judge([[TEXT]], ANSWER, [other], settings).passages == ()
    assert judge([[TEXT]], ANSWER, [], settings).score == 0
    known = f"{QUESTION} so that nobody knows today"
    alone = WebPage("https://a.org", "", (known,), ("",))
    [passage] = judge([[f"{known} untestable"]], "untestable", [alone], settings).passages
    assert passage.label_score == 0
    [unlabelled] = judge([[known]], "", [alone], settings).passages
    assert unlabelled.label_score is None


def test_a_query_in_pieces_needs_all_of_them() -> None:
    pieces = [f"{QUESTION} in the first half", f"{ANSWER} as the second half has it"]
    first = WebPage("https://a.org", "", (pieces[0],), ("",))
    second = WebPage("https://a.org", "", (pieces[1],), ("",))
    half = judge([pieces], "", [first], PAPER)
    assert half.passages == ()
    assert 0.3 < half.score < 0.7
    whole = judge([pieces], "", [first, second], PAPER)
    assert whole.score > 0.99
    [passage] = whole.passages
    assert passage.text == pieces[0]  # the one that has most of it
    elsewhere = WebPage("https://b.org", "", (pieces[1],), ("",))
    assert judge([pieces], "", [first, elsewhere], PAPER).passages == ()


def test_the_input_alone_is_found_where_the_answer_is_long() -> None:
    long_answer = "so they counted every apple in the orchard before the evening came"
    page = WebPage("https://a.org", "", (QUESTION,), ("",))
    text = f"{QUESTION} {long_answer}"
    assert judge([[text]], long_answer, [page], PAPER).passages == ()
    [passage] = judge([[text], [QUESTION]], long_answer, [page], PAPER).passages
    assert passage.score > 0.99
    assert passage.label_score is not None
    assert passage.label_score < PAPER.threshold


def test_pages_without_words_are_nothing() -> None:
    pages = [
        WebPage("", "", (), ()),
        WebPage("x", "", ("...", ""), ("", "")),
        WebPage("y", "", ("!",), ("",)),
    ]
    found = judge([[TEXT], ["?!"]], "?", pages, PAPER)
    assert (found.score, found.passages) == (0, ())
    assert not math.isnan(found.score)
