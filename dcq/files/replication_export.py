"""The instances of a replication, and its scores by instruction, as rows of a file; also in the
columns of the authors of Time Travel in LLMs, as ``replicate --audit`` reads them.

Pairs have ``sentence1``, ``sentence2`` and ``label``, other data ``text``, ``summary`` or
``question`` with its two pieces; then come completions, scores and labels. Two things differ from
the published files: scores keep all their decimals, so that means and p-values stay those of the
run, and the column of the judge, named after GPT-4, has any judge's labels. What the authors have
no column for, such as the controls, is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dcq.audit.replication import BLEURT, FIRST, JUDGE, PEOPLE, ROUGE, SECOND, SIDES
from dcq.errors import InputError
from dcq.judging.replication import of_run
from dcq.replication.evidence import ReplicationRun, replication_row
from dcq.replication.judge import MatchLevel
from dcq.replication.method import REPLICATION
from dcq.replication.pieces import PieceForm
from dcq.replication.results import InstanceScores
from dcq.replication.score_table import Addition
from dcq.store import Store, runs


def frame(store: Store, run_id: str) -> pd.DataFrame:
    """One row for each instance: its pieces, the completion under each instruction, matches and
    labels. Raises InputError for a run that is no replication or has no answer."""
    return pd.DataFrame([_row(run_id, row) for row in _read(store, run_id).rows])


def scores(store: Store, run_id: str) -> pd.DataFrame:
    """One row for each score and instruction: run, model, partition, score, instruction, mean, and
    guided minus it: n, guided_minus, low, high, p_value (NA for the guided one). Raises InputError
    for a run that is no replication or has no answer."""
    result = _read(store, run_id)
    score_sets = [("ROUGE-L", result.rouge_l, result.additions)]
    if result.meaning is not None:
        score_sets.append((result.meaning.called, result.meaning.means, result.meaning.additions))
    return pd.DataFrame(
        [
            {
                "run": run_id,
                "model": result.run.model,
                "partition": result.sample.partition,
                "score": score,
                "instruction": str(instruction),
                "mean": mean,
                **_difference(additions.get(instruction)),
            }
            for score, means, additions in score_sets
            for instruction, mean in means.items()
        ]
    )


def _read(store: Store, run_id: str) -> ReplicationRun:
    check(store, run_id)
    return replication_row(of_run(store, run_id).evidence)


def check(store: Store, run_id: str) -> None:
    """Raise InputError for a run that is no replication."""
    plan = runs.load(store, run_id).plan
    if plan.method != REPLICATION.name:
        raise InputError(
            f"Run {run_id} is a {plan.method} run; name one of a replication, or export answers."
        )


def _difference(addition: Addition | None) -> dict[str, float | None]:
    if addition is None:  # the guided instruction itself
        return dict.fromkeys(("n", "guided_minus", "low", "high", "p_value"))
    return {
        "n": addition.n,
        "guided_minus": addition.difference,
        "low": addition.low,
        "high": addition.high,
        "p_value": addition.p_value,
    }


def _row(run_id: str, row: InstanceScores) -> dict[str, Any]:
    cells: dict[str, Any] = {
        "run": run_id,
        "position": row.place,
        "instance": row.instance,
        "form": row.pieces.form.value,
        "label": row.pieces.label,
        "first_piece": row.pieces.first,
        "second_piece": row.pieces.second,
        "cut_by": row.cut_by,
        "wrong_label": row.wrong_label,
    }
    for instruction, completion in row.completions.items():
        name = instruction.value.replace("-", "_")
        cells |= {
            f"{name}_completion": completion.text,
            f"{name}_read": completion.reply_kind.value if completion.reply_kind else None,
            f"{name}_rouge_l": completion.rouge_l,
            f"{name}_meaning": completion.meaning,
        }
    cells |= {
        "equal": row.is_exact,
        "judge": row.judge_label.value if row.judge_label else None,
        "match": row.match.value if row.match else None,
    }
    return cells | {f"label_by_{who}": label.value for who, label in row.people.items()}


_TEXTS = {
    PieceForm.SUMMARY: "summary",
    PieceForm.ONE_SENTENCE_SUMMARY: "summary",
    PieceForm.QUESTION: "question",
}
_LABELS = {
    MatchLevel.EXACT: "Yes (exact match)",
    MatchLevel.NEAR_EXACT: "Yes (near-exact match)",
    MatchLevel.INEXACT: "No",
}


def release_frame(store: Store, run_id: str) -> pd.DataFrame:
    """One row for each instance in the authors' columns. Raises InputError for a run that is no
    replication or has no answer."""
    result = _read(store, run_id)
    return pd.DataFrame([_release_row(row, result) for row in result.rows])


def _release_row(row: InstanceScores, result: ReplicationRun) -> dict[str, Any]:
    cells = _texts(row)
    for column, instruction in SIDES.items():
        completion = row.completions.get(instruction)
        cells[column] = (completion.text if completion else None) or ""
    cells |= _scores(row, ROUGE, meaning=False)
    if result.meaning is not None and result.meaning.called.startswith("BLEURT"):
        cells |= _scores(row, BLEURT, meaning=True)
    if result.judge:
        cells[JUDGE] = _label(row.match)
    people = result.people.compared or tuple(result.people.counts)
    return cells | {
        column: _label(row.people.get(who)) for column, who in zip(PEOPLE, people, strict=False)
    }


def _texts(row: InstanceScores) -> dict[str, Any]:
    pieces = row.pieces
    if pieces.form is PieceForm.NLI:
        return {FIRST[0]: pieces.first, SECOND[0]: pieces.second, "label": pieces.label}
    label = {} if pieces.label is None else {"label": pieces.label}
    full_text = {_TEXTS.get(pieces.form, "text"): pieces.text}
    return {**full_text, **label, FIRST[1]: pieces.first, SECOND[1]: pieces.second}


def _scores(row: InstanceScores, columns: Mapping[str, str], *, meaning: bool) -> dict[str, float]:
    return {column: row.score(SIDES[side], meaning=meaning) for side, column in columns.items()}


def _label(match: MatchLevel | None) -> str:
    return "" if match is None else _LABELS[match]
