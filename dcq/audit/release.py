"""A result file as the quiz's authors publish it (protocol v2), with and without its defects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dcq.audit import wording
from dcq.audit.release_rows import (
    BIAS,
    EQUAL,
    OPTIONS,
    QUIZZES,
    REPEATED,
    SLOTS,
    ReleaseRow,
    find_defects,
    read_rows,
)
from dcq.errors import InputError
from dcq.evidence.ablation import Ablation, above_own_baseline, compare
from dcq.evidence.check import MOST_UNUSABLE, Check, Mark, Topic
from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.evidence.protocol2 import Range, contamination_range, non_preferred
from dcq.evidence.record import Evidence, MethodEstimate
from dcq.judging.judged import JudgedResult, Verdict
from dcq.judging.verdict import judge
from dcq.quiz.evidence import METHOD
from dcq.quiz.wording import WORDS
from dcq.records import Item, Outcome, PartitionRole
from dcq.variants.leakage import text_only

COLUMNS = ("instance", *OPTIONS, BIAS, *QUIZZES.values())
NEEDED = "instance, option_a to option_d, bdq_results and a bcq_results_for_position_ column"
_NO_LANGUAGE = "und"  # unknown, so the baseline of frequent wordings, which needs it, is left out


@dataclass(frozen=True)
class RowSetResult:
    """The result of a set of rows, by the protocol and by the judge.

    As the paper publishes it, ``published`` is the quiz with the original at each slot: its
    denominator is all rows, and κ is 0 at 25 %; it has no value if no row is sound there or none
    has an answer. ``chosen`` counts the choices of each slot without the original, and ``range`` is
    the contamination from both. ``ablations`` compare each slot with and without the original,
    paired by instance, over the rows that have an answer to both and whose quiz without originals
    had none.

    The ``verdict`` is on the ``evidence``, which is the quiz at one slot against the model's own
    choices there, because with "none of these" among the options guessing has no fixed share.
    ``defects`` counts rows.
    """

    non_preferred: tuple[str, ...]
    chosen: Mapping[str, int]
    published: Mapping[str, Kappa]
    ablations: Mapping[str, Ablation]
    range: Range
    defects: Mapping[str, int]
    evidence: Evidence
    verdict: Verdict

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.evidence.planned

    @property
    def slots(self) -> list[tuple[str, Kappa, Ablation]]:
        """Each slot with what is published of it and its comparison."""
        return [(slot, kappa, self.ablations[slot]) for slot, kappa in self.published.items()]

    @property
    def slot(self) -> str:
        """The slot that the verdict is on."""
        return str(self.evidence.figures["slot"])

    @property
    def text_only(self) -> Mapping[str, Kappa]:
        """The strategies without memory, on the quiz that has the original at ``slot``."""
        return self.evidence.text_only or {}

    def document(self) -> dict[str, Any]:
        """The keys documented for the command line; shares are fractions."""
        return {
            "n": self.n,
            "non_preferred": list(self.non_preferred),
            "positions": {
                slot: {
                    "correct": kappa.correct,
                    "score": kappa.score,
                    "kappa_fixed": kappa.kappa_fixed,
                    "p_value": kappa.p_value,
                    "bdq_chosen": self.chosen[slot],
                    "difference": ablation.difference,
                    "difference_low": ablation.low,
                    "difference_high": ablation.high,
                    "p_own": ablation.p_value,
                }
                for slot, kappa, ablation in self.slots
            },
            "min": self.range.low,
            "max": self.range.high,
            "outcomes": dict(self.evidence.outcomes),
            "defects": dict(self.defects),
            "text_only": {name: kappa.score for name, kappa in self.text_only.items()},
            "verdict": self.verdict.ruling.value,
            "reasons": list(self.verdict.reasons),
        }


@dataclass(frozen=True)
class AuditedRelease:
    """A result file of the authors, analysed: ``all_rows`` uses every row, ``clean`` those without
    a defect, at the slots that are ``sound``. ``defect_rows`` are row numbers by defect, from 1 and
    without the header.

    If one option of a row is the original itself, the quiz at that slot is sound. If there are more
    such rows than others, ``clean`` includes them, and only that slot.
    """

    name: str
    rows: tuple[ReleaseRow, ...]
    all_rows: RowSetResult
    clean: RowSetResult
    sound: tuple[str, ...]
    defect_rows: Mapping[str, tuple[int, ...]]

    @property
    def is_partly_sound(self) -> bool:
        """True if the quizzes at other slots have the original twice."""
        return len(self.sound) < len(self.all_rows.published)

    def document(self) -> dict[str, Any]:
        """The estimate over all rows, with the one over clean rows and the row numbers under
        separate keys."""
        return {
            **self.all_rows.document(),
            "clean": self.clean.document(),
            "defect_rows": {name: list(numbers) for name, numbers in self.defect_rows.items()},
        }


def missing(table: pd.DataFrame) -> tuple[str, ...]:
    """Columns that such a file needs and ``table`` lacks."""
    lacking = [name for name in ("instance", *OPTIONS, BIAS) if name not in table]
    if not any(name in table for name in QUIZZES.values()):
        lacking.append(QUIZZES["D"])
    return tuple(lacking)


def analyse(table: pd.DataFrame, name: str) -> AuditedRelease:
    """Analyse a ``table`` of strings; ``name`` is the file's, for messages.

    Raises ``InputError`` if a column is missing.
    """
    if lacking := missing(table):
        raise InputError(
            f"{name} has no column {', '.join(lacking)}; the authors' csv needs {NEEDED}."
        )
    rows = read_rows(table)
    slots = tuple(slot for slot in SLOTS if QUIZZES[slot] in table)
    defects = find_defects(rows, slots)
    clean, sound = _clean(rows, slots, defects)
    without_defects = _rows_check(len(clean), len(rows), sound if len(sound) < len(slots) else ())
    return AuditedRelease(
        name=name,
        rows=rows,
        all_rows=_estimate(rows, slots, slots, sound, without_defects),
        clean=_estimate(clean, slots, sound, sound, without_defects),
        sound=sound,
        defect_rows=defects,
    )


def _clean(
    rows: Sequence[ReleaseRow], slots: tuple[str, ...], defects: Mapping[str, Sequence[int]]
) -> tuple[tuple[ReleaseRow, ...], tuple[str, ...]]:
    """The rows without a defect, and the slots at which they have none."""
    flawed = {number for name, numbers in defects.items() if name != EQUAL for number in numbers}
    remaining_release_rows = [row for row in rows if row.number not in flawed]
    sound = tuple(row for row in remaining_release_rows if not row.equals_original())
    for slot in slots:
        at_slot = tuple(row for row in remaining_release_rows if row.is_sound_at(slot))
        if len(at_slot) > 2 * len(sound):  # at_slot includes the sound ones
            return at_slot, (slot,)
    return sound, slots


def _estimate(
    rows: Sequence[ReleaseRow],
    file: Sequence[str],
    slots: Sequence[str],
    sound: Sequence[str],
    without_defects: Check,
) -> RowSetResult:
    """The result of ``rows``. ``file`` are all slots of the file, ``slots`` those that the range
    may use, ``sound`` those that the verdict may use.

    Such a file has no controls, so the verdict is never ``contaminated``; too many rows with a
    defect make it inconclusive.
    """
    n = len(rows)
    letters = Counter(row.answers[BIAS].value or "" for row in rows)
    chosen = {slot: letters[slot] for slot in SLOTS}
    rare = non_preferred(chosen, n)
    published = {slot: _published(rows if slot in slots else (), slot) for slot in file}
    ablations = {slot: _ablation(rows if slot in slots else (), slot) for slot in file}
    answered = [slot for slot in slots if published[slot].n]
    # By the protocol only non-preferred slots count; a file may lack them all.
    used = [slot for slot in answered if slot in rare] or answered

    def raised(slot: str) -> tuple[float, int, int]:
        gain = ablations[slot].difference
        return -2.0 if gain is None else gain, published[slot].correct, -chosen[slot]

    # Where the original raised the choice of its slot most; the first, if several tie.
    best = max([slot for slot in used if slot in sound] or used or sound, key=raised)
    defects = find_defects(rows, slots)
    evidence = replace(
        _evidence(rows, best, ablations[best]),
        checks=(
            without_defects,
            *_defect_checks(rows, defects),
            _slot_check(
                rows,
                best,
                used,
                rare,
                partly_sound=len(sound) < len(file),
                has_baseline=bool(ablations[best].n),
            ),
        ),
    )
    (verdict,) = judge([JudgedResult(evidence)])
    return RowSetResult(
        non_preferred=rare,
        chosen=chosen,
        published=published,
        ablations=ablations,
        range=contamination_range(chosen, {slot: published[slot].correct for slot in used}, n),
        defects={name: len(numbers) for name, numbers in defects.items() if name != REPEATED},
        evidence=evidence,
        verdict=verdict,
    )


def _evidence(rows: Sequence[ReleaseRow], slot: str, ablation: Ablation) -> Evidence:
    """The quiz with the original at ``slot``, against the model's choices without the original; its
    share of right answers alone, with κ measured from 0, where the file does not tell these."""
    without, with_it = _chose(rows, BIAS, slot), _chose(rows, QUIZZES[slot], slot)
    right = with_it[~np.isnan(with_it)]
    share = float(right.mean()) if len(right) else None
    kappa = Kappa(len(right), int(right.sum()), share, None, None, None, None)
    if ablation.n:
        kappa = above_own_baseline(ablation)
    outcomes = Counter(reading.outcome for row in rows for reading in row.answers.values())
    strategies = text_only(_items(rows, slot), language=_NO_LANGUAGE)
    return Evidence(
        method=METHOD,
        run="",
        model="",
        partition="",
        place="",
        role=PartitionRole.TARGET,
        estimate=MethodEstimate.of_kappa(kappa),
        usable=kappa.n,
        planned=len(rows),
        unusable=float(np.isnan(with_it - without).mean()) if rows else 0.0,
        ablation=ablation,
        text_only={baseline.name: baseline.kappa for baseline in strategies},
        words=WORDS,
        outcomes={outcome.value: outcomes[outcome] for outcome in Outcome},
        figures={"slot": slot},
    )


def _published(rows: Sequence[ReleaseRow], slot: str) -> Kappa:
    right = _chose(rows, QUIZZES[slot], slot)
    return kappa_fixed(int(np.nansum(right)), 0 if np.isnan(right).all() else len(rows))


def _ablation(rows: Sequence[ReleaseRow], slot: str) -> Ablation:
    asked = [row for row in rows if not row.equals_original()]
    return compare(_chose(asked, BIAS, slot), _chose(asked, QUIZZES[slot], slot))


def _chose(rows: Sequence[ReleaseRow], column: str, slot: str) -> NDArray[np.float64]:
    """1 where an answer names ``slot``, 0 where it names another option, NaN where there is none;
    shape (n,)."""
    letters = [row.answers[column].value for row in rows]
    return np.array([np.nan if letter is None else letter == slot for letter in letters], float)


def _items(rows: Sequence[ReleaseRow], slot: str) -> list[Item]:
    """The quiz with the original at ``slot``, from the rows that have all texts."""
    place = SLOTS.index(slot)
    return [
        Item(
            str(row.number),
            (*row.options[:place], row.instance, *row.options[place + 1 :]),
            place,
        )
        for row in rows
        if row.is_complete
    ]


def _rows_check(clean: int, total: int, sound: Sequence[str]) -> Check:
    """How many rows have no defect? ``sound`` are the slots that count, where those are not all."""
    mark = Mark.GOOD if clean == total else Mark.CAUTION
    if total - clean > MOST_UNUSABLE * total:
        mark = Mark.BAD
    figures = {"clean": clean, "total": total, "sound": sound}
    return Check(Topic.COMPLETE, mark, wording.rows_with_defects, figures)


def _defect_checks(rows: Sequence[ReleaseRow], defects: Mapping[str, Sequence[int]]) -> list[Check]:
    """One check for each kind of defect found."""
    same = Counter(slot for row in rows for slot in row.equals_original())
    counts = [(same[slot], "original_twice", slot) for slot in SLOTS]
    counts += [(len(numbers), kind, "") for kind, numbers in defects.items() if kind != EQUAL]
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


def _slot_check(
    rows: Sequence[ReleaseRow],
    best: str,
    used: Sequence[str],
    rare: Sequence[str],
    *,
    partly_sound: bool,
    has_baseline: bool,
) -> Check:
    """Does a preference for the slot of the verdict explain the score there?"""
    skipped = [] if partly_sound else [slot for slot in rare if slot not in used]
    mark = Mark.CAUTION if best not in rare or skipped else Mark.GOOD
    return Check(
        Topic.SLOT,
        mark if has_baseline else Mark.BAD,
        wording.slot_of_the_verdict,
        {
            "best": best,
            "asked": tuple(used),
            "partly_sound": partly_sound,
            "has_baseline": has_baseline,
            "holds_original": any(row.equals_original() for row in rows),
            "preferred": best not in rare,
            "skipped": skipped,
        },
    )
