"""A published replication analysed again: overlap, matches, people's labels, and figures that do
not agree with the texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcq.audit.replication_rows import (
    BLEURT,
    GENERAL,
    GUIDED,
    JUDGE,
    PEOPLE,
    ROUGE,
    File,
    ReplicationRow,
    read_rows,
)
from dcq.evidence.agreement import Agreement, agree
from dcq.evidence.replication.guidance import Guidance, compare_instructions
from dcq.evidence.replication.replicated import Matches, count_matches
from dcq.replication.judge import MatchLevel, both
from dcq.replication.scores import exact, rouge_l

DECIMALS = 2  # to which the release rounds scores, before the bootstrap


@dataclass(frozen=True)
class AuditedReplication:
    """One file of ``n`` instances.

    ``rouge`` and ``bleurt`` compare the instructions by the scores of the file; where it has none,
    by our ROUGE-L, rounded as the release rounds. ``matches`` are the labels of the file's judge,
    ``people`` those that both annotators gave; None where the file has no such labels. ``equal``
    are rows whose guided completion is the reference but for white space and case. ``mismatches``
    are rows whose stored ROUGE-L is not the one that we compute, of ``compared`` scores.
    ``judge_differs`` are rows that judge and people label differently.
    """

    name: str
    n: int
    rouge: Guidance
    bleurt: Guidance | None
    matches: Matches | None
    equal: tuple[int, ...]
    people: Matches | None
    agreement: Agreement | None
    mismatches: tuple[int, ...]
    compared: int
    judge_differs: tuple[int, ...]

    @property
    def exact(self) -> int:
        """Exact matches by the judge; by equality where the file has no judge."""
        return len(self.equal) if self.matches is None else self.matches.exact

    @property
    def algorithm2(self) -> bool | None:
        """The paper's rule on the judge's labels. Without a judge an equal completion is enough;
        without that nothing is known of near-exact ones."""
        if self.matches is not None:
            return self.matches.contaminated
        return True if self.equal else None

    def document(self) -> dict[str, Any]:
        """The keys documented for the command line; None where the file does not tell."""
        human = None
        if self.people is not None and self.agreement is not None:
            human = {
                "exact": self.people.exact,
                "near_exact": self.people.near_exact,
                "agreement": self.agreement.share,
            }
        return {
            "n": self.n,
            "rouge_l": _means(self.rouge),
            "bleurt": None if self.bleurt is None else _means(self.bleurt),
            "exact": self.exact,
            "near_exact": None if self.matches is None else self.matches.near_exact,
            "human": human,
            "algorithm1": {
                "rouge_l": _called(self.rouge),
                "bleurt": None if self.bleurt is None else _called(self.bleurt),
            },
            "algorithm2": self.algorithm2,
            "human_verdict": None if self.people is None else self.people.contaminated,
        }


def audit_replication(path: Path) -> AuditedReplication:
    """Read and analyse a file. Raises ``InputError`` where it is not such a file."""
    return analyse(read_rows(path))


def analyse(file: File) -> AuditedReplication:
    """Analyse the rows of a file that was read."""
    rows = file.rows
    ours = {side: _recompute(rows, side, side in file.columns) for side in (GUIDED, GENERAL)}
    stored = {side: _column(rows, "rouge", side) for side in (GUIDED, GENERAL)}
    gaps = {side: np.abs(stored[side] - ours[side]) for side in (GUIDED, GENERAL)}
    wrong = {
        row.number
        for side in gaps
        for row, gap in zip(rows, gaps[side], strict=True)
        if gap > 0.5 * 10**-DECIMALS + 1e-9
    }
    used = {
        side: stored[side] if ROUGE[side] in file.columns else ours[side].round(DECIMALS)
        for side in (GUIDED, GENERAL)
    }
    has_bleurt = any(column in file.columns for column in BLEURT.values())
    has_judge = any(row.judge is not None for row in rows)
    labels = [(row.people[0], row.people[1]) for row in rows]
    has_people = set(PEOPLE) <= file.columns and any(None not in pair for pair in labels)
    common = [both(*pair) for pair in labels]
    return AuditedReplication(
        name=file.name,
        n=len(rows),
        rouge=_compare(used),
        bleurt=_compare({side: _column(rows, "bleurt", side) for side in BLEURT})
        if has_bleurt
        else None,
        matches=_count([row.judge for row in rows]) if has_judge else None,
        equal=tuple(row.number for row in rows if exact(row.second, row.guided)),
        people=_count(common) if has_people else None,
        agreement=agree([a for a, _ in labels], [b for _, b in labels]) if has_people else None,
        mismatches=tuple(sorted(wrong)),
        compared=sum(int(np.isfinite(gap).sum()) for gap in gaps.values()),
        judge_differs=tuple(
            row.number
            for row, seen_level in zip(rows, common, strict=True)
            if JUDGE in file.columns
            and None not in (row.judge, seen_level)
            and row.judge is not seen_level
        ),
    )


def _compare(scores: dict[str, NDArray[np.float64]]) -> Guidance:
    """The mean of each side over the rows that have a value for it; the test over the rows with
    both values."""
    paired = compare_instructions(scores[GENERAL], scores[GUIDED])
    if paired.n:
        return paired
    guided = scores[GUIDED][np.isfinite(scores[GUIDED])]
    mean = float(guided.mean()) if len(guided) else None
    return Guidance(0, None, mean, None, None, None, None)


def _recompute(rows: Sequence[ReplicationRow], side: str, present: bool) -> NDArray[np.float64]:
    if not present:
        return np.full(len(rows), np.nan)
    references = [row.second for row in rows]
    candidates = [row.guided if side == GUIDED else row.general for row in rows]
    return rouge_l(references, candidates)  # the release has English only


def _column(rows: Sequence[ReplicationRow], scores: str, side: str) -> NDArray[np.float64]:
    return np.array([getattr(row, scores)[side] for row in rows], dtype=np.float64)


def _count(labels: Sequence[MatchLevel | None]) -> Matches:
    levels = [label for label in labels if label is not None]
    return count_matches(
        len(levels),
        levels.count(MatchLevel.EXACT),
        levels.count(MatchLevel.NEAR_EXACT),
    )


def _means(guidance: Guidance) -> dict[str, float | None]:
    return {"general": guidance.general, "guided": guidance.guided, "p_value": guidance.p_value}


def _called(guidance: Guidance) -> bool | None:
    return None if guidance.p_value is None else guidance.contaminated
