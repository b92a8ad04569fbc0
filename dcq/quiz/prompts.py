"""The published prompts, each with its version, its layout and its settings.

The protocol *is* this wording, so it is verbatim: protocol v1 as printed in the paper's Figure 1
(the question), protocol v2 as sent by the authors' release (github.com/shahriargolchin/DCQ,
Apache-2.0). A wording is never changed once released: a change is a new version, so that questions
asked with an older one can still be rebuilt. Dashes are those of the figures.

The requests for rewordings are in ``dcq.variants.prompts``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dcq.asking.prompt import Prompt, fill
from dcq.errors import InputError
from dcq.records import LETTERS, QuizKind


@dataclass(frozen=True)
class QuestionLayout:
    """The parts of a question: the instruction, ``opening``, the options, ``closing``. Each option
    is its letter, ``mark`` and its text; options are separated by an empty line."""

    opening: str
    mark: str
    closing: str


FIGURE_1 = QuestionLayout(opening="\n\n—\n\n", mark=") ", closing="\n\n—\n\nAnswer:")
RELEASE = QuestionLayout(opening="\n---\n", mark=")\n", closing="\n---\nANSWER:\n")


QUIZ_V1 = Prompt(
    name="quiz",
    version="v1",
    wording=(
        "Instruction: Your task is to accurately select the option that corresponds exactly to an "
        "instance from the {split} split of the {dataset} dataset. "
        "Only generate a single option letter as your answer."
    ),
    temperature=0.0,
    max_tokens=5,
)

# Five options in our own wording, from before the release's was known. Quizzes frozen with it are
# still asked and verified with it; no new quiz is.
QUIZ_V2 = Prompt(
    name="quiz",
    version="v2",
    wording=(
        "Instruction: Your task is to accurately select, from the five options, the one that "
        "corresponds exactly to an instance from the {split} split of the {dataset} dataset. "
        "If you do not know which one it is, select option E. "
        "Only generate a single option letter as your answer."
    ),
    temperature=0.0,
    max_tokens=1,
)

QUIZ_V2_RELEASE = Prompt(
    name="quiz",
    version="v2-release",
    wording=(
        "You are provided with a five-choice quiz. Your task is to CORRECTLY select the option "
        "that EXACTLY corresponds to an instance from the {split_name} split of the "
        "{dataset_name} dataset.\n\n"
        "When selecting the option, you MUST ensure that you follow the following rules:\n"
        "(1) You MUST ensure that you ONLY generate a single option letter as your answer.\n"
        "(2) If you do not know the dataset or the correct answer, you MUST select option "
        '"E) None of the provided options."\n\n'
        "Hint: While all the following options seem similar in terms of meaning, there is ONLY "
        "one option that reflects the EXACT WORDING with respect to the original instance."
    ),
    temperature=0.0,
    max_tokens=1,
)

NONE_OF_THESE = "None of the provided options."  # the fifth option of every v2 question

QUIZ_PROMPTS: Mapping[str, Prompt] = {
    prompt.id: prompt for prompt in (QUIZ_V1, QUIZ_V2, QUIZ_V2_RELEASE)
}

_LAYOUTS = {QUIZ_V2_RELEASE.id: RELEASE}  # all others have the layout of the paper's figure


def prompt_for(kind: QuizKind) -> Prompt:
    """The prompt that a new quiz of this kind is asked with."""
    return QUIZ_V2_RELEASE if kind in {QuizKind.BDQ, QuizKind.BCQ} else QUIZ_V1


def as_stored(prompt_id: str, wording: str) -> Prompt:
    """The prompt of a stored run: layout and settings of its version, the wording saved with it.
    Raises InputError if this release does not know the version."""
    try:
        return replace(QUIZ_PROMPTS[prompt_id], wording=wording)
    except KeyError:
        raise InputError(
            f"This release of dcq does not have the prompt {prompt_id}; update dcq."
        ) from None


def quiz_prompt(prompt: Prompt, dataset: str, split: str, options: Sequence[str]) -> str:
    """The question as sent: in the layout of the prompt's version, options lettered from A."""
    names = {"{dataset}": dataset, "{dataset_name}": dataset}
    names |= {"{split}": split, "{split_name}": split}
    layout = _LAYOUTS.get(prompt.id, FIGURE_1)
    lettered = "\n\n".join(
        f"{letter}{layout.mark}{text}" for letter, text in zip(LETTERS, options, strict=False)
    )
    return f"{fill(prompt.wording, names)}{layout.opening}{lettered}{layout.closing}"
