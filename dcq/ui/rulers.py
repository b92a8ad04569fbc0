"""The charts of documents on a page, above all the verdict ruler: from 0 to 100 %, a band where
unseen text is expected, and a dot with its interval for each result.

The browser draws them from data, so names have room at any width.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd
import streamlit as st

from dcq.documents.chart_rows import ruler_rows
from dcq.documents.pictures import draw, source
from dcq.judging.answer import Concluded
from dcq.judging.judged import JudgedResult
from dcq.sections import Chart

_SHOW = """
export default function ({ parentElement, data, setTriggerValue }) {
  const choose = data.chooses ? (id) => setTriggerValue("chosen", id) : undefined;
  parentElement.querySelector(":scope > .dcq-picture")?.remove(); // what else is there is the style
  parentElement.append(draw(data.picture, choose));
}
"""


@cache
def _component() -> Any:
    return st.components.v2.component(
        "dcq_ruler",
        js=source("pictures.js") + _SHOW,
        css=source("pictures.css"),
        isolate_styles=False,  # every rule is of a class of ours
    )


def show_ruler(result: JudgedResult, concluded: Concluded, *, key: str) -> None:
    """The ruler of one finding of any method, with its words at the marks; nothing where the method
    has no share."""
    rows = ruler_rows([result], concluded, {})
    if rows["found"].notna().any():
        show(rows, key=key, chance=result.evidence.chance)


def show(
    rows: pd.DataFrame,
    *,
    key: str,
    chance: float | None = None,
    on_choose: Callable[[str], None] | None = None,
) -> None:
    """A ruler for each of ``rows`` (``dcq.documents.chart_rows.ruler_rows``). ``on_choose`` is
    called with the run that was clicked, which is one of them."""
    show_chart(Chart("verdict_ruler", rows, (chance,)), key=key, on_choose=on_choose)


def show_chart(chart: Chart, *, key: str, on_choose: Callable[[str], None] | None = None) -> None:
    """A chart of documents (``dcq.documents.drawings.DRAWINGS``). ``on_choose`` is called with the
    run of the line that was clicked."""
    runs = set(chart.rows["run"]) if on_choose is not None else set()

    def chosen() -> None:
        run = st.session_state[key].chosen
        if on_choose is not None and run in runs:
            on_choose(run)

    _component()(
        key=key,
        data={"picture": draw(chart).document(), "chooses": on_choose is not None},
        on_chosen_change=chosen,
    )
