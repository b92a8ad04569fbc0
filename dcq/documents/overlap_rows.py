"""What overlap found, and its effect, as the rows that charts take."""

from __future__ import annotations

import math

import pandas as pd

from dcq.evidence.interval import wilson
from dcq.overlap.effect_report import EffectReport
from dcq.overlap.match import Category
from dcq.overlap.outcome import OverlapResult

_MARKS = ("clean", "input-only", "input-and-label")


def category_rows(found: OverlapResult) -> pd.DataFrame:
    """The rows that ``dcq.charts.overlap_categories`` takes; none where nothing was sought."""
    n = found.coverage.searched
    rows = []
    for category in Category if n else ():
        count = sum(row.category is category for row in found.rows)
        limits = wilson(count, n)
        rows.append(
            {
                "category": category.value,
                "count": count,
                "n": n,
                "share": count / n,
                "low": limits.low if limits else math.nan,
                "high": limits.high if limits else math.nan,
            }
        )
    return pd.DataFrame(rows)


def accuracy_rows(effect: EffectReport) -> pd.DataFrame:
    """The rows that ``dcq.charts.accuracy_by_category`` takes."""
    return pd.DataFrame(
        [
            {
                "model": one.model,
                "category": mark,
                "n": one.categories[mark].n,
                "accuracy": one.categories[mark].accuracy,
                "low": one.categories[mark].low,
                "high": one.categories[mark].high,
            }
            for one in effect.models
            for mark in _MARKS
        ]
    ).astype({"accuracy": float, "low": float, "high": float})
