"""The prompts, as data with a name and a version; their hash is stored with every run.

Protocol v1 is quoted from the Data Contamination Quiz (Golchin & Surdeanu 2023, arXiv:2311.06233):
``quiz`` is Figure 1, ``perturb`` is Figure 4. The protocol *is* this wording, so it is kept to the
letter, with the dashes that the figures print. Texts of instances are joined in, never formatted
into a template, so braces in them mean nothing.

Protocol v2 is the five-option form of the authors' later release, whose exact wording was not
available to us: ``QUIZ_V2`` is ours, in the style of Figure 1. A replication of the release's own
figures must put its wording in place of this one, under a new version.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from dcq.records import LETTERS, Kind

_NUMBER_WORDS = {1: "one", 2: "two", 3: "three", 4: "four"}
_RULE = "—"


@dataclass(frozen=True)
class Prompt:
    """A named, versioned wording. ``wording`` is the fixed part, for display and for the hash."""

    name: str
    version: str
    wording: str
    temperature: float
    max_tokens: int

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

NONE_OF_THESE = "None of the provided options."  # the fifth option of every v2 question

QUIZ_PROMPTS = (QUIZ_V1, QUIZ_V2)

PERTURB_V1 = Prompt(
    name="perturb",
    version="v1",
    wording=(
        "Instruction: Your task is to create a {count}-choice quiz by only replacing the words in "
        "the provided text with their synonyms. The meaning and sentence structure of the {count} "
        "new options must exactly mirror every detail in the text. You must not include the "
        "provided text as an option. You must make sure that:\n\n"
        "(1) You generate {count} distinct options based on the provided text;\n"
        "(2) Options are ordered;\n"
        "(3) There is not any extra explanation; and\n"
        "(4) You comply with every specific symbol and letter detail in the given text."
    ),
    temperature=1.0,
    max_tokens=4000,
)


def prompt_for(kind: Kind) -> Prompt:
    """The prompt that a new quiz of this kind is asked with."""
    return QUIZ_V2 if kind in {Kind.BDQ, Kind.BCQ} else QUIZ_V1


def quiz_prompt(prompt: Prompt, dataset: str, split: str, options: Sequence[str]) -> str:
    """The question as sent: laid out as Figure 1, with these options lettered from A."""
    instruction = prompt.wording.replace("{split}", split, 1).replace("{dataset}", dataset, 1)
    lettered = [f"{letter}) {text}" for letter, text in zip(LETTERS, options, strict=False)]
    return "\n\n".join([instruction, _RULE, *lettered, _RULE, "Answer:"])


def perturbation_prompt(text: str, count: int) -> str:
    """The request for ``count`` (1 to 4) rewordings of ``text``: Figure 4."""
    instruction = PERTURB_V1.wording.replace("{count}", _NUMBER_WORDS[count])
    if count == 1:  # the figure's sentence, with its number agreeing
        instruction = instruction.replace("new options must", "new option must")
        instruction = instruction.replace("one distinct options", "one distinct option")
    return "\n\n".join([instruction, _RULE, f"Text:\n\n{text}", _RULE])


def sha256(prompt_text: str) -> str:
    """Hash that proves later that a prompt shown is the prompt that was sent."""
    return hashlib.sha256(prompt_text.encode("utf-8", "surrogatepass")).hexdigest()
