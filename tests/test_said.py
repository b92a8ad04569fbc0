"""What of a model's content is its reply; ``tests/world/test_replies.py`` has what servers send."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.records import Instance, Reply
from dcq.replication.completion import read_completion
from dcq.replication.pieces import PieceForm, Pieces
from dcq.said import read_content
from dcq.variants.reply import read_variants

PLAIN = [
    "A completion that mentions <think>this</think> and </s> in the middle.",
    "def f():\n    return '<|im_end|>' + x",
    "analysis of the results shows",
    "final words",
    "  indented",
    "A) <think>one</think>\nB) two",
    '{"a": 1}',
    "5 } and {",
]


@pytest.mark.parametrize("text", PLAIN)
def test_what_stands_in_the_middle_of_a_reply_stays(text: str) -> None:
    read = read_content(text)
    assert (read.text, read.thought) == (text, False)


@given(st.text(alphabet="abc ABC.,:()\n中文Ж"))
def test_a_reply_without_marks_is_verbatim(text: str) -> None:
    assert read_content(text).text == text


OWN = [
    "<think>x</think> the rest </s>",
    "rest of it</s>",
    "[INST] do it [/INST]",
    "```\ncode\n```",
    "<answer>42</answer>",
    "\\boxed{5}",
    "a thought</think> and on",
    "<|channel|>analysis<|message|>x",
    "<s>begin",
]


@pytest.mark.parametrize("own", OWN)
def test_marks_that_the_text_has_itself_stay(own: str) -> None:
    assert read_content(own, own).text == own


def test_a_thought_before_a_text_that_begins_with_one_is_taken_off() -> None:
    own = "<think>x</think> the rest"
    assert read_content(f"<think>\nWell.\n</think>\n\n{own}", own).text == own


@pytest.mark.parametrize("own", OWN)
def test_a_completion_keeps_what_belongs_to_the_text(own: str) -> None:
    pieces = Pieces(PieceForm.TEXT, "Before it stood this,", own, None)
    read = read_content(own)
    reply = Reply(read.text, as_sent=own)
    assert read_completion(reply, pieces).text == own.strip()


def test_a_draft_in_a_thought_is_no_rewording() -> None:
    reply = read_content(
        "<think>\nA) draft one\nB) draft two\n</think>\n\nA) the one\nB) the other"
    )
    assert read_variants(reply.text, 2, Instance("Text").text) == ["the one", "the other"]


@pytest.mark.slow
@pytest.mark.parametrize("before", ["", "<think>", "analysisWe", "x"])
@pytest.mark.parametrize(
    "unit",
    ["<think>", "</think>", "<think></think>", "<", " ", "<|channel|>", "final", "</s>", "{",
     "```\n", "\\boxed{", "[THINK]", "<answer>", "assistantfinal",
     "<think ", "x_:", "思", "<|im_end|> "],
)  # fmt: skip
def test_long_content_is_read_in_time(before: str, unit: str) -> None:
    """At three million characters, a quadratic reader takes minutes."""
    began = time.process_time()
    read_content(before + unit * (750_000 // len(unit)))
    assert time.process_time() - began < 2
