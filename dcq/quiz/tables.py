"""Answers of runs as tables by instance: 1 yes, 0 no, NaN no answer."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dcq.records import LETTERS
from dcq.store import Store, results


def of_runs(store: Store, run_ids: Sequence[str]) -> dict[str, pd.DataFrame]:
    """The rows of ``dcq.store.results.item_answers`` by run."""
    if not run_ids:
        return {}
    rows = results.item_answers(store, run_ids)
    # As objects: to turn each run's few texts into them one run at a time takes far longer.
    texts = {name: rows[name].astype(object) for name in ("instance", "letter")}
    rows = rows.assign(**texts)
    ends = np.flatnonzero((rows["run"] != rows["run"].shift()).to_numpy(bool)).tolist()
    parts = itertools.pairwise([*ends, len(rows)])
    return {str(rows["run"].iat[begin]): rows.iloc[begin:end] for begin, end in parts}


def right(answers: pd.DataFrame) -> pd.DataFrame:
    """Whether the original was found: one row per instance, one column per slot of the original."""
    slots, of_slot = np.unique(answers["slot"].to_numpy(np.int64), return_inverse=True)
    instances, of_instance = np.unique(_texts(answers, "instance"), return_inverse=True)
    # By hand: a pivot of pandas takes ten times as long, and there are thousands of runs.
    table = np.full((len(instances), len(slots)), np.nan)
    is_original = _texts(answers, "letter") == np.array(list(LETTERS), dtype=object)[slots][of_slot]
    table[of_instance, of_slot] = _known(answers, is_original)
    return pd.DataFrame(
        table,
        index=pd.Index(instances, dtype="str", name="instance"),
        columns=pd.Index(slots, dtype=answers["slot"].dtype, name="slot"),
    )


def begun(answers: pd.DataFrame) -> pd.DataFrame:
    """The rows of instances about which at least one question was asked."""
    if answers["asked"].all():
        return answers
    asked = answers.groupby("instance")["asked"].transform("any")
    return answers[asked]


def chose(answers: pd.DataFrame, letter: str) -> pd.Series:
    """Whether ``letter`` was chosen, by instance, in a quiz that asks each instance once."""
    value = _known(answers, _texts(answers, "letter") == letter)
    return pd.Series(value, index=pd.Index(answers["instance"], name="instance"), name="value")


def _texts(answers: pd.DataFrame, column: str) -> NDArray[np.object_]:
    return np.asarray(answers[column].to_numpy(dtype=object))


def _known(answers: pd.DataFrame, value: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.where(answers["answered"].to_numpy(bool), value.astype(np.float64), np.nan)
