from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.overlap.query import NO_WORDS, Query, Skipped, coverage, cut, verbalize
from dcq.overlap.tokens import split

OPTIONS = "\nChoices:\nA: Only applicable to a motor system\nB: Untestable\nC: Lacking"


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        ("Some considered it ____.", "untestable", "Some considered it untestable."),
        ("Why is the sky blue?", "Rayleigh scattering", "Why is the sky blue? Rayleigh scattering"),
        ("____ and ____ are noble.", "Neon, argon", "Neon and argon are noble."),
        ("____和____是", "氖，氩", "氖和氩是"),
        ("A is _ than B", "taller", "A is taller than B"),
        ("____ and ____ are one.", "Two", "and are one. Two"),
        ("The name snake_case stays", "yes", "The name snake_case stays yes"),
        ("____ is big", "", "is big"),
        ("Some considered it ____" + OPTIONS, "\\1 odd", "Some considered it \\1 odd"),
    ],
)
def test_the_answer_fills_the_blanks_or_follows(question: str, answer: str, text: str) -> None:
    made = verbalize("1", question, answer)
    assert isinstance(made, Query)
    assert made.text == text
    assert "_" not in made.input.replace("snake_case", "")
    assert "motor" not in made.input


def test_one_line_that_looks_like_an_option_is_kept() -> None:
    made = verbalize("1", "Which plan?\nA: go\nthen what", "stay")
    assert isinstance(made, Query)
    assert made.input == "Which plan? A: go then what"


def test_a_question_of_options_alone_is_kept() -> None:
    made = verbalize("1", "A: one\nB: two")
    assert isinstance(made, Query)


@pytest.mark.parametrize("question", ["", " \n", "____", "?!"])
def test_without_words_there_is_a_reason(question: str) -> None:
    assert verbalize("7", question, "yes") == Skipped("7", NO_WORDS)


@given(st.text(), st.integers(1, 40), st.none() | st.integers(1, 8))
def test_pieces_are_small_and_hold_everything(
    text: str, characters: int, words: int | None
) -> None:
    pieces = cut(text, characters, words)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    for piece in pieces:
        assert 0 < len(piece) <= characters
        assert words is None or len(split(piece)) <= words


def test_a_text_that_fits_is_one_piece() -> None:
    assert cut("one two\nthree", 100, 3) == ("one two\nthree",)
    assert cut("one two three four", 100, 3) == ("one two three", "four")


def test_coverage_counts_each_instance_once() -> None:
    made = [verbalize("1", "one"), verbalize("2", "two"), verbalize("3", "?")]
    counted = coverage(made, ["2", "2", "9"])
    assert (counted.total, counted.searched, counted.found) == (3, 2, 1)
    assert counted.skipped == ((NO_WORDS, 1),)
    assert counted.share == 0.5
    assert coverage([], []).share is None
