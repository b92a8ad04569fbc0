"""κ of many runs: the forest chart and the table, both of which open a run when clicked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dcq import charts
from dcq.evidence.verdict import Verdict
from dcq.records import Role
from dcq.runs.results import Result
from dcq.runs.summary import interval_words, p_number
from dcq.ui.clicks import clicked
from dcq.ui.names import line_names, partition_names, quiz_name

DEFINITION = (
    "κ = (score − 25 %) / 75 %. 0 is what guessing gives, 1 is always the original, below 0 is "
    "less often than guessing. The score is the share of replies that chose the original; a reply "
    "that names no letter counts as not found, and a call without a reply does not count. The "
    "interval is Wilson's at 95 %, carried through; p is the exact one-sided binomial test "
    "against guessing. A rotated quiz counts instances, and an interval over instances."
)


def draw_forest(rows: pd.DataFrame, *, run_key: str) -> go.Figure:
    """Show the chart of ``forest_rows`` and ``published_rows``; a click on one of our marks chooses
    its run at the widget ``run_key``. Returns the figure."""
    figure = charts.kappa_forest(rows)
    # A chart keeps its clicked mark lit and the rest dim; a new name after each choice undoes that.
    key = f"{run_key}_forest_{st.session_state.get(run_key)}"
    st.plotly_chart(
        figure,
        key=key,
        on_select=partial(_choose_mark, key, rows, run_key),
        selection_mode="points",
        config={"displayModeBar": False},
        alt=charts.describe_kappa_forest(rows),
    )
    return figure


def _choose_mark(key: str, rows: pd.DataFrame, run_key: str) -> None:
    mark = clicked(key)
    if mark is None or mark[2]:
        return
    ours = rows[~rows["published"]]
    run = ours.loc[(ours["model"] == mark[0]) & (ours["partition"] == mark[1]), "run"]
    if len(run):
        st.session_state[run_key] = run.iloc[0]


def show_table(found: Sequence[Result], *, run_key: str) -> None:
    """The κ table; a click on a row chooses its run at the widget ``run_key``."""
    key = f"{run_key}_table_{st.session_state.get(run_key)}"
    st.dataframe(
        tabulate(found),
        hide_index=True,
        placeholder="no value",
        key=key,
        on_select=partial(_choose_row, key, [result.run for result in found], run_key),
        selection_mode="single-row",
        column_config=_columns(),
        alt="Results: model, partition, role, quiz, n, score, kappa, interval, p, outcomes.",
    )


def _choose_row(key: str, runs: Sequence[str], run_key: str) -> None:
    rows = st.session_state[key].selection.rows
    if rows:
        st.session_state[run_key] = runs[rows[0]]


def forest_rows(found: Sequence[Result], verdicts: Mapping[str, Verdict | None]) -> pd.DataFrame:
    """As ``dcq.charts.kappa_forest`` takes them, with the run of each beside it; ``verdicts`` by
    run, None for a control."""
    lines, partitions = line_names(found), partition_names(found)
    return pd.DataFrame(
        [
            {
                "run": result.run,
                "model": lines[result.run],
                "partition": partitions[result.partition],
                "role": result.role,
                "n": result.n,
                "progress": result.progress,
                "kappa": _number(result.kappa_fixed),
                "low": _number(result.kappa_low),
                "high": _number(result.kappa_high),
                "published": False,
                "verdict": str(told.ruling) if (told := verdicts.get(result.run)) else None,
            }
            for result in found
        ]
    )


def published_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The paper's Table 1 as rows of the same chart."""
    return table.assign(
        run=None,
        partition=table["dataset"] + " " + table["split"],
        role=str(Role.TARGET),
        published=True,
    )[["run", "model", "partition", "role", "n", "kappa", "low", "high", "published"]]


def arrange(found: Sequence[Result]) -> list[Result]:
    """Targets before positives and controls, and within a partition by falling κ."""
    roles = [Role.TARGET, Role.POSITIVE, Role.CONTROL]

    def place(result: Result) -> tuple[int, str, float, str]:
        fall = math.inf if result.kappa_fixed is None else -result.kappa_fixed
        return roles.index(Role(result.role)), result.partition, fall, result.model

    return sorted(found, key=place)


def tabulate(found: Sequence[Result]) -> pd.DataFrame:
    """The κ table as people read it; score and κ stay numbers, so that a column can be sorted. A
    column ``unfinished`` says how far a run came, where there is one that did not finish."""
    partitions = partition_names(found)
    table = pd.DataFrame(
        [
            {
                "model": result.model,
                "partition": partitions[result.partition],
                "role": result.role,
                "quiz": quiz_name(result),
                "n": result.n,
                "unfinished": result.progress,
                "score": None if result.score is None else 100 * result.score,
                "kappa": result.kappa_fixed,
                "interval": None
                if result.kappa_low is None or result.kappa_high is None
                else interval_words(result.kappa_low, result.kappa_high),
                "p": None if result.p_value is None else p_number(result.p_value),
                "outcomes": outcome_words(result.outcomes),
                "run": result.run,
                "asked": result.at,
            }
            for result in found
        ]
    )
    return table if (table["unfinished"] != "").any() else table.drop(columns="unfinished")


def outcome_words(outcomes: Mapping[str, int]) -> str:
    """``98 answered, 2 invalid``."""
    return ", ".join(f"{count:,} {name}" for name, count in outcomes.items() if count)


def _columns() -> dict[str, Any]:
    return {
        "model": st.column_config.TextColumn("Model", width=155),
        "partition": st.column_config.TextColumn("Partition", width=105),
        "role": st.column_config.TextColumn(
            "Role", width=70, help="Target: may have been seen. Control: cannot. Positive: was."
        ),
        "quiz": st.column_config.TextColumn("Quiz", width=140),
        "n": st.column_config.NumberColumn(
            "n", width=50, format="localized", help="Replies; for a rotated quiz, instances."
        ),
        "unfinished": st.column_config.TextColumn(
            "Unfinished",
            width=85,
            help="A pilot, or a run that was stopped or is still going: questions with a reply of "
            "all in the quiz.",
        ),
        "score": st.column_config.NumberColumn("Score", width=74, format="%.1f %%"),
        "kappa": st.column_config.NumberColumn("κ", width=74, format="%.2f", help=DEFINITION),
        "interval": st.column_config.TextColumn("95 % interval", width=105),
        "p": st.column_config.TextColumn("p", width=74, help="Against guessing, one-sided."),
        "outcomes": st.column_config.TextColumn("Outcomes", width=110),
        "run": st.column_config.TextColumn("Run", width=130),
        "asked": st.column_config.DatetimeColumn("Asked, UTC", format="D MMM YYYY, HH:mm"),
    }


def _number(value: float | None) -> float:
    return math.nan if value is None else value
