"""A published replication analysed again: overlap, matches, people's labels, and figures that do
not agree with the texts.

The file is the csv that the authors of Time Travel in LLMs publish. Pairs have ``sentence1`` and
``sentence2``, other data ``first_piece`` and ``second_piece``. A file of the guided instruction
alone, as the quiz's authors publish to compare with, lacks the general columns, and may lack
people's labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcq.audit.release_rows import read_columns, unescape_formula
from dcq.errors import InputError
from dcq.evidence.agreement import Agreement
from dcq.evidence.replication.guidance import Guidance, compare_instructions
from dcq.evidence.replication.replicated import Matches, count_matches
from dcq.incoming.numbers import read_number
from dcq.replication.judge import MatchLevel, both, read_label
from dcq.replication.match_labels import people_of
from dcq.replication.pieces import PieceForm, Pieces
from dcq.replication.prompts import Instruction
from dcq.replication.results import Completed, InstanceScores
from dcq.replication.scores import exact, rouge_l

DECIMALS = 2  # to which the release rounds scores, before the bootstrap
FIRST = ("sentence1", "first_piece")
SECOND = ("sentence2", "second_piece")
GUIDED, GENERAL = "generated_guided_completion", "generated_general_completion"
SIDES = {GUIDED: Instruction.GUIDED, GENERAL: Instruction.GENERAL}
ROUGE = {GENERAL: "rouge_score_for_general_completion", GUIDED: "rouge_score_for_guided_completion"}
BLEURT = {
    GENERAL: "bleurt_score_for_general_completion",
    GUIDED: "bleurt_score_for_guided_completion",
}
JUDGE = "gpt4_icl_evaluation"
PEOPLE = ("annotator1_evaluation", "annotator2_evaluation")
COLUMNS = (*FIRST, *SECOND, GUIDED, GENERAL, *ROUGE.values(), *BLEURT.values(), JUDGE, *PEOPLE)
NEEDED = f"sentence1 and sentence2 (or first_piece and second_piece) and {GUIDED}"
_KINDS = tuple(zip((PieceForm.NLI, PieceForm.TEXT), FIRST, SECOND, strict=True))


@dataclass(frozen=True)
class AuditedReplication:
    """One file of ``rows``.

    ``rouge`` and ``bleurt`` compare the instructions by the scores of the file; where it has none,
    by our ROUGE-L, rounded as the release rounds. ``matches`` are the labels of the file's judge,
    ``people`` those that both annotators gave; None where the file has no such labels. ``equal``
    are rows whose guided completion is the reference but for white space and case. ``mismatches``
    are rows whose stored ROUGE-L is not the one that we compute, of ``compared`` scores.
    ``judge_differs`` are rows that judge and people label differently.
    """

    name: str
    rows: Sequence[InstanceScores]
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
    def n(self) -> int:
        """The number of instances."""
        return len(self.rows)

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
    """Read and analyse a file. Raises ``InputError`` where it cannot be read, lacks a column, or
    has a cell that is no score or no label."""
    table = read_columns(path, COLUMNS)
    kind = next((kind for kind in _KINDS if {*kind[1:]} <= {*table}), None)
    if kind is None or GUIDED not in table:
        raise InputError(
            f"{path.name} is no replication file; it needs the columns {NEEDED}: rename its own to "
            "these."
        )
    rows = [
        _row(path.name, place, {name: unescape_formula(cell) for name, cell in cells.items()}, kind)
        for place, cells in enumerate(table.to_dict("records"))
    ]
    return _analyse(path.name, rows, frozenset(map(str, table)))


def _row(
    name: str, place: int, texts: Mapping[Any, str], kind: tuple[PieceForm, str, str]
) -> InstanceScores:
    """One row. Scores are those of the file, None where it has none."""
    form, first, second = kind
    where = f"row {place + 1} of {name}"
    if not texts[second].strip():
        raise InputError(f"{second} is empty in {where}; fill it in or delete the row.")
    people = {column: _label(texts, column, where) for column in PEOPLE}
    return InstanceScores(
        place,
        str(place + 1),
        Pieces(form, texts[first], texts[second]),
        wrong_label=None,
        completions={
            instruction: Completed(
                texts.get(side),
                reply_kind=None,
                reply=None,
                rouge_l=_score(texts, ROUGE[side], where),
                meaning=_score(texts, BLEURT[side], where),
            )
            for side, instruction in SIDES.items()
        },
        is_exact=exact(texts[second], texts[GUIDED]),
        judge_label=_label(texts, JUDGE, where),
        judge_reply="",
        people={column: label for column, label in people.items() if label is not None},
    )


def _score(texts: Mapping[Any, str], column: str, where: str) -> float | None:
    cell = texts.get(column, "").strip()
    if not cell:
        return None
    score = read_number(cell)
    if score is None or not abs(score) < 100:
        raise InputError(f"{column} is {cell[:40]!r} in {where}; write a number, such as 0.43.")
    return score


def _label(texts: Mapping[Any, str], column: str, where: str) -> MatchLevel | None:
    cell = texts.get(column, "").strip()
    if not cell:
        return None
    label = read_label(cell)
    if label is None:
        raise InputError(
            f"{column} is {cell[:40]!r} in {where}; write Yes (exact match), Yes (near-exact "
            "match) or No."
        )
    return label


def _analyse(
    name: str, rows: Sequence[InstanceScores], columns: frozenset[str]
) -> AuditedReplication:
    """``columns`` are those that the file has."""
    ours = {side: _recompute(rows, side) for side in SIDES}
    stored = {side: _scores(rows, side) for side in SIDES}
    gaps = {side: np.abs(stored[side] - ours[side]) for side in SIDES}
    wrong = np.any([gap > 0.5 * 10**-DECIMALS + 1e-9 for gap in gaps.values()], axis=0)
    used = {
        side: stored[side] if ROUGE[side] in columns else ours[side].round(DECIMALS)
        for side in SIDES
    }
    has_bleurt = not columns.isdisjoint(BLEURT.values())
    judged = [row.judge_label for row in rows if row.judge_label is not None]
    people = people_of(rows)
    labelled = people.matches if people.matches is not None and people.matches.n else None
    return AuditedReplication(
        name=name,
        rows=rows,
        rouge=_compare(used),
        bleurt=_compare({side: _scores(rows, side, meaning=True) for side in SIDES})
        if has_bleurt
        else None,
        matches=count_matches(
            len(judged), judged.count(MatchLevel.EXACT), judged.count(MatchLevel.NEAR_EXACT)
        )
        if judged
        else None,
        equal=tuple(row.place + 1 for row in rows if row.is_exact),
        people=labelled,
        agreement=people.agreement if labelled else None,
        mismatches=tuple(int(place) + 1 for place in np.flatnonzero(wrong)),
        compared=sum(int(np.isfinite(gap).sum()) for gap in gaps.values()),
        judge_differs=tuple(row.place + 1 for row in rows if _differs(row)),
    )


def _compare(scores: Mapping[str, NDArray[np.float64]]) -> Guidance:
    """The mean of each side over the rows that have a value for it; the test over the rows with
    both values."""
    paired = compare_instructions(scores[GENERAL], scores[GUIDED])
    if paired.n:
        return paired
    guided = scores[GUIDED][np.isfinite(scores[GUIDED])]
    mean = float(guided.mean()) if len(guided) else None
    return Guidance(0, None, mean, None, None, None, None)


def _recompute(rows: Sequence[InstanceScores], side: str) -> NDArray[np.float64]:
    texts = [row.completions[SIDES[side]].text for row in rows]
    if None in texts:  # the file has no such column
        return np.full(len(rows), np.nan)
    references = [row.pieces.second for row in rows]
    return rouge_l(references, [text or "" for text in texts])  # the release has English only


def _scores(
    rows: Sequence[InstanceScores], side: str, *, meaning: bool = False
) -> NDArray[np.float64]:
    return np.array([row.score(SIDES[side], meaning=meaning) for row in rows], dtype=np.float64)


def _differs(row: InstanceScores) -> bool:
    """Whether the judge's label is not the one that both people gave."""
    people = both(*(row.people.get(column) for column in PEOPLE))
    return None not in (row.judge_label, people) and row.judge_label is not people


def _means(guidance: Guidance) -> dict[str, float | None]:
    return {"general": guidance.general, "guided": guidance.guided, "p_value": guidance.p_value}


def _called(guidance: Guidance) -> bool | None:
    return None if guidance.p_value is None else guidance.contaminated
