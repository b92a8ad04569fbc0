"""Cells of tables: numbers as people read them, empty where there is none."""

from __future__ import annotations

import math

import pandas as pd

from dcq.words import p_number, percent, points_words


def share_cell(share: float | None) -> str:
    """Per cent with one decimal."""
    return "" if share is None or math.isnan(share) else percent(share, 1)


def limits_cell(low: float, high: float) -> str:
    """An interval of shares."""
    return "" if math.isnan(low) or math.isnan(high) else f"{percent(low, 1)} to {percent(high, 1)}"


def p_cell(p_value: float | None) -> str:
    """A p- or q-value."""
    return "" if p_value is None else p_number(p_value)


def points_cell(difference: float | None, low: float | None, high: float | None) -> str:
    """A difference in percentage points, with its interval as far as it has one."""
    return "" if difference is None else points_words(difference, low, high)


def shown(cell: object) -> str:
    """A cell of any kind as text."""
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def is_number(table: pd.DataFrame, name: str) -> bool:
    """Whether a column holds whole numbers."""
    return bool(pd.api.types.is_integer_dtype(table[name]))
