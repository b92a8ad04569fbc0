"""One run by label and by length, and refusals by provider."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.evidence.groups import FEWEST, Group
from dcq.quiz import breakdown
from dcq.quiz.breakdown import Grouping
from dcq.quiz.results import Result
from dcq.store import Store, results
from dcq.ui import downloads

WIDTH = 720  # pixels


def show(store: Store, result: Result, every: Sequence[Result]) -> None:
    """κ of a run by label or length, and how often providers refuse. Nothing is computed until the
    box is opened."""
    box = st.expander(
        "By label, length and provider",
        icon=":material/segment:",
        key="results_breakdown",
        on_change="rerun",
    )
    if not box.open:
        return
    with box:
        by = st.segmented_control(
            "By",
            list(Grouping),
            default=Grouping.LABEL,
            format_func=lambda one: str(one).capitalize(),
            required=True,
            key="results_by",
            bind="query-params",
        )
        if by is Grouping.PROVIDER:
            _show_refusals(store, every)
        else:
            _show_groups(store, result, Grouping(by))


def _show_groups(store: Store, result: Result, by: Grouping) -> None:
    groups = _groups(str(store.path), results.state(store), result.run, by, result)
    if not groups:
        st.caption(f"There is nothing to break down by {by}: the run has one group, or no κ.")
        return
    rows = breakdown.tabulate(groups)
    with st.container(width=WIDTH):
        figure = charts.kappa_intervals(rows)
        st.plotly_chart(
            figure,
            key="results_groups",
            config={"displayModeBar": False},
            alt=charts.describe_kappa_intervals(rows),
        )
    st.dataframe(
        rows.drop(columns="whole"),
        hide_index=True,
        placeholder="–",
        column_config={
            "difference": st.column_config.NumberColumn(
                help="The group's score minus that of all other groups together.",
                format="%+.2f",
            ),
            "p_holm": st.column_config.NumberColumn(
                "p (Holm)",
                help="Two-sided, of that difference, corrected over the groups. A group or a rest "
                f"of fewer than {FEWEST} is not tested.",
                format="%.3f",
            ),
        },
        alt=f"Kappa by {by} with interval, n, the difference from the rest and its p.",
    )
    with st.popover("Download", icon=":material/download:", type="tertiary"):
        downloads.offer_table(
            f"By {by}", f"dcq-{by}-{result.run}", lambda: rows, key="results_groups_table"
        )
        downloads.offer_chart(
            f"dcq-{by}-{result.run}", figure, key="results_groups_chart", about=[result]
        )


def _show_refusals(store: Store, every: Sequence[Result]) -> None:
    st.caption("All results in the store, by who served the model and how it was asked.")
    st.dataframe(
        pd.DataFrame(breakdown.refusals(store, every)),
        hide_index=True,
        placeholder="–",
        column_config={
            name: st.column_config.NumberColumn(format="percent")
            for name in ("refused_share", "refused_low", "refused_high")
        },
        alt="Refused, invalid and failed replies by provider, kind, mode and prompt.",
    )


@st.cache_resource(max_entries=16, show_spinner="Breaking the run down…")
def _groups(
    path: str, state: tuple[int, ...], run: str, by: Grouping, _result: Result
) -> list[Group]:
    """``state`` and ``run`` are only part of the cache key."""
    return breakdown.groups_of(Store(path), _result, by)
