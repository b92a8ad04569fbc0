"""κ of many runs: the forest chart and the table, both of which open a run when clicked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dcq import charts
from dcq.documents.names import partition_names, quiz_name
from dcq.judging.study import Finding
from dcq.records import Role
from dcq.ui import glossary
from dcq.ui.results.clicks import clicked
from dcq.words import interval_words, kappa_words, p_number

# What the page shows, in its order: the table, comparisons, and what is said of one run.
TERMS = (
    *("κ", "95 % interval", "κ above controls", "q", "Verdict", "Score", "n", "Unusable"),
    *("Outcomes", "Range", "Difference", "p", "Test of a comparison", "Test", "Power", "People"),
    *("Strategies without memory", "Soft score"),
)
_TERMS = {
    "verdict": "Verdict",
    "n": "n",
    "unusable": "Unusable",
    "kappa": "κ",
    "interval": "95 % interval",
    "above": "κ above controls",
    "q": "q",
    "score": "Score",
    "outcomes": "Outcomes",
}


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


def show_table(found: Sequence[Finding], *, run_key: str) -> None:
    """The κ table; a click on a row selects its run in the widget ``run_key``."""
    key = f"{run_key}_table_{st.session_state.get(run_key)}"
    st.dataframe(
        tabulate(found),
        hide_index=True,
        placeholder="no value",
        key=key,
        on_select=partial(_choose_row, key, [finding.result.run for finding in found], run_key),
        selection_mode="single-row",
        column_config=glossary.columns(_TERMS, _columns()),
        alt="Results: model, partition, role, quiz, verdict, n, unusable, kappa with its interval, "
        "kappa above controls, q, score, outcomes.",
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
        role=str(Role.TARGET),
        published=True,
    )[["run", "model", "partition", "role", "n", "kappa", "low", "high", "published"]]


def tabulate(found: Sequence[Finding]) -> pd.DataFrame:
    """The κ table for display; shares and κ stay numbers, so that columns can be sorted. A column
    ``unfinished`` says how far each run got, if there is one that did not finish."""
    partitions = partition_names([finding.result for finding in found])
    table = pd.DataFrame([_row(finding, partitions) for finding in found])
    return table if (table["unfinished"] != "").any() else table.drop(columns="unfinished")


def _row(finding: Finding, partitions: Mapping[str, str]) -> dict[str, object]:
    result, verdict, known = finding.result, finding.verdict, finding.calibration
    kappa = result.kappa
    q = verdict.q_value if verdict else None
    return {
        "model": result.model,
        "partition": partitions[result.partition],
        "quiz": quiz_name(result),
        "verdict": str(verdict.ruling) if verdict else None,
        "n": result.n,
        "unusable": 100 * result.unusable,
        "kappa": kappa.kappa_fixed,
        "interval": None
        if kappa.kappa_low is None or kappa.kappa_high is None
        else interval_words(kappa.kappa_low, kappa.kappa_high),
        "above": kappa_words(known.kappa_control, known.kappa_low, known.kappa_high)
        if known and verdict
        else None,
        "q": None if q is None else p_number(q),
        "role": result.role,
        "unfinished": result.progress,
        "score": None if result.score is None else 100 * result.score,
        "outcomes": outcome_words(result.outcomes),
        "run": result.run,
        "asked": result.at,
    }


def outcome_words(outcomes: Mapping[str, int]) -> str:
    """``98 answered, 2 invalid``."""
    return ", ".join(f"{count:,} {name}" for name, count in outcomes.items() if count)


def _columns() -> dict[str, Any]:
    return {
        "model": st.column_config.TextColumn("Model", width=125),
        "partition": st.column_config.TextColumn("Partition", width=112),
        "role": st.column_config.TextColumn(
            "Role", width=65, help="Target: may have been seen. Control: cannot. Positive: was."
        ),
        "quiz": st.column_config.TextColumn("Quiz", width=152),
        "verdict": st.column_config.TextColumn("Verdict", width=95),
        "n": st.column_config.NumberColumn("n", width=45, format="localized"),
        "unusable": st.column_config.NumberColumn("Unusable", width=70, format="%.0f %%"),
        "unfinished": st.column_config.TextColumn(
            "Unfinished",
            width=85,
            help="A pilot, or a run that was stopped or is still live: questions with a reply, of "
            "all in the quiz.",
        ),
        "kappa": st.column_config.NumberColumn("κ", width=50, format="%.2f"),
        "interval": st.column_config.TextColumn("95 % interval", width=105),
        "above": st.column_config.TextColumn("κ above controls", width=140),
        "q": st.column_config.TextColumn("q", width=70),
        "score": st.column_config.NumberColumn("Score", width=74, format="%.1f %%"),
        "outcomes": st.column_config.TextColumn("Outcomes", width=110),
        "run": st.column_config.TextColumn("Run", width=130),
        "asked": st.column_config.DatetimeColumn("Asked, UTC", format="D MMM YYYY, HH:mm"),
    }
