"""What a document is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from dcq.sections import Section


class Part(StrEnum):
    """The parts of a document, in their order."""

    QUESTION = "question"
    ANSWER = "answer"
    METHOD = "method"
    VERDICT = "verdict"
    QUIZ = "quiz"
    REPLICATION = "replication"
    OTHERS = "others"  # methods without a section of their own, one each
    OVERLAP = "overlap"
    EFFECT = "effect"
    COMPARISONS = "comparisons"
    LIMITS = "limits"


@dataclass(frozen=True, eq=False)
class Deck:
    """``data`` holds the numbers behind the sections, ready for JSON: ``answers``,
    ``results``, ``replications``, ``others``, ``overlaps``, ``comparisons`` and ``effects``, one
    object each.
    ``made_at`` is UTC."""

    title: str
    subtitle: str
    made_at: datetime
    sections: tuple[Section, ...]
    data: Mapping[str, list[dict[str, Any]]]
