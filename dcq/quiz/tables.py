"""Answers of runs as tables by instance: 1 yes, 0 no, NaN no answer."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dcq.records import LETTERS
from dcq.store import Store, results


def of_runs(store: Store, run_ids: Sequence[str]) -> dict[str, pd.DataFrame]:
    """The rows of ``dcq.store.results.item_answers`` by run."""
    if not run_ids:
        return {}
    rows = results.item_answers(store, run_ids)
    return {str(run): own for run, own in rows.groupby("run", sort=False)}


def right(answers: pd.DataFrame) -> pd.DataFrame:
    """Whether the original was found: one row per instance, one column per slot of the original."""
    found = answers["letter"] == answers["slot"].map(dict(enumerate(LETTERS)))
    return _known(answers, found).pivot(index="instance", columns="slot", values="value")


def chose(answers: pd.DataFrame, letter: str) -> pd.Series:
    """Whether ``letter`` was chosen, by instance, in a quiz that asks each instance once."""
    return _known(answers, answers["letter"] == letter).set_index("instance")["value"]


def _known(answers: pd.DataFrame, value: pd.Series) -> pd.DataFrame:
    asked = value.fillna(False).astype(float).where(answers["answered"].astype(bool))
    return answers.assign(value=asked)
