"""How long replies take, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd


def words(row: Mapping[Any, Any]) -> str:
    """``replies in 0.41 s, 95 % within 0.80 s, 99 % within 12 s``, of a row with p50, p95 and p99;
    nothing where no reply was timed."""
    if pd.isna(row["p50"]):
        return ""
    half, most, nearly_all = (_seconds(row[name]) for name in ("p50", "p95", "p99"))
    return f"replies in {half}, 95 % within {most}, 99 % within {nearly_all}"


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value < 10 else f"{value:,.0f} s"
