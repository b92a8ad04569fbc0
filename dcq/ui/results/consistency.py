"""The sets of variants of a run's sample, compared."""

from __future__ import annotations

import streamlit as st

from dcq import charts
from dcq.quiz import consistency
from dcq.quiz.consistency import SetStudy
from dcq.quiz.results import Result
from dcq.store import Store, results, sets
from dcq.ui import downloads
from dcq.ui.text import plain

WIDTH = 720  # pixels


def show(store: Store, result: Result) -> None:
    """How far the model's κ depends on the set of variants; nothing where there is one set."""
    if result.sample not in sets.members(store):
        return
    st.markdown("##### The same instances with other variants")
    found = [
        study
        for study in _studies(str(store.path), results.state(store), result.sample, result.model)
        if result.run in {one.result.run for one in study.of_sets}
    ]
    if not found:
        st.caption(
            "There are several sets of variants of these instances, but this model has finished "
            "this quiz, at this slot, on fewer than two of them."
        )
        return
    [study] = found
    st.markdown(plain(study.sentence()))
    rows = consistency.tabulate(study)
    figure = charts.kappa_intervals(rows)
    with st.container(width=WIDTH):
        st.plotly_chart(
            figure,
            key="results_consistency",
            config={"displayModeBar": False},
            alt=charts.describe_kappa_intervals(rows),
        )
    with st.container(horizontal=True):
        with st.popover("Who wrote them", icon=":material/table:", type="tertiary"):
            st.dataframe(
                rows.drop(columns="whole"),
                hide_index=True,
                alt="Sets of variants with kappa, its interval, n, writer and run.",
            )
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            downloads.offer_table(
                "Sets",
                f"dcq-sets-{result.sample}",
                lambda: rows.drop(columns="whole"),
                key="results_consistency_table",
            )
            downloads.offer_chart(
                f"dcq-sets-{result.sample}",
                figure,
                key="results_consistency_chart",
                about=[one.result for one in study.of_sets],
            )


@st.cache_resource(max_entries=8, show_spinner="Comparing the sets…")
def _studies(path: str, state: tuple[int, ...], sample: str, model: str) -> tuple[SetStudy, ...]:
    """``state`` is only part of the cache key."""
    return tuple(consistency.studies(Store(path), sample, model=model))
