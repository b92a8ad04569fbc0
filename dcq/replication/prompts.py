"""The instructions of Time Travel in LLMs, guided and general, in two published versions.

``paper`` is the wording of Table 5 with the line breaks of Figure 1 and Tables 6, 7 and 11;
``release`` is what the authors' release sends (github.com/shahriargolchin/time-travel-in-llms,
Apache-2.0). A wording that dcq has shipped never changes: a change is a new version.

What neither prints is ours, and ``is_published`` says which: the name-swapped control, the question
form except for the paper's guided one (Table 11, GSM8k), and the form without a label, which is the
classification form less its label.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from enum import StrEnum

from dcq.asking.prompt import Prompt, fill
from dcq.errors import InputError
from dcq.replication.pieces import PieceForm, Pieces

# Settings of the paper (§4).
TEMPERATURE, MAX_TOKENS = 0.0, 500

# The dataset that the name-swapped control names. A made-up word, so that the name carries no
# memory: what a model still completes better than under the general instruction is due to being
# told of any dataset, not of this one.
SWAPPED_DATASET = "Ostrevel"


class Version(StrEnum):
    """The authors' two wordings, with their two ways to join texts."""

    PAPER = "paper"
    RELEASE = "release"


class Instruction(StrEnum):
    """The instructions under which a completion is asked for."""

    GUIDED = "guided"  # names the dataset and the split
    GENERAL = "general"  # names neither
    SWAPPED = "name-swapped"  # control of ours: guided, naming a dataset that does not exist
    WRONG_LABEL = "wrong-label"  # the paper's (Appendix B): guided, with another label


_PAPER_TAIL = {
    PieceForm.CLASSIFICATION: "\nLabel: {label}\nFirst Piece: {first_piece}\nSecond Piece:",
    PieceForm.NLI: "\nSentence 1: {first_piece}\nLabel: {label}\nSentence 2:",
}
_PAPER_PLAIN = "\nFirst Piece: {first_piece}\nSecond Piece:"
_RELEASE_TAIL = {
    PieceForm.CLASSIFICATION: (
        "\n\nLABEL: {label}\n\nFIRST PIECE:\n{first_piece}\n\nSECOND PIECE:\n"
    ),
    PieceForm.NLI: "\n\nSENTENCE 1:\n{first_piece}\n\nLABEL: {label}\n\nSENTENCE 2:\n",
}
_RELEASE_PLAIN = "\n\nFIRST PIECE:\n{first_piece}\n\nSECOND PIECE:\n"

# What a guided instruction calls the whole, first with an article and then without.
_NOUNS = {
    PieceForm.CLASSIFICATION: ("an instance", "instance"),
    PieceForm.TEXT: ("an instance", "instance"),
    PieceForm.SUMMARY: ("a summary", "summary"),
    PieceForm.ONE_SENTENCE_SUMMARY: ("a one-sentence summary", "summary"),
    PieceForm.QUESTION: ("a question", "question"),
}
# What the general instruction has the two pieces become.
_WHOLE_NOUN = {
    PieceForm.CLASSIFICATION: "instance with the following {label_word}",
    PieceForm.TEXT: "instance",
    PieceForm.SUMMARY: "summary",
    PieceForm.ONE_SENTENCE_SUMMARY: "one-sentence summary",
    PieceForm.QUESTION: "question",
}


def _paper(form: PieceForm, *, guided: bool) -> str:
    if form is PieceForm.NLI and guided:
        words = (
            "You are provided with Sentence 1 from the {split_name} split of the {dataset_name} "
            "dataset. Finish Sentence 2 as appeared in the dataset. Sentence 2 must exactly match "
            "the instance in the dataset."
        )
    elif form is PieceForm.NLI:
        words = (
            "Finish Sentence 2 based on Sentence 1, such that the following label shows the "
            "logical relationship between Sentence 1 and Sentence 2."
        )
    elif guided:
        noun_phrase, noun = _NOUNS[form]
        words = (
            f"You are provided with the first piece of {noun_phrase} from the {{split_name}} split "
            f"of the {{dataset_name}} dataset. Finish the second piece of the {noun} as exactly "
            f"appeared in the dataset. Only rely on the original form of the {noun} in the "
            "dataset to finish the second piece."
        )
    else:
        noun = _WHOLE_NOUN[form].replace("{label_word}", "label")
        words = (
            "Finish the second piece based on the first piece, such that these two pieces become "
            f"a single {noun}."
        )
    return f"Instruction: {words}{_PAPER_TAIL.get(form, _PAPER_PLAIN)}"


