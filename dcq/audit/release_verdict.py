"""The verdict on a published result file: the model against its own quiz without originals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcq.audit import wording
from dcq.audit.release_rows import BIAS, QUIZZES, REPEATED, SLOTS, ReleaseRow
from dcq.evidence.ablation import Ablation, above_own_baseline, compare
from dcq.evidence.check import MOST_UNUSABLE, Check, Mark, Topic
from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.evidence.record import KAPPA, Evidence, MethodEstimate
from dcq.judging.judged import JudgedResult, Verdict
from dcq.judging.verdict import judge
from dcq.quiz.evidence import METHOD
from dcq.quiz.wording import WORDS
from dcq.records import PartitionRole


@dataclass(frozen=True)
class Position:
    """The quiz with the original at one slot.

    ``kappa`` has the release's denominator, all rows, and is 0 at 25 %, as the paper publishes it;
    it has no value if no row is sound or none has an answer. ``bdq_chosen`` counts the choices of
    that slot without the original. ``ablation`` compares both, paired by instance, over the rows
    that have an answer to both and whose quiz without originals had none. The verdict is based on
    ``ablation``, because with "none of these" among the options guessing has no fixed share.
    """

    kappa: Kappa
    bdq_chosen: int
    ablation: Ablation

    def document(self) -> dict[str, Any]:
        """The keys documented for the command line."""
        return {
            "correct": self.kappa.correct,
            "score": self.kappa.score,
            "kappa_fixed": self.kappa.kappa_fixed,
            "p_value": self.kappa.p_value,
            "bdq_chosen": self.bdq_chosen,
            "difference": self.ablation.difference,
            "difference_low": self.ablation.low,
            "difference_high": self.ablation.high,
            "p_own": self.ablation.p_value,
        }


@dataclass(frozen=True)
class SlotSelection:
    """What the slot of the verdict was selected from: the ``slots`` that the range uses, those that
    are ``non_preferred`` by the quiz without originals, and the ``file``'s, of which the ``sound``
    ones may be used for the verdict."""

    slots: tuple[str, ...]
    non_preferred: tuple[str, ...]
    file: tuple[str, ...]
    sound: tuple[str, ...]

    @property
    def is_partly_sound(self) -> bool:
        """True if the quizzes at the other slots have the original twice."""
        return len(self.sound) < len(self.file)


def position(rows: Sequence[ReleaseRow], slot: str, bdq_chosen: int) -> Position:
    """The quiz with the original at ``slot``, over ``rows``."""
    without, with_it = _chose(rows, BIAS, slot), _chose(rows, QUIZZES[slot], slot)
    asked = np.array([not row.equals_original() for row in rows], dtype=bool)
    n = len(rows) if not np.isnan(with_it).all() else 0
    return Position(
        kappa_fixed(int(np.nansum(with_it)), n),
        bdq_chosen,
        compare(without[asked], with_it[asked]),
    )


def _chose(rows: Sequence[ReleaseRow], column: str, slot: str) -> NDArray[np.float64]:
    """1 where an answer names ``slot``, 0 where it names another option, NaN where there is none;
    shape (n,)."""
    letters = [row.answers[column].value for row in rows]
    return np.array([np.nan if letter is None else letter == slot for letter in letters], float)


def rule(
    rows: Sequence[ReleaseRow],
    *,
    position: Position,
    best: str,
    asked_selection: SlotSelection,
    defects: Mapping[str, Sequence[int]],
    text_only: Mapping[str, Kappa],
    clean: int,
    total: int,
) -> Verdict:
    """The verdict on the slot ``best``, whose choice the original raised most.

    Such a file has no controls, so the verdict is never ``contaminated``. Too many rows with a
    defect make it inconclusive: ``clean`` of the file's ``total`` rows have none.
    """
    own_ablation = position.ablation if position.ablation.n else None
    kappa = _score(rows, best) if own_ablation is None else above_own_baseline(own_ablation)
    evidence = Evidence(
        method=METHOD,
        run="",
        model="",
        partition="",
        place="",
        role=PartitionRole.TARGET,
        estimate=MethodEstimate(
            kappa.kappa_fixed, kappa.kappa_low, kappa.kappa_high, KAPPA, kappa.score, kappa.p_value
        ),
        usable=kappa.n,
        planned=len(rows),
        unusable=_unusable(rows, best),
        ablation=own_ablation,
        text_only=text_only,
        checks=(
            _rows(clean, total, asked_selection),
            *_defects(rows, defects),
            _slots(rows, best, asked_selection, has_baseline=own_ablation is not None),
        ),
        words=WORDS,
    )
    (verdict,) = judge([JudgedResult(evidence)])
    return verdict


def _score(rows: Sequence[ReleaseRow], slot: str) -> Kappa:
    """The share of answers that name the original, with κ measured from 0."""
    right = _chose(rows, QUIZZES[slot], slot)
    n, correct = int((~np.isnan(right)).sum()), int(np.nansum(right))
    return Kappa(n, correct, correct / n if n else None, None, None, None, None)


def _unusable(rows: Sequence[ReleaseRow], slot: str) -> float:
    """Share of the rows without an answer in either of the two quizzes; 0 without rows."""
    gains = _chose(rows, QUIZZES[slot], slot) - _chose(rows, BIAS, slot)
    return float(np.isnan(gains).mean()) if len(gains) else 0.0


def _rows(clean: int, total: int, asked_selection: SlotSelection) -> Check:
    figures = {
        "clean": clean,
        "total": total,
        "sound": asked_selection.sound if asked_selection.is_partly_sound else (),
    }
    mark = Mark.GOOD if clean == total else Mark.CAUTION
    if total - clean > MOST_UNUSABLE * total:
        mark = Mark.BAD
    return Check(Topic.COMPLETE, mark, wording.rows_with_defects, figures)


def _defects(rows: Sequence[ReleaseRow], defects: Mapping[str, Sequence[int]]) -> list[Check]:
    """One check for each kind of defect found."""
    same = Counter(slot for row in rows for slot in row.equals_original())
    counts = [(same[slot], "original_twice", slot) for slot in SLOTS]
    counts += [
        (len(defects[kind]), kind, "")
        for kind in ("missing_options", "duplicate_options", "unparsed_answers", REPEATED)
    ]
    return [
        Check(
            Topic.COMPLETE,
            Mark.CAUTION,
            wording.defect,
            {"count": count, "n": len(rows), "kind": kind, "slot": slot},
        )
        for count, kind, slot in counts
        if count
    ]


def _slots(
    rows: Sequence[ReleaseRow], best: str, asked_selection: SlotSelection, *, has_baseline: bool
) -> Check:
    """Does a preference for the slot of the verdict explain the score there?"""
    skipped = [slot for slot in asked_selection.non_preferred if slot not in asked_selection.slots]
    preferred = best not in asked_selection.non_preferred
    skipped = [] if asked_selection.is_partly_sound else skipped
    mark = Mark.CAUTION if preferred or skipped else Mark.GOOD
    return Check(
        Topic.SLOT,
        mark if has_baseline else Mark.BAD,
        wording.slot_of_the_verdict,
        {
            "best": best,
            "asked": asked_selection.slots,
            "partly_sound": asked_selection.is_partly_sound,
            "has_baseline": has_baseline,
            "holds_original": any(row.equals_original() for row in rows),
            "preferred": preferred,
            "skipped": skipped,
        },
    )
