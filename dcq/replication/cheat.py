"""ChatGPT-Cheat? (Sainz et al. 2023), with which Time Travel in LLMs compares: ask for the first
instances of a split.

Its prompt is printed neither in the paper nor in the authors' release, and it was asked in a chat
window: the wording here is ours and is called so. The three findings are the paper's (§4 and the
caption of Table 4).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dcq.asking.prompt import Prompt, fill
from dcq.columns import PIECES
from dcq.records import Instance, Reply

_ODD = re.compile(r"[\d_]")

FIRST_INSTANCES = Prompt(
    name="first-instances",
    version="dcq-1",  # ours
    wording=(
        "Please write out the first instances of the {split_name} split of the {dataset_name} "
        "dataset, word for word and in the format in which the dataset is distributed."
    ),
    temperature=0.0,
    max_tokens=500,
)


class CheatFinding(StrEnum):
    """The conclusion from a reply about a split (the cheat prompt's three answers)."""

    CONTAMINATED = "contaminated"  # it holds instances of the split
    SUSPICIOUS = "suspicious"  # it holds the format, ids or other marks of the dataset, no instance
    CLEAN = "clean"  # neither
    NOTHING = "no reply"


def first_instances_text(dataset: str, split: str) -> str:
    """Exactly what is sent."""
    return fill(FIRST_INSTANCES.wording, {"{split_name}": split, "{dataset_name}": dataset})


def read_finding(reply: Reply, instances: Sequence[str], marks: Collection[str]) -> CheatFinding:
    """The conclusion from ``reply``. ``instances`` are texts of the split; one that is in the reply
    but for white space and case is enough. ``marks`` are words of the dataset's format, such as the
    names of its columns and classes; one of them makes a reply without an instance suspicious. A
    refusal that names a mark is suspicious, one that names none is clean, as in the paper."""
    text = _fold(reply.text_like("\n".join(instances)) or reply.refusal or "")
    if not text:
        return CheatFinding.NOTHING
    if any(folded and folded in text for folded in map(_fold, instances)):
        return CheatFinding.CONTAMINATED
    words = f" {''.join(sign if sign.isalnum() or sign == '_' else ' ' for sign in text)} "
    if any(f" {_fold(mark)} " in words for mark in marks if mark.strip()):
        return CheatFinding.SUSPICIOUS
    return CheatFinding.CLEAN


def marks_of(instances: Sequence[Instance]) -> list[str]:
    """Words of a dataset's format, for ``read_finding``: the names of classes, and of columns that
    are no common words, such as ``sentence1`` or ``gold_label``. Which ones count is ours."""
    columns = {name for instance in instances for name in instance.fields if _ODD.search(name)} - {
        *PIECES
    }
    # A label may be written "1 (Sports)"; its number says nothing.
    classes = {
        " ".join(word for word in re.findall(r"\w+", labelled_instance.label) if not word.isdigit())
        for labelled_instance in instances
        if labelled_instance.label
    } - {""}
    return sorted(columns | (classes if len(classes) > 1 else set()))


@dataclass(frozen=True)
class AgreementCount:
    """In how many of ``total`` runs a method decides as people do."""

    agreed: int
    total: int


def strict(conclusions: Mapping[str, CheatFinding], people: Mapping[str, bool]) -> AgreementCount:
    """As the strict rows of Table 3: "suspicious" is never right. By setting."""
    return AgreementCount(_agreeing(conclusions, people, None), len(people))


def lenient(
    conclusions: Mapping[str, CheatFinding], people: Mapping[str, bool], groups: Mapping[str, str]
) -> AgreementCount:
    """As the lenient rows of Table 3: in each group "suspicious" is read in the way that makes most
    of its settings right. The paper itself calls that unrealistic, and does not say which settings
    are read alike. ``groups`` names the group of each setting: with one group per model GPT-4 is
    right in 7 of 14, with one per task in the 9 that are printed, and GPT-3.5 is in 13 both
    ways."""
    agreed = 0
    for group in set(groups.values()):
        part = {key: truth for key, truth in people.items() if groups.get(key) == group}
        agreed += max(_agreeing(conclusions, part, means) for means in (False, True))
    return AgreementCount(agreed, len(people))


def _agreeing(
    conclusions: Mapping[str, CheatFinding], people: Mapping[str, bool], suspicious: bool | None
) -> int:
    verdicts = {
        CheatFinding.CONTAMINATED: True,
        CheatFinding.CLEAN: False,
        CheatFinding.SUSPICIOUS: suspicious,
    }
    return sum(
        verdicts.get(conclusions.get(key, CheatFinding.NOTHING)) is truth
        for key, truth in people.items()
    )


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()