def _release(form: PieceForm, *, guided: bool) -> str:
    if form is PieceForm.NLI and guided:
        words = (
            "You are provided with SENTENCE 1 from the {split_name} split of the {dataset_name} "
            "dataset.\nFinish SENTENCE 2 as appeared in the dataset.\nSENTENCE 2 MUST EXACTLY "
            "match the instance in the dataset."
        )
    elif form is PieceForm.NLI:
        words = (
            "Finish SENTENCE 2 based on SENTENCE 1, such that the following LABEL shows the "
            "logical relationship between SENTENCE 1 and SENTENCE 2."
        )
    elif guided:
        noun_phrase, noun = _NOUNS[form]
        words = (
            f"You are provided with the FIRST PIECE of {noun_phrase} from the {{split_name}} split "
            f"of the {{dataset_name}} dataset.\nFinish the SECOND PIECE of the {noun} as EXACTLY "
            f"appeared in the dataset.\nONLY rely on the original form of the {noun} in the "
            "dataset to finish the SECOND PIECE."
        )
    else:
        noun = _WHOLE_NOUN[form].replace("{label_word}", "LABEL")
        words = (
            "Finish the SECOND PIECE based on the FIRST PIECE, such that these two pieces become "
            f"a single {noun}."
        )
    return f"INSTRUCTION:\n{words}{_RELEASE_TAIL.get(form, _RELEASE_PLAIN)}"


def prompt_for(version: Version, instruction: Instruction, form: PieceForm) -> Prompt:
    """The wording of one form; the name-swapped and wrong-label controls have the guided one."""
    make = _paper if version is Version.PAPER else _release
    return Prompt(
        name=f"replicate-{instruction}-{form}",
        version=version,
        wording=make(form, guided=instruction is not Instruction.GENERAL),
        temperature=TEMPERATURE,
        max_tokens=MAX_TOKENS,
    )


PROMPTS: Mapping[str, Prompt] = {
    prompt.id: prompt
    for version in Version
    for instruction in Instruction
    for form in PieceForm
    for prompt in [prompt_for(version, instruction, form)]
}


def is_published(version: Version, instruction: Instruction, form: PieceForm) -> bool:
    """True for a wording that the authors print; False for one that follows theirs."""
    if instruction is Instruction.SWAPPED or form is PieceForm.TEXT:
        return False
    if form is PieceForm.QUESTION:
        return version is Version.PAPER and instruction is not Instruction.GENERAL
    return True


def prompt_text(
    prompt: Prompt, pieces: Pieces, dataset: str, split: str, *, label: str | None = None
) -> str:
    """Exactly what is sent. ``label`` replaces the instance's own, for the wrong-label control; the
    name-swapped control is told of ``SWAPPED_DATASET`` whatever ``dataset`` is."""
    swapped = prompt.name.startswith(f"replicate-{Instruction.SWAPPED}-")
    return fill(
        prompt.wording,
        {
            "{split_name}": split,
            "{dataset_name}": SWAPPED_DATASET if swapped else dataset,
            "{first_piece}": pieces.first,
            "{label}": label or pieces.label or "",
        },
    )


def wrong_label(label: str, labels: Sequence[str], *, seed: int, instance_id: str) -> str:
    """One of ``labels`` other than ``label``; the same for the same labels, seed and instance.

    Raises ``InputError`` where there is no other.
    """
    others = sorted({other for other in labels if other.strip()} - {label})
    if not others:
        raise InputError(
            "The wrong-label control needs a second label in the sample; draw more instances."
        )
    return random.Random(f"{seed} {instance_id} label").choice(others)  # noqa: S311  # no secret
