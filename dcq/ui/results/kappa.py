"""Many runs as rulers and as a table, both of which open a run when clicked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from dcq.documents.chart_rows import ruler_rows
from dcq.evidence.kappa import unscale
from dcq.judging.answer import Concluded
from dcq.judging.judged import JudgedResult
from dcq.quiz.results import OPTIONS
from dcq.records import PartitionRole
from dcq.ui import judged_table, rulers

# What the page shows, in its order: the table, comparisons, and what is said of one run.
TERMS = (
    *("κ", "95 % interval", "κ above controls", "On unseen text", "q", "Verdict", "Score", "n"),
    *("Right", "Unusable", "Unfinished", "Role", "Kind of quiz"),
    *("Outcomes", "Range", "Difference", "p", "Test of a comparison", "Test", "Power", "People"),
    *("Strategies without memory", "Soft score"),
)


def show_rulers(
    findings: Sequence[JudgedResult],
    concluded: Concluded,
    published: pd.DataFrame | None,
    *,
    run_key: str,
) -> None:
    """A ruler for each finding on tested text, with what is expected on unseen text; a click
    selects its run in the widget ``run_key``. ``published`` are figures of the paper
    (``published_rows``) on partitions that are shown."""
    tested_findings = [
        finding for finding in findings if finding.evidence.role != PartitionRole.CONTROL
    ] or list(findings)
    rows = ruler_rows(tested_findings, concluded)
    if published is not None:
        paper_rows = published[published["partition"].isin(rows["group"])]
        rows = pd.concat([rows, _as_rulers(paper_rows)]).sort_values("group", kind="stable")
    rulers.show(
        rows,
        key=f"{run_key}_rulers",
        on_choose=lambda run: st.session_state.__setitem__(run_key, run),
    )


def _as_rulers(published: pd.DataFrame) -> pd.DataFrame:
    """Figures that are given as κ above guessing, as shares of originals found."""
    shares = {
        share: [unscale(value, 1 / OPTIONS) for value in published[kappa]]
        for share, kappa in (("found", "kappa"), ("low", "low"), ("high", "high"))
    }
    return pd.DataFrame(
        {
            "run": "",
            "name": published["model"],
            "group": published["partition"],
            "n": published["n"],
            "progress": "",
            **shares,
            "expected_low": None,
            "expected_high": None,
            "dots": [[] for _ in range(len(published))],
            "ruling": "published",
        }
    )


def show_table(findings: Sequence[JudgedResult], concluded: Concluded, *, run_key: str) -> None:
    """The κ table; a click on a row selects its run in the widget ``run_key``."""
    key = f"{run_key}_table_{st.session_state.get(run_key)}"
    judged_table.show(
        findings,
        concluded,
        key=key,
        on_select=partial(
            _choose_row, key, [finding.evidence.run for finding in findings], run_key
        ),
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
