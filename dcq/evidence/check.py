"""One line of a verdict's checklist: what was checked, the outcome, and the figures.

A check holds no sentence. It names the function that puts its figures into words, which is called
when a person reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

MOST_UNUSABLE = 0.2  # share of the instances; with more, those left need not represent the rest


class Topic(StrEnum):
    """What a check is about, in the order of the checklist."""

    COMPLETE = "complete"  # was all that was planned asked
    REPLIES = "replies"  # can they be used
    PROMPTS = "prompts"  # did the server read them whole
    SERVED = "served"  # did one model answer all that is compared
    CONTROLS = "controls"
    MARGIN = "margin"  # does it hold if this text is a little easier than the controls
    DATES = "dates"  # may the model have trained on the controls, or cannot it on the target
    TEXT = "text"  # are the controls of the target's kind of text
    LEAK = "leak"  # can the original be found by its text alone
    PEOPLE = "people"  # do people find it too
    SLOT = "slot"  # does a preference for the original's slot explain the score
    WRITER = "writer"  # did the same hand write the variants of target and controls
    POWER = "power"
    FAMILY = "family"  # does it hold among all results of the study


class Mark(StrEnum):
    """The outcome of a check."""

    GOOD = "good"
    CAUTION = "caution"  # worth knowing; the verdict holds
    BAD = "bad"  # the verdict can only be inconclusive


class CheckWords(NamedTuple):
    """A check for people: its ``number`` in a few characters, and a whole ``sentence``.
    ``unchecked`` is what could not be checked, in a few words; empty if all was."""

    number: str
    sentence: str
    unchecked: str = ""


@dataclass(frozen=True)
class Check:
    """A check and its outcome. ``says`` puts the ``figures`` into words; its name is the check's
    name."""

    topic: Topic
    mark: Mark
    says: Callable[..., CheckWords]
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the outcome, which is that of its wording."""
        return self.says.__name__

    @property
    def words(self) -> CheckWords:
        """The check for people."""
        return self.says(**self.figures)

    @property
    def number(self) -> str:
        """Its number in a few characters."""
        return self.words.number

    @property
    def sentence(self) -> str:
        """A whole sentence."""
        return self.words.sentence

    @property
    def unchecked(self) -> str:
        """What could not be checked, in a few words; empty if all was."""
        return self.words.unchecked


def is_bad(checks: Iterable[Check]) -> bool:
    """Whether any of these checks makes the verdict inconclusive."""
    return any(check.mark is Mark.BAD for check in checks)
