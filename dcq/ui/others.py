"""Replications and searches beside quizzes: how many there are, and links that open them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dcq.evidence.record import Evidence
from dcq.judging import every_method
from dcq.store import Store
from dcq.store.studies import Study
from dcq.ui import page
from dcq.words import listed

if TYPE_CHECKING:
    from dcq.judging.replication import ReplicationResult


@dataclass(frozen=True)
class Others:
    """The results of a study that are of no quiz: replications, the strongest first, and what was
    searched for, the newest first."""

    replications: tuple[ReplicationResult, ...]
    searches: tuple[Evidence, ...]

    def __bool__(self) -> bool:
        return bool(self.replications or self.searches)

    def __str__(self) -> str:
        """``2 replications and 1 search or scan``."""
        counts = (
            (len(self.replications), "replication", "replications"),
            (len(self.searches), "search or scan", "searches and scans"),
        )
        return listed([f"{n:,} {one if n == 1 else more}" for n, one, more in counts if n])


def others_of(store: Store, within: Study) -> Others:
    """The other results of a study; completions that are new to this server are scored first."""
    with st.spinner("Scoring the completions…"):
        found = every_method.by_strength(every_method.replicated(store, within))
    return Others(tuple(found), tuple(every_method.searched(store, within)))


def offer(others: Others) -> None:
    """A link to the strongest replication and one to the newest search, as far as there are any."""
    if others.replications:
        page.go(
            "replication",
            _label(len(others.replications), "replication", "replications"),
            icon=":material/content_copy:",
            **replication_choices(others.replications[0].run),
        )
    if others.searches:
        page.go(
            "overlap",
            _label(len(others.searches), "search or scan", "searches and scans"),
            icon=":material/travel_explore:",
            **overlap_choices(others.searches[0].run),
        )


def replication_choices(run: str) -> dict[str, str]:
    """What opens a run on the page Replication."""
    return {"replication_view": "Result", "replication_run": run}


def overlap_choices(run: str) -> dict[str, str]:
    """What opens a run on the page Overlap."""
    return {"overlap_view": "Result", "overlap_run": run}


def _label(count: int, one: str, more: str) -> str:
    return f"Read the {one}" if count == 1 else f"Read {count:,} {more}"
