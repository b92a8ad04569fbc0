"""Intervals as thin bars on marks."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dcq.charts.template import INK


def whiskers(values: pd.Series, low: pd.Series, high: pd.Series) -> dict[str, Any]:
    """``error_x`` or ``error_y`` of a trace; where a limit is NaN, there is no bar."""
    return {
        "array": high.fillna(values) - values,
        "arrayminus": values - low.fillna(values),
        "color": INK,
        "thickness": 1.5,
        "width": 4,
    }
