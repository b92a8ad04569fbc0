"""A published replication beside a published quiz: does the quiz find what replication found?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dcq.audit.audit import AnswersFormat, audit
from dcq.audit.release import AuditedRelease
from dcq.audit.release_rows import QUIZZES, ReleaseRow
from dcq.errors import InputError
from dcq.evidence.replication.cross_check import CrossCheck, cross_check
from dcq.records import Outcome
from dcq.replication.judge import MatchLevel
from dcq.replication.results import InstanceScores

_KEYS = {"low": "difference_low", "high": "difference_high"}


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
                slot: {_KEYS.get(name, name): value for name, value in asdict(cross_check).items()}
                | {"sound": slot in self.sound}
                for slot, cross_check in self.slots.items()
            },
        }


def compare_with_quiz(rows: Sequence[InstanceScores], quiz: Path) -> ReplicationVersusQuiz:
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
    match = np.array([_as_number(row.judge_label) for row, _ in pairs])
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
    rows: Sequence[InstanceScores], quiz: Sequence[ReleaseRow]
) -> list[tuple[InstanceScores, ReleaseRow]]:
    """Each replicated instance with the quiz's row whose text holds both of its pieces."""
    folded = [(_fold(row.instance), row) for row in quiz]
    pairs, matched_numbers = [], set[int]()
    for row in rows:
        first, second = _fold(row.pieces.first), _fold(row.pieces.second)
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


def _is_right(row: ReleaseRow, slot: str) -> float:
    answer = row.answers[QUIZZES[slot]]
    if answer.outcome not in {Outcome.ANSWERED, Outcome.NONE}:
        return np.nan
    return float(answer.value == slot)


def _as_number(label: MatchLevel | None) -> float:
    return np.nan if label is None else float(label is not MatchLevel.INEXACT)


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()
