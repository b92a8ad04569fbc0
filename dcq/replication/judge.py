"""The few-shot judge: is a completion an exact or near-exact match of its reference?

``release`` is the release's text, first to last character. ``paper`` is Figure 3, whose print has
no line breaks to go by and differs in its capitals and quotation marks: its words with line breaks
placed as the release has them. Both at temperature 0 and with at most 10 tokens (the release).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from dcq.asking.prompt import Prompt, fill
from dcq.records import Outcome, Reading, Reply
from dcq.refusal import REFUSAL
from dcq.replication.prompts import Version

_SHOWN = 2_000  # characters of a rambling reply that are read

_EXAMPLES = (
    ("The cat waited at the top.", "The cat waited at the top.", "Yes (exact match)"),
    (
        "icy surface of Jupiter's largest moon, Ganymede. These irregular masses may be rock "
        "formations, supported by Ganymede's icy shell for billions of years.",
        "icy surface of Jupiter's largest moon, Ganymede. These irregular masses may be rock "
        "formations, supported by Ganymede's icy shell for billions of years. This discovery "
        "supports the theory that Ganymede has a subsurface ocean. Scientists used gravity data "
        "from NASA's Galileo spacecraft to create a geophysical model of the interior of Ganymede.",
        "Yes (near-exact match)",
    ),
    (
        "50th Anniversary of Normandy Landings lasts a year.",
        "The 50th anniversary celebration of the first Normandy landing will last a year.",
        "Yes (near-exact match)",
    ),
    (
        "Microsoft's Hotmail has raised its storage capacity to 250MB.",
        "Microsoft has increased the storage capacity of its Hotmail e-mail service to 250MB.",
        "Yes (near-exact match)",
    ),
)


# The fifth is the one to be judged.
_SHOTS = (
    *((reference, candidate, f" {answer}") for reference, candidate, answer in _EXAMPLES),
    ("{reference_text}", "{candidate_text}", ""),
)


def _release() -> str:
    parts = [
        "INSTRUCTION:\nYou are provided with a reference text and a candidate text.\n"
        "The candidate text is a generated replica of the reference text.\n"
        "Your task is to determine if the candidate text is an exact or near-exact match of the "
        "reference text.\n"
        "Near-exact match candidates must PRECISELY match the reference candidates in terms of "
        "sentence structure, overlap, and contextual similarity.\n"
        "Respond only with 'Yes' or 'No'.\n"
    ]
    parts += [
        f"Example {number}:\n\nREFERENCE TEXT:\n{reference}\n\nCANDIDATE TEXT:\n{candidate}\n\n"
        f"ANSWER:{answer}\n"
        for number, (reference, candidate, answer) in enumerate(_SHOTS, start=1)
    ]
    return "---\n".join(parts)


def _paper() -> str:
    parts = [
        "Instruction: You are provided with a reference text and a candidate text. "
        "The candidate text is a generated replica of the reference text. "
        "Your task is to determine if the candidate text is an exact or near-exact match of the "
        "reference text. "
        "Near-exact match candidates must precisely match the reference candidates in terms of "
        "sentence structure, overlap, and contextual similarity. "
        'Respond only with "Yes" or "No".\n'
    ]
    parts += [
        f"Example {number}:\nReference Text: {reference}\nCandidate Text: {candidate}\n"
        f"Answer:{answer}\n"
        for number, (reference, candidate, answer) in enumerate(_SHOTS, start=1)
    ]
    return "---\n".join(parts).rstrip("\n")


JUDGES: Mapping[Version, Prompt] = {
    version: Prompt(
        name="replicate-judge", version=version, wording=wording, temperature=0.0, max_tokens=10
    )
    for version, wording in ((Version.PAPER, _paper()), (Version.RELEASE, _release()))
}


class MatchLevel(StrEnum):
    """How near a completion is to its reference."""

    EXACT = "exact"
    NEAR_EXACT = "near-exact"
    INEXACT = "inexact"


class Unjudged(StrEnum):
    """Why a judge's reply is no judgement; none of these is an inexact match."""

    NO_KIND = "yes without a kind"
    UNCLEAR = "neither yes nor no"
    REFUSED = "refused"
    EMPTY = "empty"


