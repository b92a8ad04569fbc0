"""The published prompts, each with its version, its layout and its settings.

The protocol *is* this wording, so it is exact to the letter: protocol v1 as the paper's Figures 1
(the question) and 4 (the rewordings) print it, protocol v2 as the authors' release sends it
(github.com/shahriargolchin/DCQ, Apache-2.0). A wording is never changed once released: another
one is another version, and what was asked under the older one can still be rebuilt. Dashes are
those of the figures.

Texts are joined to the wording or put in place of its placeholders in one pass, never formatted,
so braces in a dataset's name or in an option mean nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from dcq.errors import InputError
from dcq.records import LETTERS, Kind

_NUMBER_WORDS = {1: "one", 2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True)
class Layout:
    """How a question is put together: the instruction, ``opening``, the options, ``closing``.
    Each option is its letter, ``mark`` and its text; an empty line comes between two."""

    opening: str
    mark: str
    closing: str


FIGURE_1 = Layout(opening="\n\n—\n\n", mark=") ", closing="\n\n—\n\nAnswer:")
RELEASE = Layout(opening="\n---\n", mark=")\n", closing="\n---\nANSWER:\n")


@dataclass(frozen=True)
class Prompt:
    """A named, versioned wording. ``wording`` is the part that is the same for all instances, with
    placeholders in braces; a run keeps it. ``layout`` belongs to the version and serves questions
    only: a request for rewordings is all wording."""

    name: str
    version: str
    wording: str
    temperature: float
    max_tokens: int
    layout: Layout = FIGURE_1

    @property
    def id(self) -> str:
        """``name/version``, as stored with a run."""
        return f"{self.name}/{self.version}"


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

# Five options in words of our own, from before the release's were known. Quizzes frozen with it
# are still asked and verified with it; no new quiz is.
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
    layout=RELEASE,
)

NONE_OF_THESE = "None of the provided options."  # the fifth option of every v2 question

QUIZ_PROMPTS: Mapping[str, Prompt] = {
    prompt.id: prompt for prompt in (QUIZ_V1, QUIZ_V2, QUIZ_V2_RELEASE)
}

_FIGURE_4 = (
    "Instruction: Your task is to create a {count}-choice quiz by only replacing the words in "
    "the provided text with their synonyms. The meaning and sentence structure of the {count} "
    "new options must exactly mirror every detail in the text. You must not include the "
    "provided text as an option. You must make sure that:\n\n"
    "(1) You generate {count} distinct options based on the provided text;\n"
    "(2) Options are ordered;\n"
    "(3) There is not any extra explanation; and\n"
    "(4) You comply with every specific symbol and letter detail in the given text."
    "\n\n—\n\nText:\n\n{text}\n\n—"
)

PERTURB_V1 = Prompt(
    name="perturb",
    version="v1",
    wording=_FIGURE_4.replace("{count}", "three"),
    temperature=1.0,
    max_tokens=4000,
)

# The paper wants one more rewording for its ablation, and a reply may lack some; it prints no
# request for either. This one is ours: Figure 4 with another number.
PERTURB_V1_OWN = replace(PERTURB_V1, version="v1-own", wording=_FIGURE_4)

PERTURB_V2 = Prompt(
    name="perturb",
    version="v2",
    wording=(
        "Your task is to create a four-choice quiz by replacing the words in the provided INPUT "
        "TEXT with their contextually relevant synonyms.\n"
        "The meaning and sentence structure of the four options MUST EXACTLY match every detail "
        "in the INPUT TEXT.\n"
        "You MUST NOT include the provided INPUT TEXT as an option.\n\n"
        "You MUST make sure that:\n"
        "(1) You generate DISTINCT options based on the provided INPUT TEXT;\n"
        "(2) The ONLY difference between options is WORD-LEVEL PERTURBATIONS.\n"
        "(3) Options are ORDERED;\n"
        "(4) There is NOT any extra explanation;\n"
        "(5) You follow the following FORMAT to generate options;\n"
        "(6) You comply with every specific symbol and letter detail in the given INPUT TEXT; and\n"
        "(7) All options retain the EXACT LABEL from the INPUT TEXT, if there is one.\n"
        "---\nINPUT TEXT:\n{original_instance}\n---\nFORMAT:\n\n"
        "A)\nFirst word-level perturbation goes here\n\n"
        "B)\nSecond word-level perturbation goes here\n\n"
        "C)\nThird word-level perturbation goes here\n\n"
        "D)\nFourth word-level perturbation goes here\n---\n"
    ),
    temperature=1.0,
    max_tokens=4000,
)

_ASKS_FOR = {PERTURB_V1.id: 3, PERTURB_V2.id: 4}  # PERTURB_V1_OWN asks for any number


class Protocol(StrEnum):
    """The published protocols: v1 is the paper's, v2 that of the authors' release."""

    V1 = "v1"
    V2 = "v2"


def prompt_for(kind: Kind) -> Prompt:
    """The prompt that a new quiz of this kind is asked with."""
    return QUIZ_V2_RELEASE if kind in {Kind.BDQ, Kind.BCQ} else QUIZ_V1


def as_stored(prompt_id: str, wording: str) -> Prompt:
    """The prompt of a stored run: layout and settings of its version, the wording saved with it.
    Raises InputError where this release does not know the version."""
    try:
        return replace(QUIZ_PROMPTS[prompt_id], wording=wording)
    except KeyError:
        raise InputError(
            f"The prompt {prompt_id} is not one that this release of dcq has; update dcq."
        ) from None


def quiz_prompt(prompt: Prompt, dataset: str, split: str, options: Sequence[str]) -> str:
    """The question as sent: laid out as the prompt's version wants, options lettered from A."""
    names = {"{dataset}": dataset, "{dataset_name}": dataset}
    names |= {"{split}": split, "{split_name}": split}
    layout = prompt.layout
    lettered = "\n\n".join(
        f"{letter}{layout.mark}{text}" for letter, text in zip(LETTERS, options, strict=False)
    )
    return f"{_fill(prompt.wording, names)}{layout.opening}{lettered}{layout.closing}"


