"""Long replies are read in time: at three million characters these took minutes, or hours."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from dcq.quiz.parse import read_reply
from dcq.records import Outcome, Reply
from dcq.variants.reply import read_variants

pytestmark = pytest.mark.slow

LENGTH = 750_000
# What takes a minute at three million characters, and four times as long at twice the length, takes
# this at ours. Seconds of this process, so that other work on the machine does not count.
MOST = 60 / 4**2
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


@pytest.fixture
def _in_time() -> Iterator[None]:
    """Fails where the test takes more than ``MOST``."""
    began = time.process_time()
    yield
    assert time.process_time() - began < MOST


@pytest.mark.usefixtures("_in_time")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("before", ["", "A, "])
def test_a_long_reply_is_read_in_time(unit: str, before: str) -> None:
    text = before + unit * (LENGTH // len(unit)) + "!"
    assert read_reply(Reply(text), 5).outcome in set(Outcome)


@pytest.mark.usefixtures("_in_time")
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
