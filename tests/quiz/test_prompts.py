"""The published wordings, checked against the text of the figures letter by letter."""

from hypothesis import given
from hypothesis import strategies as st

from dcq.quiz.prompts import (
    NONE_OF_THESE,
    QUIZ_V1,
    QUIZ_V2,
    perturbation_prompt,
    prompt_for,
    quiz_prompt,
)
from dcq.records import Kind

FIGURE_1 = """\
Instruction: Your task is to accurately select the option that corresponds exactly to an instance \
from the train split of the AG News dataset. Only generate a single option letter as your answer.

—

A) one

B) two

C) three

D) four

—

Answer:"""

FIGURE_4 = """\
Instruction: Your task is to create a three-choice quiz by only replacing the words in the \
provided text with their synonyms. The meaning and sentence structure of the three new options \
must exactly mirror every detail in the text. You must not include the provided text as an \
option. You must make sure that:

(1) You generate three distinct options based on the provided text;
(2) Options are ordered;
(3) There is not any extra explanation; and
(4) You comply with every specific symbol and letter detail in the given text.

—

Text:

Article: Oil
Label: 2 (Business)

—"""


def test_figure_1() -> None:
    assert quiz_prompt(QUIZ_V1, "AG News", "train", ["one", "two", "three", "four"]) == FIGURE_1


def test_figure_4() -> None:
    assert perturbation_prompt("Article: Oil\nLabel: 2 (Business)", 3) == FIGURE_4


def test_a_fourth_option_for_the_ablation() -> None:
    asked = perturbation_prompt("text", 4)
    assert "four-choice quiz" in asked
    assert "four distinct options" in asked


def test_one_missing_option_reads_as_one() -> None:
    assert "the one new option must" in perturbation_prompt("text", 1)


def test_protocol_settings() -> None:
    assert (QUIZ_V1.temperature, QUIZ_V1.max_tokens) == (0.0, 5)
    assert (QUIZ_V2.temperature, QUIZ_V2.max_tokens) == (0.0, 1)


def test_each_kind_has_the_prompt_of_its_protocol() -> None:
    assert {kind: prompt_for(kind).id for kind in Kind} == {
        Kind.MODIFIED: "quiz/v1",
        Kind.STANDARD: "quiz/v1",
        Kind.ROTATED: "quiz/v1",
        Kind.BDQ: "quiz/v2",
        Kind.BCQ: "quiz/v2",
    }


def test_the_five_option_form() -> None:
    options = ["one", "two", "three", "four", NONE_OF_THESE]
    sent = quiz_prompt(QUIZ_V2, "AG News", "train", options)
    first = sent.partition("\n")[0]
    assert "the train split of the AG News dataset" in first
    assert "five options" in first
    assert "select option E" in first
    assert sent.endswith("D) four\n\nE) None of the provided options.\n\n—\n\nAnswer:")


@given(st.text(min_size=1), st.text(min_size=1))
def test_texts_stand_in_the_prompt_as_they_are(option: str, title: str) -> None:
    sent = quiz_prompt(QUIZ_V1, title, "train", [option, "{split} {dataset}", "x", "y"])
    assert f"A) {option}\n\nB) {{split}} {{dataset}}\n\n" in sent
    assert f"of the {title} dataset." in sent
    assert option in perturbation_prompt(option, 3)
