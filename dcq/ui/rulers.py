"""The verdict ruler on a page: from 0 to 100 %, a band where unseen text is expected, and a dot
with its interval for each result.

The browser draws it from data, so names have room at any width.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd
import streamlit as st

from dcq.charts import describe_kappa_forest, describe_replication_measures
from dcq.documents.chart_rows import ruler_rows
from dcq.documents.pictures import Picture, source
from dcq.documents.ruler_drawings import (
    describe_verdict_ruler,
    kappa_forest,
    replications,
    verdict_ruler,
)
from dcq.judging.answer import Concluded
from dcq.judging.judged import JudgedResult

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
    kind, data = verdict_ruler(rows, chance)
    _draw(
        Picture(kind, data, describe_verdict_ruler(rows, chance)), set(rows["run"]), key, on_choose
    )


def show_forest(rows: pd.DataFrame, zone: tuple[float, float] | None = None, *, key: str) -> None:
    """The rows of ``dcq.charts.kappa_forest``, with room for names at any width."""
    kind, data = kappa_forest(rows, zone)
    _draw(Picture(kind, data, describe_kappa_forest(rows)), set(), key, None)


def show_replications(
    rows: pd.DataFrame, expected: dict[str, tuple[float, float]], *, key: str
) -> None:
    """The rows of ``dcq.charts.replication_measures``, with what is ``expected`` on unseen text."""
    kind, data = replications(rows, expected)
    words = describe_replication_measures(rows, expected)
    _draw(Picture(kind, data, words), set(), key, None)


def _draw(
    picture: Picture, runs: set[str], key: str, on_choose: Callable[[str], None] | None
) -> None:

    def chosen() -> None:
        run = st.session_state[key].chosen
        if on_choose is not None and run in runs:
            on_choose(run)

    _component()(
        key=key,
        data={"picture": picture.document(), "chooses": on_choose is not None},
        on_chosen_change=chosen,
    )
