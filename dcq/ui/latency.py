"""How long replies take, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd


def words(row: Mapping[Any, Any]) -> str:
    """``replies in 0.41 s, 95 % within 0.80 s, 99 % within 12 s``, from a row with p50, p95, p99
    (seconds) and replies. Empty if no reply was timed; p95 needs 20 replies and p99 100."""
    if pd.isna(row["p50"]):
        return ""
    parts = [f"replies in {_seconds(row['p50'])}"]
    if row["replies"] >= 20:
        parts.append(f"95 % within {_seconds(row['p95'])}")
    if row["replies"] >= 100:
        parts.append(f"99 % within {_seconds(row['p99'])}")
    return ", ".join(parts)


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value < 10 else f"{value:,.0f} s"
