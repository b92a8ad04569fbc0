import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.quiz.parse import read_reply
from dcq.records import Outcome, Reply

ANSWERS = {
    "D": "D",
    "d": "D",
    "D)": "D",
    " D) Article: Vitamin A": "D",
    "**D**": "D",
    "(D)": "D",
    "[B]": "B",
    "`C`": "C",
    "D.": "D",
    "D\n\nBecause A was odd": "D",
    "Ｄ": "D",
    "Ｄ）": "D",
    "The answer is **D**.": "D",
    "Answer: c": "C",
    "Option B": "B",
    "The correct answer is A": "A",
    "The answer is A because it reads well": "A",
    "It's D.": "D",
    "I'd go with B": "B",
    "答案是D": "D",
    "La respuesta es B": "B",
    "A) Article: Oil and": "A",
    "A.\nLabel: 2 (B)": "A",
    "D and nothing else": "D",
    "A. It is not a rewording": "A",
    "I'm not sure, but it is D": "D",
    "D) B is wrong, said the man": "D",
}
NO_LETTER = [
    "A or B",
    "A, C",
    "A/B",
    "A) or B)",
    "A\nB\nC\nD",
    "B is correct, not C",
    "Both A and B",
    "A man said",
    "a riddle",
    "the answer is a riddle",
    "Plan B failed",
    "Vitamin D. is good",
    "D-day",
    "BEA",
    "ISD",
    "Definitely not option B.",
    "I don't think it is B",
    "C is wrong.",
    "A is not it",
    "Anything but D",
    "La respuesta no es B",
    "答案不是B",
    "Article: Rising crude rates",
    "None",
    "E",
    "F)",
    "1",
    "…",
]


@pytest.mark.parametrize(("text", "letter"), ANSWERS.items())
def test_one_letter_is_an_answer(text: str, letter: str) -> None:
    reading = read_reply(Reply(text), 4)
    assert (reading.outcome, reading.value) == (Outcome.ANSWERED, letter)


@pytest.mark.parametrize("text", NO_LETTER)
def test_anything_else_is_invalid_with_its_reason(text: str) -> None:
    reading = read_reply(Reply(text), 4)
    assert (reading.outcome, reading.value) == (Outcome.INVALID, None)
    assert reading.reason


@pytest.mark.parametrize(
    ("reply", "outcome", "reason"),
    [
        (Reply(None), Outcome.INVALID, "empty"),
        (Reply("  \n"), Outcome.INVALID, "empty"),
        (Reply("", finish_reason="length"), Outcome.INVALID, "token limit"),
        (Reply(None, refusal="I can't help with that."), Outcome.REFUSED, "refusal field"),
        (Reply(None, finish_reason="content_filter"), Outcome.REFUSED, "content filter"),
        (Reply("I'm sorry, but I can't do that."), Outcome.REFUSED, "in words"),
        (Reply("I cannot"), Outcome.REFUSED, "in words"),
    ],
)
def test_no_reply_and_refusals(reply: Reply, outcome: Outcome, reason: str) -> None:
    reading = read_reply(reply, 4)
    assert reading.outcome is outcome
    assert reason in reading.reason


@pytest.mark.parametrize("text", ["E", "e)", "E) None of these", "None of the provided options."])
def test_none_is_an_outcome_of_five_options_only(text: str) -> None:
    assert read_reply(Reply(text), 5).outcome is Outcome.NONE
    assert read_reply(Reply(text), 4).outcome is Outcome.INVALID


@given(st.text())
def test_any_text_comes_to_exactly_one_outcome(text: str) -> None:
    reading = read_reply(Reply(text), 4)
    assert (reading.value is None) == (reading.outcome is not Outcome.ANSWERED)
    assert reading.value in {None, *"ABCD"}


@given(
    st.sampled_from("ABCD"),
    st.sampled_from(["{}", "{})", "({})", "**{}**", "{}.", "Option {}", "The answer is {}."]),
    st.sampled_from(["", " ", "\n"]),
)
def test_the_letter_named_is_the_letter_read(letter: str, form: str, space: str) -> None:
    assert read_reply(Reply(space + form.replace("{}", letter) + space), 4).value == letter


@given(st.lists(st.sampled_from("ABCD"), min_size=2, max_size=4, unique=True))
def test_two_letters_are_never_one_answer(letters: list[str]) -> None:
    for joint in (" or ", ", ", "/", "\n", ") "):
        assert read_reply(Reply(joint.join(letters)), 4).value is None
