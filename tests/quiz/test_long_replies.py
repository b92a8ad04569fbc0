"""Replies of millions of characters are read in time: each of these took minutes, or hours."""

from __future__ import annotations

import pytest

from dcq.quiz.parse import read_reply
from dcq.records import Outcome, Reply
from dcq.variants.reply import read_variants

LENGTH = 3_000_000
UNITS = {
    "A A A": "A ",
    "A, A, A": "A, ",
    "A) A) A)": "A) ",
    "A lines": "A\n",
    "brackets": "(",
    "stars": "* * *",
    "commas": ",",
    "spaces": " ",
    "empty lines": "\n",
    "lines of a space": " \n",
    "not the not the": "not the ",
    "is is is": "is ",
    "colons": " : ",
    "combining marks": "\u0300\u0327",
    "rules": "\n-",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("before", ["", "A, "])
def test_a_long_reply_is_read_in_time(unit: str, before: str) -> None:
    text = before + unit * (LENGTH // len(unit)) + "!"
    assert read_reply(Reply(text), 5).outcome in set(Outcome)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_long_rewordings_are_read_in_time(unit: str) -> None:
    text = "A) one" + unit * (LENGTH // len(unit)) + "\nB) two"
    assert len(read_variants(text, 2, "Text: three")) <= 2


@pytest.mark.parametrize(
    ("reply", "letter"),
    [("A, or B", None), ("A ,,, B", None), ("A & , B", None), ("D,,,,", "D"), ("is : : B", None)],
)
def test_what_joins_two_letters_is_read_as_before(reply: str, letter: str | None) -> None:
    assert read_reply(Reply(reply), 4).value == letter
