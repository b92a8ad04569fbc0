"""Verdicts and comparisons of the whole store, worked out once and not at every click."""

from __future__ import annotations

import streamlit as st

from dcq.report import comparisons, study
from dcq.report.comparisons import Compared
from dcq.report.study import Finding
from dcq.store import Store, results


def findings_of(store: Store, *, every_run: bool = False) -> tuple[Finding, ...]:
    """As ``dcq.report.study.findings``; again only when something was written that matters."""
    return _judge(str(store.path), results.state(store), every_run)


def comparisons_of(store: Store) -> tuple[Compared, ...]:
    """As ``dcq.report.comparisons.comparisons``; again only when something was written."""
    return _compare(str(store.path), results.state(store))


# Not copied for each session, as everything in them is frozen. ``state`` is read before the rest,
# so what is written meanwhile makes the next look work them out again.
@st.cache_resource(max_entries=8, show_spinner="Weighing the answers…")
def _judge(path: str, state: tuple[int, ...], every_run: bool) -> tuple[Finding, ...]:
    """``state`` takes part in the key alone."""
    return tuple(study.findings(Store(path), every_run=every_run))


@st.cache_resource(max_entries=4, show_spinner="Comparing the answers…")
def _compare(path: str, state: tuple[int, ...]) -> tuple[Compared, ...]:
    """``state`` takes part in the key alone."""
    return tuple(comparisons.comparisons(Store(path)))
