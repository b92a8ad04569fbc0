"""Filters for results by model, partition, quiz and role, without hidden ones; and the pages of a
list, which starts on the page of the open line."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.documents.names import partition_names
from dcq.quiz.results import Result
from dcq.ui import links
from dcq.ui.result_names import full_name
from dcq.words import model_titles


def choose(results: Sequence[Result], *, prefix: str) -> list[Result]:
    """Draw the filters and return the results that match; a filter with nothing chosen matches
    all. The address keeps the choices under ``prefix``."""
    partitions = partition_names(results)
    by_run = {result.run: result for result in results}
    titles = model_titles(r.model for r in results)
    links.rename(f"{prefix}_model", titles)
    aspects = (
        ("Model", "model", {r.run: titles[r.model] for r in results}),
        ("Partition", "partition", {r.run: partitions[r.partition] for r in results}),
        ("Quiz", "quiz", {r.run: str(r.kind) for r in results}),
        ("Role", "role", {r.run: r.role for r in results}),
    )
    matching_runs = list(by_run)
    for column, (label, name, values) in zip(st.columns(4), aspects, strict=True):
        picked = column.multiselect(
            label,
            list(dict.fromkeys(values.values())),
            key=f"{prefix}_{name}",
            bind="query-params",
            placeholder="All",
        )
        if picked:
            matching_runs = [run for run in matching_runs if values[run] in picked]
    hidden = _hide(by_run, prefix)
    return [by_run[run] for run in matching_runs if run not in hidden]


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
        choices = st.session_state.get(f"{prefix}_hide") or st.query_params.get_all(
            f"{prefix}_hide"
        )
        hidden = {*names, *names.values()} & {*choices}  # the address holds the words shown
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


PAGE = 15
LINE = 35  # pixels of a row and of the head


def choose_page(count: int, place: int | None, *, key: str) -> slice:
    """Draw the pages of a list of ``count`` lines and return the lines of the chosen page: at first
    the one with the open line at ``place``."""
    pages = -(-count // PAGE)
    # A new key makes the widget use its default again.
    page = home = 1 if place is None else place // PAGE + 1
    if pages > 1:
        page = st.pagination(pages, default=home, key=f"{key}_{home}")
    return slice((page - 1) * PAGE, page * PAGE)
