import re
import string
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.effect.reply import first_line, is_same, read_choice
from tests.support.hostile import TEXTS

LABELS = ("0 (negative)", "1 (positive)", "2 (not sure)")


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("1 (positive)", "1 (positive)"),
        ("  1  (Positive).\n", "1 (positive)"),
        ("**1 (POSITIVE)**", "1 (positive)"),
        ("negative", "0 (negative)"),
        ('"Negative!"', "0 (negative)"),
        ("Not  sure", "2 (not sure)"),
        ("1", "1 (positive)"),
        ("1)", "1 (positive)"),
        ("[0]", "0 (negative)"),
        ("(negative).", "0 (negative)"),
        ("[1 (positive)]", "1 (positive)"),
        ("-1", None),
        ("3", None),
        ("()", None),
        ("", None),
        ("...", None),
        ("It is negative", None),
        ("0 (negative); 1 (positive)", None),
        ("Label: 0 (negative)", None),
        ("\ufeff\u200b« Negative »", "0 (negative)"),
        ("「negative」，", "0 (negative)"),
        ("„negative“", "0 (negative)"),
        ("…negative", "0 (negative)"),
    ],
)
def test_a_reply_is_one_choice_or_none(text: str, choice: str | None) -> None:
    assert read_choice(text, LABELS) == choice


def test_a_fraction_is_no_whole_number_and_composed_letters_are_the_same() -> None:
    assert read_choice("5", (".5", "1.5")) is None
    assert read_choice(" .5.", (".5", "1.5")) == ".5"
    assert read_choice(".5", ("5", "6")) is None
    assert read_choice("[.5]", ("5", ".5")) == ".5"
    assert read_choice("(.5)", ("5", "6")) is None
    assert read_choice("...5", ("5", "6")) == read_choice("…5.", ("5", "6")) == "5"
    assert read_choice("x\u00b2.", ("x\u00b2", "x2")) == "x\u00b2"
    assert read_choice("caf\u00e9.", ("Cafe\u0301", "Bar")) == "Cafe\u0301"


def test_a_letter_is_read_in_brackets_unless_these_tell_choices_apart() -> None:
    assert [read_choice(text, ("A", "B")) for text in ("[A]", "B)", "(a).")] == ["A", "B", "A"]
    assert read_choice("(a)", ("(a)", "[a]")) == "(a)"
    assert read_choice("<a>", ("(a)", "[a]")) is None
    assert read_choice("0", ("0 (wet)", "0 (dry)")) is None
    assert read_choice(")", ("(", ")")) == ")"


def test_a_name_that_two_choices_have_is_none() -> None:
    assert read_choice("wet", ("0 (wet)", "1 (Wet)")) is None
    assert read_choice("0 (wet)", ("0 (wet)", "1 (Wet)")) == "0 (wet)"
    assert read_choice("yes", ("0 (yes)", "yes")) == "yes"  # a whole choice comes first


def test_choices_that_differ_by_case_or_punctuation_are_told_by_the_letter() -> None:
    assert read_choice("a", ("a", "A", "b")) == "a"
    assert read_choice("a.", ("a", "A", "b")) is None
    assert read_choice("?", ("?", "!")) == "?"
    assert read_choice(".", ("?", "!")) is None


@given(
    st.lists(st.text(string.ascii_letters, min_size=1), min_size=2, unique_by=str.casefold),
    st.data(),
)
def test_any_choice_is_read_in_any_dress(names: list[str], data: st.DataObject) -> None:
    choices = [f"{place} ({name})" for place, name in enumerate(names)]
    place = data.draw(st.integers(0, len(names) - 1))
    before, after = (data.draw(st.text(" \n\"'*.,!", max_size=4)) for _ in range(2))
    for said in (choices[place], choices[place].upper(), names[place].swapcase()):
        assert read_choice(f"{before}{said}{after}", choices) == choices[place]


@given(st.one_of(st.text(), st.sampled_from(TEXTS)))
def test_no_text_is_an_error_or_a_choice_that_it_does_not_hold(text: str) -> None:
    choice = read_choice(text, LABELS)
    named = [choice[0], re.findall(r"[a-z]+", choice)[0]] if choice else [""]
    assert any(name in unicodedata.normalize("NFKC", text).casefold() for name in named)
    assert "\n" not in first_line(text)
    assert is_same(text, text)


@pytest.mark.parametrize(
    ("given_answer", "answer", "same"),
    [
        ("Paris.", "paris", True),
        ("the U.S.", "The US", True),
        ("3.5 km", "3.5 KM", True),
        ("3.5", "35", True),  # as in the exported task
        ("Paris, France", "Paris", False),
        ("-", "+", False),
        (" + ", "+", True),
        ("", "Paris", False),
    ],
)
def test_short_answers_are_compared_as_the_exported_task_does(
    given_answer: str, answer: str, same: bool
) -> None:
    assert is_same(given_answer, answer) is same


def test_only_the_first_line_is_the_answer() -> None:
    assert first_line("\n Paris \nIt is the capital.") == "Paris"


@pytest.mark.parametrize("unit", [" ", "*", "(", "0 (", "a) ", "\n", "\u0300", "I'm sorry "])
def test_long_replies_are_read_in_time(unit: str) -> None:
    began = time.process_time()
    text = unit * (1_000_000 // len(unit))
    read_choice(text, LABELS)
    is_same(first_line(text), "Paris")
    assert time.process_time() - began < 5
