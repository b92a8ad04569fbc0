"""Which results are shown: by model, partition, quiz and role, and without the hidden ones."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.documents.names import partition_names
from dcq.quiz.results import Result
from dcq.ui.names import full_name


def choose(found: Sequence[Result], *, prefix: str) -> list[Result]:
    """Draw the filters and return the results that match; a filter with nothing chosen matches
    all. The address keeps the choices under ``prefix``."""
    partitions = partition_names(found)
    by_run = {result.run: result for result in found}
    aspects = (
        ("Model", "model", {r.run: r.model for r in found}),
        ("Partition", "partition", {r.run: partitions[r.partition] for r in found}),
        ("Quiz", "quiz", {r.run: str(r.kind) for r in found}),
        ("Role", "role", {r.run: r.role for r in found}),
    )
    shown = list(by_run)
    for column, (label, name, values) in zip(st.columns(4), aspects, strict=True):
        picked = column.multiselect(
            label,
            list(dict.fromkeys(values.values())),
            key=f"{prefix}_{name}",
            bind="query-params",
            placeholder="All",
        )
        if picked:
            shown = [run for run in shown if values[run] in picked]
    hidden = _hide(by_run, prefix)
    return [by_run[run] for run in shown if run not in hidden]


def _hide(by_run: dict[str, Result], prefix: str) -> Sequence[str]:
    names = {run: full_name(result) for run, result in by_run.items()}
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.toggle(
            "Older runs too",
            key=f"{prefix}_every",
            bind="query-params",
            help="Otherwise one run per model, partition and quiz is shown: the newest that "
            "finished, or the one with most replies if none did.",
        )
        given = st.session_state.get(f"{prefix}_hide") or st.query_params.get_all(f"{prefix}_hide")
        hidden = {*names, *names.values()} & {*given}  # the address holds the words shown
        label = f"Hide runs ({len(hidden)} hidden)" if hidden else "Hide runs"
        with st.popover(label, icon=":material/visibility_off:", type="tertiary"):
            return st.multiselect(
                "Runs that are not shown",
                list(names),
                format_func=names.__getitem__,
                key=f"{prefix}_hide",
                bind="query-params",
                placeholder="None is hidden",
                width=560,
            )
