"""Charts of exhibits, drawn and put into words."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import plotly.graph_objects as go

from dcq import charts
from dcq.sections import Exhibit


def figure_of(exhibit: Exhibit) -> go.Figure | None:
    """None where there is no chart."""
    chart = exhibit.chart
    if chart is None:
        return None
    draw: Callable[..., go.Figure] = getattr(charts, chart.name)
    return draw(chart.rows, *chart.given)


def alt_of(exhibit: Exhibit) -> str:
    """The chart as alternative text; empty where there is none."""
    chart = exhibit.chart
    if chart is None:
        return ""
    describe = getattr(charts, f"describe_{chart.name}")
    return cast("str", describe(chart.rows, *chart.given, **chart.described))
