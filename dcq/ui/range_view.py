"""The result of protocol v2: its range, its slots, and downloads in the authors' file formats."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq import charts
from dcq.files import export, release_export
from dcq.quiz import protocol2, results
from dcq.quiz.protocol2 import ContaminationRange
from dcq.store import Store
from dcq.ui import downloads
from dcq.ui.text import plain


def show(store: Store, estimates: Sequence[ContaminationRange], *, prefix: str) -> None:
    """A sentence for each estimate, and the chart and downloads of each complete one."""
    stored_results = results.table(store, every_run=True) if estimates else []
    for estimate in estimates:
        st.caption(plain(protocol2.describe(estimate)))
        if estimate.low is None or estimate.high is None:
            continue
        slots = protocol2.by_slot(estimate)
        figure = charts.contamination_range(slots, estimate.low, estimate.high)
        key = f"{prefix}_{estimate.bdq}"
        with st.expander("Each slot without and with the original"):
            st.plotly_chart(
                figure,
                key=f"{key}_chart",
                config={"displayModeBar": False},
                alt=charts.describe_contamination_range(slots, estimate.low, estimate.high),
            )
            with st.popover("Download", icon=":material/download:", type="tertiary"):
                offer_release(store, estimate, key=key)
                about = [result for result in stored_results if result.run in _runs(estimate)]
                downloads.offer_chart(f"dcq-v2-{estimate.sample}", figure, key=key, about=about)


def _runs(bounds: ContaminationRange) -> set[str]:
    return {bounds.bdq, *bounds.bcqs.values()}


def offer_release(store: Store, estimate: ContaminationRange, *, key: str) -> None:
    """Buttons for a complete estimate in the authors' formats: their csv and their report."""

    def answers() -> bytes:
        return export.to_bytes(release_export.tabulate(store, estimate), ".csv")

    def report() -> bytes:
        return release_export.report(store, estimate).encode()

    stem = f"dcq-v2-{estimate.sample}"
    for label, make, suffix, mime in (
        ("Answers, as published · csv", answers, ".csv", "text/csv"),
        ("Report, as published · txt", report, ".txt", "text/plain"),
    ):
        downloads.offer_file(
            label,
            make,
            f"{stem}{suffix}",
            mime,
            key=f"{key}{suffix}",
            icon=":material/table:",
            width="stretch",
        )
