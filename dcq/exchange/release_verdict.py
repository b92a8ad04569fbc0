"""The verdict on a published result file, with what its rows and slots add to the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dcq.evidence.kappa import Kappa
from dcq.evidence.verdict import ENOUGH_VALID, Case, Ruling, judge
from dcq.exchange.cells import SLOTS
from dcq.exchange.release_rows import REPEATED, Row


@dataclass(frozen=True)
class Position:
    """The quiz with the original at one slot; ``bdq_chosen`` counts the choices of that slot
    without it."""

    kappa: Kappa
    bdq_chosen: int

    def document(self) -> dict[str, Any]:
        """The keys that the command line promises."""
        return {
            "correct": self.kappa.correct,
            "score": self.kappa.score,
            "kappa_fixed": self.kappa.kappa_fixed,
            "p_value": self.kappa.p_value,
            "bdq_chosen": self.bdq_chosen,
        }


def rule(
    rows: Sequence[Row],
    *,
    positions: Mapping[str, Position],
    best: str | None,
    shunned: Sequence[str],
    defects: Mapping[str, Sequence[int]],
    text_only: Mapping[str, Kappa],
    clean: int,
    total: int,
) -> tuple[Ruling, tuple[str, ...]]:
    """Judge the slot ``best`` among the ``positions`` that the range rests on.

    Such a file has no controls, so it never says ``contaminated``. Too many rows with a defect make
    it inconclusive: ``clean`` of the file's ``total`` rows are without one.
    """
    if best is None:
        return Ruling.INCONCLUSIVE, ("No row is without a defect, so nothing is left to judge.",)
    verdicts = judge(
        [
            # The slot's liking is measured by the quiz without originals, and told below.
            Case(found.kappa, text_only=text_only if slot == best else {}, rotated=True)
            for slot, found in positions.items()
        ]
    )
    verdict = dict(zip(positions, verdicts, strict=True))[best]
    judged = (*verdict.reasons, *_about_slots(positions, best, shunned, len(rows)))
    broken = _about_rows(rows, defects)
    if clean < ENOUGH_VALID * total:
        share = f"Only {clean} of the {total} rows are" if clean else f"None of the {total} rows is"
        few = f"{share} without a defect, under the {100 * ENOUGH_VALID:.0f} % needed."
        return Ruling.INCONCLUSIVE, (few, *broken, *judged)
    return verdict.ruling, (*judged, *broken)


def _about_slots(
    positions: Mapping[str, Position], best: str, shunned: Sequence[str], n: int
) -> list[str]:
    liked = positions[best].bdq_chosen / n
    found = []
    if len(positions) > 1:
        found.append(
            f"The original was asked at {_listed(list(positions))}; judged is {best}, where it "
            "was found most often."
        )
    found.append(
        f"Shown no original, the model chose {best} in {100 * liked:.1f} % of the rows, so a "
        "liking for that slot explains no more than that."
    )
    skipped = [slot for slot in shunned if slot not in positions]
    if best not in shunned:
        found.append(
            "No slot that the model shuns was asked, so the range includes a liking for the slot."
        )
    elif skipped:
        found.append(
            f"The model also shuns {_listed(skipped)}, where the original was not asked, so the "
            "range may be too low."
        )
    return found


def _about_rows(rows: Sequence[Row], defects: Mapping[str, Sequence[int]]) -> list[str]:
    """A sentence for each kind of defect that there is."""
    n = len(rows)
    same = Counter(slot for row in rows for slot in row.equals_original())
    found = [
        f"Option {slot} equals the original in {_of(same[slot], n)}, so the quiz without originals "
        "held one there, and each quiz with the original elsewhere held two."
        for slot in SLOTS
        if same[slot]
    ]
    for name, words in (
        ("missing_options", "an option or the original is missing"),
        ("duplicate_options", "two options are the same text"),
        ("unparsed_answers", "an answer is empty or names no single letter"),
        (REPEATED, "the instance had been asked before"),
    ):
        if defects[name]:
            found.append(f"In {_of(len(defects[name]), n)} {words}.")
    return found


def _of(count: int, n: int) -> str:
    return f"all {n} rows" if count == n else f"{count} of {n} rows"


def _listed(slots: Sequence[str]) -> str:
    return slots[0] if len(slots) == 1 else f"{', '.join(slots[:-1])} and {slots[-1]}"
