"""The published wordings, checked against the text of the figures letter by letter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.asking.prompt import sha256
from dcq.errors import InputError
from dcq.quiz.prompts import (
    NONE_OF_THESE,
    QUIZ_V1,
    QUIZ_V2,
    QUIZ_V2_RELEASE,
    as_stored,
    prompt_for,
    quiz_prompt,
)
from dcq.records import QuizKind
from dcq.variants.prompts import PERTURB_V1, PERTURB_V1_OWN, PERTURB_V2, perturbation_prompt

# SHA-256 of the two prompts in the authors' release, with the release's own placeholders in them.
RELEASED_QUESTION = "0c7eb7bdb83bf4b7f6ad6bdbdc1fc860185a1a8d7a3b8863d93e4bb1a7ffe27d"
RELEASED_REWORDING = "a8088732c48b950700192e9e987adf864b6920e88fb188c6cc064ee46e645a8e"

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
    text = "Article: Oil\nLabel: 2 (Business)"
    assert perturbation_prompt(PERTURB_V1, text, 3) == FIGURE_4
    with pytest.raises(InputError, match="perturb/v1 asks for 3"):
        perturbation_prompt(PERTURB_V1, text, 4)


def test_any_other_number_is_asked_for_in_words_of_our_own() -> None:
    asked = perturbation_prompt(PERTURB_V1_OWN, "text", 2)
    assert "two-choice quiz" in asked
    assert "two distinct options" in asked
    assert "the one new option must" in perturbation_prompt(PERTURB_V1_OWN, "text", 1)
    assert PERTURB_V1_OWN.id == "perturb/v1-own"


def test_the_releases_question_byte_for_byte() -> None:
    options = ["{option_a}", "{option_b}", "{option_c}", "{option_d}", NONE_OF_THESE]
    sent = quiz_prompt(QUIZ_V2_RELEASE, "{dataset_name}", "{split_name}", options)
    assert sha256(sent) == RELEASED_QUESTION
    assert sent.startswith("You are provided with a five-choice quiz.")
    assert sent.endswith("\nD)\n{option_d}\n\nE)\nNone of the provided options.\n---\nANSWER:\n")


def test_the_releases_rewording_byte_for_byte() -> None:
    sent = perturbation_prompt(PERTURB_V2, "{original_instance}", 4)
    assert sha256(sent) == RELEASED_REWORDING
    assert "\n---\nINPUT TEXT:\n{original_instance}\n---\nFORMAT:\n\nA)\n" in sent
    assert sent.endswith("Fourth word-level perturbation goes here\n---\n")


def test_protocol_settings() -> None:
    assert (QUIZ_V1.temperature, QUIZ_V1.max_tokens) == (0.0, 5)
    for five_options in (QUIZ_V2, QUIZ_V2_RELEASE):
        assert (five_options.temperature, five_options.max_tokens) == (0.0, 1)
    for rewording in (PERTURB_V1, PERTURB_V1_OWN, PERTURB_V2):
        assert (rewording.temperature, rewording.max_tokens) == (1.0, 4000)


def test_each_kind_has_the_prompt_of_its_protocol() -> None:
    assert {kind: prompt_for(kind).id for kind in QuizKind} == {
        QuizKind.MODIFIED: "quiz/v1",
        QuizKind.STANDARD: "quiz/v1",
        QuizKind.ROTATED: "quiz/v1",
        QuizKind.BDQ: "quiz/v2-release",
        QuizKind.BCQ: "quiz/v2-release",
    }


def test_the_five_option_form_of_earlier_quizzes() -> None:
    options = ["one", "two", "three", "four", NONE_OF_THESE]
    sent = quiz_prompt(QUIZ_V2, "AG News", "train", options)
    first = sent.partition("\n")[0]
    assert "the train split of the AG News dataset" in first
    assert "five options" in first
    assert "select option E" in first
    assert sent.endswith("D) four\n\nE) None of the provided options.\n\n—\n\nAnswer:")


def test_a_stored_prompt_keeps_the_layout_of_its_version() -> None:
    wording = "Pick one of {dataset}, {split}."
    for prompt in (QUIZ_V1, QUIZ_V2, QUIZ_V2_RELEASE):
        again = as_stored(prompt.id, prompt.wording)
        assert again == prompt
    earlier = as_stored("quiz/v2", wording)
    assert quiz_prompt(earlier, "AG News", "train", ["one"]) == (
        "Pick one of AG News, train.\n\n—\n\nA) one\n\n—\n\nAnswer:"
    )
    with pytest.raises(InputError, match="quiz/v9"):
        as_stored("quiz/v9", wording)


@given(st.text(min_size=1), st.text(min_size=1), st.text(min_size=1))
def test_texts_stand_in_the_prompt_as_they_are(option: str, title: str, split: str) -> None:
    tricky = "{split} {dataset} {option_b} {original_instance} \\1"
    sent = quiz_prompt(QUIZ_V1, title, split, [option, tricky, "x", "y"])
    assert f"A) {option}\n\nB) {tricky}\n\n" in sent
    assert f"from the {split} split of the {title} dataset." in sent
    sent = quiz_prompt(QUIZ_V2_RELEASE, title, split, [option, tricky, "x", "y", NONE_OF_THESE])
    assert f"\nA)\n{option}\n\nB)\n{tricky}\n\n" in sent
    assert f"from the {split} split of the {title} dataset.\n" in sent
    for prompt, count in ((PERTURB_V1, 3), (PERTURB_V1_OWN, 1), (PERTURB_V2, 4)):
        assert f"\n{option}\n" in perturbation_prompt(prompt, option, count)
        assert f"\n{tricky}\n" in perturbation_prompt(prompt, tricky, count)


@pytest.mark.parametrize("name", ["{split_name}", "{dataset_name}", "{option_a}"])
def test_a_name_that_looks_like_a_placeholder_is_a_name(name: str) -> None:
    options = ["a", "b", "c", "d", NONE_OF_THESE]
    assert f"of the {name} dataset." in quiz_prompt(QUIZ_V2_RELEASE, name, "test", options)
    assert f"the {name} split of the N dataset" in quiz_prompt(QUIZ_V2_RELEASE, "N", name, options)
