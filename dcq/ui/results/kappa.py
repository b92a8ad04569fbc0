"""κ of many runs: the forest chart and the table, both of which open a run when clicked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dcq import charts
from dcq.judging.study import QuizFinding
from dcq.records import PartitionRole
from dcq.ui import judged_table
from dcq.ui.results.option_bars import clicked

# What the page shows, in its order: the table, comparisons, and what is said of one run.
TERMS = (
    *("κ", "95 % interval", "κ above controls", "On unseen text", "q", "Verdict", "Score", "n"),
    *("Right", "Unusable", "Unfinished", "Role"),
    *("Outcomes", "Range", "Difference", "p", "Test of a comparison", "Test", "Power", "People"),
    *("Strategies without memory", "Soft score"),
)


def show_forest(figure: go.Figure, rows: pd.DataFrame, *, run_key: str) -> None:
    """Show the chart of ``rows`` (``dcq.documents.chart_rows.forest_rows``, ``published_rows``). A
    click on a mark that is not published selects its run in the widget ``run_key``."""
    # A chart highlights its clicked mark and dims the rest; a new key after each choice resets it.
    key = f"{run_key}_forest_{st.session_state.get(run_key)}"
    st.plotly_chart(
        figure,
        key=key,
        on_select=partial(_choose_mark, key, rows, run_key),
        selection_mode="points",
        config={"displayModeBar": False},
        alt=charts.describe_kappa_forest(rows),
    )


def _choose_mark(key: str, rows: pd.DataFrame, run_key: str) -> None:
    mark = clicked(key)
    if mark is None or mark[2]:
        return
    ours = rows[~rows["published"]]
    run = ours.loc[(ours["model"] == mark[0]) & (ours["partition"] == mark[1]), "run"]
    if len(run):
        st.session_state[run_key] = run.iloc[0]


def show_table(found: Sequence[QuizFinding], *, run_key: str) -> None:
    """The κ table; a click on a row selects its run in the widget ``run_key``."""
    key = f"{run_key}_table_{st.session_state.get(run_key)}"
    judged_table.show(
        [finding.judged for finding in found],
        key=key,
        on_select=partial(_choose_row, key, [finding.result.run for finding in found], run_key),
        selection_mode="single-row",
    )


def _choose_row(key: str, runs: Sequence[str], run_key: str) -> None:
    rows = st.session_state[key].selection.rows
    if rows:
        st.session_state[run_key] = runs[rows[0]]


def published_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The paper's Table 1 as rows of the same chart."""
    return table.assign(
        run=None,
        partition=table["dataset"] + " " + table["split"],
        role=str(PartitionRole.TARGET),
        published=True,
    )[["run", "model", "partition", "role", "n", "kappa", "low", "high", "published"]]