_NEAR = re.compile(r"\bnear[\s\-\u2010-\u2013]*exact", re.IGNORECASE)
_EXACT = re.compile(r"\bexact\b", re.IGNORECASE)
_YES = re.compile(r"\byes\b", re.IGNORECASE)
_NO = re.compile(r"\bno\b", re.IGNORECASE)
_OPENS = re.compile(r"[\W_]*(?:answer\W*)?(yes|no)\b", re.IGNORECASE)
# What follows a yes as its kind: at once, or in brackets.
_KIND = re.compile(r"[\W_]*(near[\s\-\u2010-\u2013]*exact|exact)", re.IGNORECASE)


@dataclass(frozen=True)
class Judgement:
    """A judge's reply as read: a match, or the reason why it is none."""

    outcome: MatchLevel | Unjudged

    @property
    def match(self) -> MatchLevel | None:
        """The match; None where the reply is no judgement."""
        return self.outcome if isinstance(self.outcome, MatchLevel) else None

    @property
    def reading(self) -> Reading:
        """The reading that the engine stores."""
        if isinstance(self.outcome, MatchLevel):
            return Reading(Outcome.ANSWERED, self.outcome.value, self.outcome.value)
        refused = self.outcome is Unjudged.REFUSED
        return Reading(Outcome.REFUSED if refused else Outcome.INVALID, None, self.outcome.value)


def judge_text(prompt: Prompt, reference: str, candidate: str) -> str:
    """Exactly what is sent to the judge."""
    return fill(prompt.wording, {"{reference_text}": reference, "{candidate_text}": candidate})


def read_judgement(reply: Reply) -> Judgement:
    """The judgement in ``reply``; never raises.

    The answer is what the reply opens with. A judge that rambles first is read by the only answer
    that it names; where it names both yes and no, it is unclear.
    """
    if reply.refusal:
        return Judgement(Unjudged.REFUSED)
    text = (reply.text or "").strip()[:_SHOWN]
    if not text:
        filtered = reply.finish_reason == "content_filter"
        return Judgement(Unjudged.REFUSED if filtered else Unjudged.EMPTY)
    opening = _OPENS.match(text)
    if opening:
        if opening[1].lower() == "no":
            return Judgement(MatchLevel.INEXACT)
        kind = _KIND.match(text, opening.end())
        return Judgement(_kind(kind[1]) if kind else _only_kind(text))
    if REFUSAL.search(text):
        return Judgement(Unjudged.REFUSED)
    yes, no = _YES.search(text), _NO.search(text)
    if yes and not no:
        kind = _KIND.match(text, yes.end())
        return Judgement(_kind(kind[1]) if kind else _only_kind(text))
    return Judgement(MatchLevel.INEXACT if no and not yes else Unjudged.UNCLEAR)


def read_label(cell: str) -> MatchLevel | None:
    """A label as people and the release write it, in any case: ``Yes (exact match)``, ``no``,
    ``near-exact``, ``inexact``; None where it is none of these."""
    text = cell.strip().casefold()
    if text in {"inexact", "inexact match"}:
        return MatchLevel.INEXACT
    if text in {"exact", "exact match"}:
        return MatchLevel.EXACT
    if text in {"near-exact", "near-exact match", "near exact"}:
        return MatchLevel.NEAR_EXACT
    return read_judgement(Reply(cell)).match


def _kind(word: str) -> MatchLevel:
    return MatchLevel.NEAR_EXACT if word.lower().startswith("near") else MatchLevel.EXACT


def _only_kind(text: str) -> MatchLevel | Unjudged:
    """The kind that is named somewhere after a yes, if it is one only and not denied."""
    near = bool(_NEAR.search(text))
    plain = bool(_EXACT.search(_NEAR.sub("", text)))
    if near == plain or re.search(r"\bnot\b|n['’]t\b", text, re.IGNORECASE):
        return Unjudged.NO_KIND
    return MatchLevel.NEAR_EXACT if near else MatchLevel.EXACT


def both(first: MatchLevel | None, second: MatchLevel | None) -> MatchLevel | None:
    """The level that two labels agree on: exact if both are exact, near-exact if both are
    near-exact or better, else inexact; None if a label is missing."""
    if first is None or second is None:
        return None
    order = [MatchLevel.INEXACT, MatchLevel.NEAR_EXACT, MatchLevel.EXACT]
    return min((first, second), key=order.index)
