"""The button that starts runs: their cost, the reasons why they cannot start, and the start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from dcq.asking import cost
from dcq.asking.task import Task
from dcq.quiz.preview import price_words
from dcq.ui import action, notice, run_panel
from dcq.ui.roles import UserRole
from dcq.ui.text import plain
from dcq.words import usd_words


@dataclass(frozen=True)
class Start:
    """A start button. Texts may quote data.

    ``begin`` starts the runs and returns their ids; it raises DcqError. ``panel``: the page whose
    panel of runs then shows these alone. ``remarks`` stand above the button. ``obstacles``: reasons
    why it cannot start, each shown above the button and in its help; ``unless``: such a reason that
    the page shows elsewhere, or True if it needs no words. ``side_text``: the text beside the
    button."""

    key: str
    label: str
    begin: Callable[[], Sequence[str]]
    panel: str = ""
    remarks: Sequence[str] = ()
    obstacles: Sequence[str] = ()
    unless: str | bool = False
    side_text: str = ""
    role: UserRole = UserRole.RUNNER
    icon: str = ":material/play_arrow:"
    kind: action.Kind = "primary"


def offer(start: Start) -> None:
    """The remarks and the button; once pressed, the page is drawn again with the started runs, or
    shows what went wrong."""
    for sentence in start.remarks:
        notice.caption(sentence)
    warn(start.obstacles)

    def begin() -> None:
        started = start.begin()
        if start.panel:
            run_panel.keep(start.panel, started)

    words = [start.unless] if isinstance(start.unless, str) else []
    why_not = " ".join(filter(None, [*words, *start.obstacles])) or bool(start.unless)
    with st.container(horizontal=bool(start.side_text), vertical_alignment="center"):
        pressed = action.pressed(
            start.label,
            key=start.key,
            icon=start.icon,
            kind=start.kind,
            role=start.role,
            why_not=why_not,
        )
        if start.side_text:
            st.markdown(plain(start.side_text), width="stretch")
    if pressed and action.attempt(begin, start.role):
        st.rerun()


def warn(reasons: Sequence[str]) -> None:
    """The reasons why something cannot start, which may quote data."""
    for sentence in reasons:
        notice.warning(sentence, icon=":material/block:")


def has_models(chosen: Sequence[str]) -> bool:
    """Whether any model is chosen; shows what to do if none is."""
    if not chosen:
        st.info("Choose at least one model to see what asking costs.", icon=":material/smart_toy:")
    return bool(chosen)


def show_task_price(
    models: Sequence[str], task: Task, max_tokens: int, limit: int | None, *, key: str, alt: str
) -> None:
    """The cost of asking each model the requests about the first ``limit`` instances (None: all),
    with replies of ``max_tokens`` at most."""
    count = task.size if limit is None else task.count_first(limit)
    texts = [task.text(position) for position in range(count)]
    estimates = [cost.estimate(model, texts, max_tokens) for model in models]
    rows = [
        {
            "model": model,
            "calls": estimate.calls,
            "cost": usd_words(estimate.cost_usd),
            "tokens_in": estimate.tokens_in,
        }
        for model, estimate in zip(models, estimates, strict=True)
    ]
    columns = {"model": st.column_config.TextColumn("Model", width=230)}
    show_price(pd.DataFrame(rows), columns, key=key, alt=alt, models=models)


def show_price(
    rows: pd.DataFrame,
    columns: Mapping[str, ColumnConfig | str],
    *,
    key: str,
    alt: str,
    models: Sequence[str],
    cost: str = "Cost, about",
) -> None:
    """The cost of asking, line by line: the ``columns`` of the page, then calls, cost and tokens,
    if ``rows`` have them. ``models``: the models whose prices the help of ``cost`` names."""
    all_columns = {
        **columns,
        "calls": st.column_config.NumberColumn("Calls", width=65, format="localized"),
        "cost": st.column_config.TextColumn(cost, help=price_words(models)),
        "tokens_in": st.column_config.NumberColumn("Tokens in, about", format="localized"),
        "tokens_out": st.column_config.NumberColumn("Tokens out, at most", format="localized"),
        **columns,
    }
    st.dataframe(
        rows,
        hide_index=True,
        key=key,
        alt=alt,
        column_order=[name for name in all_columns if name in rows],
        column_config=all_columns,
    )
