from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.records import Outcome, Reply
from dcq.replication.completion import ReplyKind, read_completion
from dcq.replication.pieces import PieceForm, Pieces

PIECES = Pieces(PieceForm.NLI, "The dog chased the cat. It waited.", "The cat waited.", "1", gap="")
CHINESE = Pieces(PieceForm.TEXT, "今天天气很好，", "我们去公园。", gap="")


@pytest.mark.parametrize(
    ("reply", "read", "text"),
    [
        (Reply("The cat waited."), ReplyKind.COMPLETION, "The cat waited."),
        (Reply(" Sentence 2: The cat waited.\n"), ReplyKind.COMPLETION, "The cat waited."),
        (Reply("The cat wai", "length"), ReplyKind.CUT, "The cat wai"),
        (Reply(None), ReplyKind.EMPTY, None),
        (Reply(" \n"), ReplyKind.EMPTY, None),
        (Reply("…", "stop"), ReplyKind.EMPTY, None),
        (Reply("", "length"), ReplyKind.EMPTY, None),
        (Reply(None, "content_filter"), ReplyKind.REFUSED, None),
        (Reply(None, refusal="no"), ReplyKind.REFUSED, None),
        (Reply("I'm sorry, but I can't assist with that request."), ReplyKind.REFUSED, None),
        (Reply("I don't have access to the WNLI dataset."), ReplyKind.REFUSED, None),
        (Reply("I can't believe how slow it was."), ReplyKind.COMPLETION,
         "I can't believe how slow it was."),
        (Reply("The dog chased the cat. It waited."), ReplyKind.REPEATED, None),
        (Reply("the dog  chased\nthe cat. It waited. The cat waited."), ReplyKind.COMPLETION,
         "The cat waited."),
        (Reply("SENTENCE 1:\nThe dog chased the cat. It waited.\n\nLABEL: 1\nSENTENCE 2:\nA cat."),
         ReplyKind.COMPLETION, "A cat."),
        (Reply("猫在等。"), ReplyKind.COMPLETION, "猫在等。"),
    ],
)  # fmt: skip
def test_each_reply_is_one_of_these(reply: Reply, read: ReplyKind, text: str | None) -> None:
    found = read_completion(reply, PIECES)
    assert (found.kind, found.text) == (read, text)
    assert found.reading.value == text
    assert found.reading.reason == read.value
    assert (found.reading.outcome is Outcome.ANSWERED) is (text is not None)


def test_a_first_piece_without_spaces_is_taken_off() -> None:
    found = read_completion(Reply("今天天气很好，我们去公园。"), CHINESE)
    assert (found.text, found.repeated, found.other_script) == ("我们去公园。", True, False)
    assert read_completion(Reply("We went."), CHINESE).other_script


def test_a_word_that_goes_on_is_no_repetition() -> None:
    pieces = Pieces(PieceForm.TEXT, "He saw the cat", "and ran.")
    assert read_completion(Reply("He saw the cats and ran."), pieces).repeated is False
    assert read_completion(Reply('"He saw the cat and ran."'), pieces).text == 'and ran."'


def test_a_second_piece_that_begins_as_the_first_is_left_whole() -> None:
    pieces = Pieces(PieceForm.NLI, "The cat", "The cat sleeps.", "1", gap="")
    assert read_completion(Reply("The cat sleeps."), pieces).text == "The cat sleeps."


def test_a_text_that_itself_reads_as_a_refusal() -> None:
    pieces = Pieces(PieceForm.TEXT, "He wrote:", "I am sorry, I cannot help you.")
    found = read_completion(Reply("I am sorry, I cannot help you."), pieces)
    assert found.kind is ReplyKind.COMPLETION


@given(st.text(max_size=200), st.text(min_size=1, max_size=60), st.text(max_size=60))
def test_any_reply_is_read(reply: str, first: str, second: str) -> None:
    found = read_completion(Reply(reply), Pieces(PieceForm.TEXT, first, second))
    assert (found.text is not None) is (found.kind in {ReplyKind.COMPLETION, ReplyKind.CUT})
    assert found.text is None or found.text in reply


def test_a_long_reply_takes_no_longer_than_its_length() -> None:
    pieces = Pieces(PieceForm.TEXT, "a " * 100_000, "b")
    started = time.process_time()
    for text in ("a " * 1_000_000, "*" * 2_000_000, "label" * 400_000, "\n " * 1_000_000):
        read_completion(Reply(text), pieces)
    assert time.process_time() - started < 10  # seconds of the processor
