"""What was clicked in a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st


def clicked(key: str) -> Sequence[Any] | None:
    """In a callback of the chart ``key``: the ``customdata`` of the mark that was clicked, or None
    if the click cleared the selection."""
    points = st.session_state[key].selection.points
    if not points or "customdata" not in points[0]:
        return None
    data = points[0]["customdata"]
    return list(data.values()) if isinstance(data, Mapping) else list(data)
