"""The instances of a replication as rows of a file."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dcq.errors import InputError
from dcq.replication.method import REPLICATION
from dcq.replication.results import Row
from dcq.report.replication import rows
from dcq.store import Store, runs


def frame(store: Store, run_id: str) -> pd.DataFrame:
    """One row an instance: its pieces, what each instruction brought, matches and labels. Raises
    InputError for a run that is no replication."""
    plan = runs.load(store, run_id).plan
    if plan.method != REPLICATION.name:
        raise InputError(
            f"Run {run_id} is a {plan.method} run; name one of a replication, or export answers."
        )
    return pd.DataFrame([_row(run_id, row) for row in rows(store, run_id)])


def _row(run_id: str, row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {
        "run": run_id,
        "position": row.place,
        "instance": row.instance,
        "form": row.pieces.form.value,
        "label": row.pieces.label,
        "first_piece": row.pieces.first,
        "second_piece": row.pieces.second,
        "wrong_label": row.wrong_label,
    }
    for instruction, one in row.completions.items():
        name = instruction.value.replace("-", "_")
        found |= {
            f"{name}_completion": one.text,
            f"{name}_read": one.read.value if one.read else None,
            f"{name}_rouge_l": one.rouge_l,
            f"{name}_meaning": one.meaning,
        }
    found |= {
        "equal": row.equal,
        "judge": row.judge.value if row.judge else None,
        "match": row.match.value if row.match else None,
    }
    return found | {f"label_by_{who}": label.value for who, label in row.people.items()}