def choose_rewording(protocol: Protocol, missing: int) -> tuple[Prompt, int]:
    """The prompt to ask for ``missing`` (1 to 4) rewordings with, and how many it asks for: the
    figure's three, then what is missing in words of our own; or always the release's four."""
    if protocol is Protocol.V2:
        return PERTURB_V2, _ASKS_FOR[PERTURB_V2.id]
    three = _ASKS_FOR[PERTURB_V1.id]
    return (PERTURB_V1, three) if missing >= three else (PERTURB_V1_OWN, missing)


def perturbation_prompt(prompt: Prompt, text: str, count: int) -> str:
    """The request for ``count`` rewordings of ``text``. Raises InputError for a number that a
    published prompt does not ask for."""
    fixed = _ASKS_FOR.get(prompt.id, count)
    if count != fixed:
        raise InputError(f"The prompt {prompt.id} asks for {fixed} rewordings, not {count}.")
    wording = prompt.wording
    if count == 1:  # the figure's sentences, with their number agreeing
        wording = wording.replace("new options must", "new option must")
        wording = wording.replace("distinct options", "distinct option")
    values = {"{count}": _NUMBER_WORDS[count], "{text}": text, "{original_instance}": text}
    return _fill(wording, values)


def sha256(prompt_text: str) -> str:
    """Hash that proves later that a prompt shown is the prompt that was sent."""
    return hashlib.sha256(prompt_text.encode("utf-8", "surrogatepass")).hexdigest()


def _fill(wording: str, values: Mapping[str, str]) -> str:
    """Put values in place of placeholders, in one pass: what a value holds is not looked at."""
    names = "|".join(map(re.escape, values))
    return re.sub(names, lambda found: values[found[0]], wording)
