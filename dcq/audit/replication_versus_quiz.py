"""A published replication beside a published quiz: does the quiz find what replication found?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dcq.audit.audit import AnswersFormat, audit
from dcq.audit.release import AuditedRelease
from dcq.audit.release_rows import QUIZZES
from dcq.audit.release_rows import ReleaseRow as QuizRow
from dcq.audit.replication_rows import ReplicationRow
from dcq.errors import InputError
from dcq.evidence.replication.cross_check import CrossCheck, cross_check
from dcq.records import Outcome
from dcq.replication.judge import MatchLevel


@dataclass(frozen=True)
class ReplicationVersusQuiz:
    """``matched`` rows of the replication are in the quiz. ``slots`` has one comparison for each
    quiz, by the slot of the original; ``sound`` are the slots at which it is there only once."""

    name: str
    matched: int
    slots: dict[str, CrossCheck]
    sound: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """Counts by slot; a match is an exact or near-exact one."""
        return {
            "matched": self.matched,
            "slots": {
                slot: {
                    "n": cross_check.n,
                    "match_right": cross_check.match_right,
                    "match_wrong": cross_check.match_wrong,
                    "other_right": cross_check.other_right,
                    "other_wrong": cross_check.other_wrong,
                    "difference": cross_check.difference,
                    "difference_low": cross_check.low,
                    "difference_high": cross_check.high,
                    "odds_ratio": cross_check.odds_ratio,
                    "odds_low": cross_check.odds_low,
                    "odds_high": cross_check.odds_high,
                    "p_value": cross_check.p_value,
                    "sound": slot in self.sound,
                }
                for slot, cross_check in self.slots.items()
            },
        }


def compare_with_quiz(rows: Sequence[ReplicationRow], quiz: Path) -> ReplicationVersusQuiz:
    """Compare with a csv of the quiz's authors, matched by the instances' text.

    Raises ``InputError`` where ``quiz`` is not such a file, or has none of the instances.
    """
    release = audit(quiz, AnswersFormat.DCQ)
    if not isinstance(release, AuditedRelease):
        raise InputError(f"{quiz.name} is no quiz of the authors; give one of theirs.")
    pairs = _match(rows, release.rows)
    if not pairs:
        raise InputError(
            f"No instance of the replication is in {quiz.name}; give the quiz of the same split."
        )
    match = np.array([_as_number(row.judge) for row, _ in pairs])
    return ReplicationVersusQuiz(
        name=quiz.name,
        matched=len(pairs),
        slots={
            slot: cross_check([_is_right(row, slot) for _, row in pairs], match)
            for slot in release.all_rows.published
        },
        sound=release.sound,
    )


def _match(
    rows: Sequence[ReplicationRow], quiz: Sequence[QuizRow]
) -> list[tuple[ReplicationRow, QuizRow]]:
    """Each replicated instance with the quiz's row whose text holds both of its pieces."""
    folded = [(_fold(row.instance), row) for row in quiz]
    pairs, matched_numbers = [], set[int]()
    for row in rows:
        first, second = _fold(row.first), _fold(row.second)
        for text, asked_release_row in folded:
            start = text.find(first)
            if (
                start < 0
                or asked_release_row.number in matched_numbers
                or second not in text[start + len(first) :]
            ):
                continue
            pairs.append((row, asked_release_row))
            matched_numbers.add(asked_release_row.number)
            break
    return pairs


def _is_right(row: QuizRow, slot: str) -> float:
    answer = row.answers[QUIZZES[slot]]
    if answer.outcome not in {Outcome.ANSWERED, Outcome.NONE}:
        return np.nan
    return float(answer.value == slot)


def _as_number(label: MatchLevel | None) -> float:
    return np.nan if label is None else float(label is not MatchLevel.INEXACT)


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()
