"""The verdict on a published result file: the model against its own quiz without originals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcq.audit.cells import SLOTS
from dcq.audit.release_rows import BIAS, QUIZZES, REPEATED, Row
from dcq.evidence.ablation import Ablation, above_own_baseline, compare
from dcq.evidence.case import MOST_UNUSABLE, Case, Check, Mark, Topic
from dcq.evidence.checklist import PREFERENCE
from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.evidence.verdict import Verdict, judge
from dcq.words import listed


@dataclass(frozen=True)
class Position:
    """The quiz with the original at one slot.

    ``kappa`` has the release's denominator, all rows, and is 0 at 25 %, as the paper publishes it;
    it has no value if no row is sound or none has an answer. ``bdq_chosen`` counts the choices of
    that slot without the original. ``own`` compares both, paired by instance, over the rows that
    have an answer to both and whose quiz without originals had none. The verdict is based on
    ``own``, because with "none of these" among the options guessing has no fixed share.
    """

    kappa: Kappa
    bdq_chosen: int
    own: Ablation

    def document(self) -> dict[str, Any]:
        """The keys documented for the command line."""
        return {
            "correct": self.kappa.correct,
            "score": self.kappa.score,
            "kappa_fixed": self.kappa.kappa_fixed,
            "p_value": self.kappa.p_value,
            "bdq_chosen": self.bdq_chosen,
            "difference": self.own.difference,
            "difference_low": self.own.low,
            "difference_high": self.own.high,
            "p_own": self.own.p_value,
        }


@dataclass(frozen=True)
class Asked:
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


def position(rows: Sequence[Row], slot: str, bdq_chosen: int) -> Position:
    """The quiz with the original at ``slot``, over ``rows``."""
    without, with_it = _chose(rows, BIAS, slot), _chose(rows, QUIZZES[slot], slot)
    asked = np.array([not row.equals_original() for row in rows], dtype=bool)
    n = len(rows) if not np.isnan(with_it).all() else 0
    return Position(
        kappa_fixed(int(np.nansum(with_it)), n),
        bdq_chosen,
        compare(without[asked], with_it[asked]),
    )


def _chose(rows: Sequence[Row], column: str, slot: str) -> NDArray[np.float64]:
    """1 where an answer names ``slot``, 0 where it names another option, NaN where there is none;
    shape (n,)."""
    letters = [row.answers[column].value for row in rows]
    return np.array([np.nan if letter is None else letter == slot for letter in letters], float)


def rule(
    rows: Sequence[Row],
    *,
    found: Position,
    best: str,
    asked: Asked,
    defects: Mapping[str, Sequence[int]],
    text_only: Mapping[str, Kappa],
    clean: int,
    total: int,
) -> Verdict:
    """The verdict on the slot ``best``, whose choice the original raised most.

    Such a file has no controls, so the verdict is never ``contaminated``. Too many rows with a
    defect make it inconclusive: ``clean`` of the file's ``total`` rows have none.
    """
    own = found.own if found.own.n else None
    (verdict,) = judge(
        [
            Case(
                kappa=_score(rows, best) if own is None else above_own_baseline(own),
                own=own,
                unusable=_unusable(rows, best),
                text_only=text_only,
                chance=None,
                checks=(
                    _rows(clean, total, asked),
                    *_defects(rows, defects),
                    _slots(rows, best, asked, has_baseline=own is not None),
                ),
            )
        ]
    )
    if not rows:
        return replace(verdict, finding="Every row has a defect, so there can be no verdict.")
    return verdict


def _score(rows: Sequence[Row], slot: str) -> Kappa:
    """The share of answers that name the original, with κ measured from 0."""
    right = _chose(rows, QUIZZES[slot], slot)
    n, correct = int((~np.isnan(right)).sum()), int(np.nansum(right))
    return Kappa(n, correct, correct / n if n else None, None, None, None, None)


def _unusable(rows: Sequence[Row], slot: str) -> float:
    """Share of the rows without an answer in either of the two quizzes; 0 without rows."""
    gains = _chose(rows, QUIZZES[slot], slot) - _chose(rows, BIAS, slot)
    return float(np.isnan(gains).mean()) if len(gains) else 0.0


def _rows(clean: int, total: int, asked: Asked) -> Check:
    number = f"{clean:,} of {total:,} rows"
    where = f" at {listed(asked.sound)}" if asked.is_partly_sound else ""
    if clean == total:
        return Check(Topic.COMPLETE, Mark.GOOD, number, f"No row has a defect{where}.")
    share = f"{clean:,} of the {total:,} rows are"
    if total - clean <= MOST_UNUSABLE * total:
        return Check(Topic.COMPLETE, Mark.CAUTION, number, f"{share} without a defect{where}.")
    share = f"Only {share}" if clean else f"None of the {total:,} rows is"
    needed = f"{100 * (1 - MOST_UNUSABLE):.0f} % are needed"
    return Check(Topic.COMPLETE, Mark.BAD, number, f"{share} without a defect{where}; {needed}.")


def _defects(rows: Sequence[Row], defects: Mapping[str, Sequence[int]]) -> list[Check]:
    """One check for each kind of defect found."""
    n = len(rows)
    same = Counter(slot for row in rows for slot in row.equals_original())
    lines = [
        (
            same[slot],
            f"Option {slot} equals the original in {_of(same[slot], n)}: the quiz at {slot} is "
            "sound, those at other slots had two originals, and the quiz without originals had "
            "one.",
        )
        for slot in SLOTS
    ]
    lines += [
        (len(defects[name]), f"In {_of(len(defects[name]), n)} {words}.")
        for name, words in (
            ("missing_options", "an option or the original is missing"),
            ("duplicate_options", "two options are the same text"),
            ("unparsed_answers", "an answer is empty or names no single letter"),
            (REPEATED, "the instance is that of an earlier row"),
        )
    ]
    return [
        Check(Topic.COMPLETE, Mark.CAUTION, f"{count:,} of {n:,} rows", words)
        for count, words in lines
        if count
    ]


def _slots(rows: Sequence[Row], best: str, asked: Asked, *, has_baseline: bool) -> Check:
    """Does a preference for the slot of the verdict explain the score there?"""
    mark, words, unchecked = Mark.GOOD, [], ""
    if len(asked.slots) > 1:
        why = "where the original raised the choice of its slot most"
        if asked.is_partly_sound:
            why = "where no row has the original twice"
        words.append(
            f"The original was asked at {listed(asked.slots)}; the verdict is on {best}, {why}."
        )
    if has_baseline:
        words.append(f"How often the model chose {best} without the original is subtracted.")
    else:
        mark, unchecked = Mark.BAD, PREFERENCE
        held = any(row.equals_original() for row in rows)
        why = "had the original too" if held else "has no usable answer"
        words.append(
            f"The quiz without originals {why}, so it is not known how often the model prefers "
            f"{best}."
        )
    skipped = [slot for slot in asked.non_preferred if slot not in asked.slots]
    if best not in asked.non_preferred:
        mark = max(mark, Mark.CAUTION, key=list(Mark).index)
        words.append(
            "No slot that the model rarely chooses was asked, so the range includes a preference "
            "for the slot."
        )
    elif skipped and not asked.is_partly_sound:
        mark = max(mark, Mark.CAUTION, key=list(Mark).index)
        words.append(
            f"The model also rarely chooses {listed(skipped)}, where the original was not asked, "
            "so the range may be too low."
        )
    return Check(Topic.SLOT, mark, f"original at {best}", " ".join(words), unchecked)


def _of(count: int, n: int) -> str:
    return f"all {n:,} rows" if count == n else f"{count:,} of {n:,} rows"
