"""Which letter a model prefers, whatever its option: from runs in which memory cannot bias it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dcq.evidence.rotated import Preference, position_preference
from dcq.quiz.build import SLOTS
from dcq.quiz.results import Result
from dcq.records import LETTERS, Kind, Mode
from dcq.report.ablation import distribution
from dcq.store import Store, choices

# In these every slot holds the original equally often: once each, or never.
_FAIR = frozenset({Kind.ROTATED, Kind.MODIFIED})


def count(found: Sequence[Result]) -> pd.DataFrame:
    """Answers by model, for ``dcq.charts.position_preference``: model, answer, count.

    Adds up the rotated and modified runs among ``found``; others are skipped."""
    columns = ["model", "answer", "count"]
    parts = [
        distribution([result]).assign(model=result.model)[columns]
        for result in found
        if _is_fair(result)
    ]
    if not parts:
        return pd.DataFrame(columns=columns)
    return pd.concat(parts).groupby(columns[:2], sort=False)["count"].sum().reset_index()


def measure(store: Store, result: Result) -> tuple[Preference, ...] | None:
    """The share of each letter A–D in one rotated or modified run, with intervals over instances;
    None for other kinds and for likelihood mode, which has no letters."""
    if not _is_fair(result):
        return None
    calls = choices.calls(store, [result.run])
    slots = [LETTERS.find(letter) for letter in calls["letter"].fillna("?")]
    calls = calls.assign(chosen=slots, call=calls.groupby("instance").cumcount())
    table = calls.pivot(index="instance", columns="call", values="chosen").fillna(-1)
    return position_preference(table.to_numpy(), SLOTS)


def _is_fair(result: Result) -> bool:
    return result.kind in _FAIR and result.mode is Mode.LETTER
