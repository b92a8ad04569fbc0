"""The option distribution of runs, whose bars open the list of their answers when clicked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from dcq import charts
from dcq.quiz.ablation import distribution
from dcq.quiz.results import Result
from dcq.records import slot_letter
from dcq.ui.results import answers


def draw(results: Sequence[Result], *, prefix: str, kind_key: str | None = None) -> go.Figure:
    """Show the bars and return their figure. A click lists the answers of the bar under ``prefix``;
    with ``kind_key``, it also selects the bar's kind of quiz in that widget."""
    counts = distribution(results)
    original = next((letter for r in results if (letter := slot_letter(r.slot))), None)
    figure = charts.option_distribution(counts, original)
    # A chart highlights its clicked bar and dims the rest; a new key after each choice resets it.
    turn = st.session_state.get(f"{prefix}_turn", 0)
    key = f"{prefix}_bars_{'_'.join(result.run for result in results)}_{turn}"
    st.plotly_chart(
        figure,
        key=key,
        on_select=partial(_choose, key, prefix, kind_key),
        selection_mode="points",
        config={"displayModeBar": False},
        alt=charts.describe_option_distribution(counts, original),
    )
    return figure


def _choose(key: str, prefix: str, kind_key: str | None) -> None:
    mark = clicked(key)
    if mark is None:
        return
    kind, answer = str(mark[0]), str(mark[1])
    if kind_key is not None:
        st.session_state[kind_key] = kind
    answers.show_only(prefix, answer)
    st.session_state[f"{prefix}_turn"] = st.session_state.get(f"{prefix}_turn", 0) + 1


def clicked(key: str) -> Sequence[Any] | None:
    """In a callback of the chart ``key``: the ``customdata`` of the clicked mark, or None if the
    click cleared the selection."""
    points = st.session_state[key].selection.points
    if not points or "customdata" not in points[0]:
        return None
    data = points[0]["customdata"]
    return list(data.values()) if isinstance(data, Mapping) else list(data)
