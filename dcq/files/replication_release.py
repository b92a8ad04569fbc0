"""A replication in the columns of the authors of Time Travel in LLMs, as ``replicate --audit``
reads them.

Pairs have ``sentence1``, ``sentence2`` and ``label``, other data ``text``, ``summary`` or
``question`` with its two pieces; then come completions, scores and labels. Two things differ from
the published files: scores keep all their decimals, so that means and p-values stay those of the
run, and the column of the judge, named after GPT-4, has whoever judged. What they have no column
for, such as the controls, is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dcq.audit.replication_rows import BLEURT, FIRST, GENERAL, GUIDED, JUDGE, PEOPLE, ROUGE, SECOND
from dcq.files.replication_export import check
from dcq.judging.replication import ReplicationResult, of_run, rows
from dcq.replication.judge import Match
from dcq.replication.pieces import Form
from dcq.replication.prompts import Instruction
from dcq.replication.results import Row
from dcq.store import Store

_SIDES = {GUIDED: Instruction.GUIDED, GENERAL: Instruction.GENERAL}
_TEXTS = {Form.SUMMARY: "summary", Form.ONE_SENTENCE_SUMMARY: "summary", Form.QUESTION: "question"}
_LABELS = {
    Match.EXACT: "Yes (exact match)",
    Match.NEAR_EXACT: "Yes (near-exact match)",
    Match.INEXACT: "No",
}


def frame(store: Store, run_id: str) -> pd.DataFrame:
    """One row an instance. Raises InputError for a run that is no replication or has no answer."""
    check(store, run_id)
    result = of_run(store, run_id)
    return pd.DataFrame([_row(row, result) for row in rows(store, run_id)])


def _row(row: Row, result: ReplicationResult) -> dict[str, Any]:
    found = _texts(row)
    for column, instruction in _SIDES.items():
        one = row.completions.get(instruction)
        found[column] = (one.text if one else None) or ""
    found |= _scores(row, ROUGE, meaning=False)
    if result.meaning is not None and result.meaning.called.startswith("BLEURT"):
        found |= _scores(row, BLEURT, meaning=True)
    if result.judge:
        found[JUDGE] = _label(row.match)
    people = result.people.compared or tuple(result.people.counts)
    return found | {
        column: _label(row.people.get(who)) for column, who in zip(PEOPLE, people, strict=False)
    }


def _texts(row: Row) -> dict[str, Any]:
    pieces = row.pieces
    if pieces.form is Form.NLI:
        return {FIRST[0]: pieces.first, SECOND[0]: pieces.second, "label": pieces.label}
    label = {} if pieces.label is None else {"label": pieces.label}
    whole = {_TEXTS.get(pieces.form, "text"): pieces.text}
    return {**whole, **label, FIRST[1]: pieces.first, SECOND[1]: pieces.second}


def _scores(row: Row, columns: Mapping[str, str], *, meaning: bool) -> dict[str, float]:
    return {column: row.score(_SIDES[side], meaning=meaning) for side, column in columns.items()}


def _label(match: Match | None) -> str:
    return "" if match is None else _LABELS[match]
