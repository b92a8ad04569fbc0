"""The instances of a replication, and its scores by instruction, as rows of a file."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dcq.errors import InputError
from dcq.judging.replication import of_run, rows
from dcq.replication.method import REPLICATION
from dcq.replication.results import Row
from dcq.replication.score_table import Addition
from dcq.store import Store, runs


def frame(store: Store, run_id: str) -> pd.DataFrame:
    """One row an instance: its pieces, what each instruction brought, matches and labels. Raises
    InputError for a run that is no replication."""
    check(store, run_id)
    return pd.DataFrame([_row(run_id, row) for row in rows(store, run_id)])


def scores(store: Store, run_id: str) -> pd.DataFrame:
    """One row for each score and instruction: run, model, partition, score, instruction, mean, and
    guided minus it: n, guided_minus, low, high, p_value (NA for the guided one). Raises InputError
    for a run that is no replication or has no answer."""
    check(store, run_id)
    result = of_run(store, run_id)
    found = [("ROUGE-L", result.rouge_l, result.additions)]
    if result.meaning is not None:
        found.append((result.meaning.called, result.meaning.means, result.meaning.additions))
    return pd.DataFrame(
        [
            {
                "run": run_id,
                "model": result.model,
                "partition": result.partition,
                "score": score,
                "instruction": str(instruction),
                "mean": mean,
                **_difference(additions.get(instruction)),
            }
            for score, means, additions in found
            for instruction, mean in means.items()
        ]
    )


def check(store: Store, run_id: str) -> None:
    """Raise InputError for a run that is no replication."""
    plan = runs.load(store, run_id).plan
    if plan.method != REPLICATION.name:
        raise InputError(
            f"Run {run_id} is a {plan.method} run; name one of a replication, or export answers."
        )


def _difference(one: Addition | None) -> dict[str, float | None]:
    if one is None:  # the guided instruction itself
        return dict.fromkeys(("n", "guided_minus", "low", "high", "p_value"))
    return {
        "n": one.n,
        "guided_minus": one.difference,
        "low": one.low,
        "high": one.high,
        "p_value": one.p_value,
    }


def _row(run_id: str, row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {
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
