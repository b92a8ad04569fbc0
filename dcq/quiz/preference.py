"""Which letter a model prefers, whatever its option, from runs in which memory has no effect."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dcq.quiz.ablation import distribution
from dcq.quiz.results import Result
from dcq.records import Mode, QuizKind

# In these every slot holds the original equally often: once each, or never.
_FAIR = frozenset({QuizKind.ROTATED, QuizKind.MODIFIED})


def count(results: Sequence[Result]) -> pd.DataFrame:
    """Answers by model, for ``dcq.charts.position_preference``: model, answer, count.

    Adds up the rotated and modified runs among ``results``; others are skipped."""
    columns = ["model", "answer", "count"]
    parts = [
        distribution([result]).assign(model=result.model)[columns]
        for result in results
        if _is_fair(result)
    ]
    if not parts:
        return pd.DataFrame(columns=columns)
    return pd.concat(parts).groupby(columns[:2], sort=False)["count"].sum().reset_index()


def _is_fair(result: Result) -> bool:
    return result.kind in _FAIR and result.mode is Mode.LETTER
