"""The list of runs, and their live progress."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.errors import DcqError
from dcq.jobs.state import State, state_of
from dcq.quiz import v2
from dcq.store import Store, results, run_progress
from dcq.store.runs import Event
from dcq.ui import notice, run_card
from dcq.ui.names import listed_partitions

SHOWN = 6
ALL = "quiz_all_runs"
# A page that is redrawn every second cannot wait for the store as long as one being opened.
TIMEOUT = 2.0  # seconds


def any_live(store: Store) -> bool:
    """True while a run is live, or another will follow it."""
    return bool(_states(store)["live"].any()) or v2.any_under_way(store)


def watch(store: Store, only: Sequence[str] = ()) -> None:
    """The live runs and the newest of the others, or all; refreshed every second while one is
    live. ``only``: these runs and no others."""
    listed = _states(store, only)
    if listed.empty:
        return
    live = any_live(store)
    st.fragment(_panel, run_every="1s" if live else None)(
        Store(store.path, timeout=TIMEOUT), live, tuple(only)
    )


def _states(store: Store, only: Sequence[str] = ()) -> pd.DataFrame:
    """Every run (or ``only`` some) with its state, live ones first, then the newest: run, state,
    live."""
    listed = run_progress.newest_events(store)
    if only:
        listed = listed[listed["run"].isin(only)].reset_index(drop=True)
    states = [
        state_of(store, run, Event(event), at)
        for run, event, at in zip(listed["run"], listed["event"], listed["at"], strict=True)
    ]
    listed["state"] = [state.value for state in states]
    listed["live"] = pd.Series([state.live for state in states], dtype=bool)
    return listed.sort_values("live", ascending=False, kind="stable", ignore_index=True)


def _panel(store: Store, was_live: bool, only: Sequence[str]) -> None:
    try:
        _draw(store, was_live, only)
    except DcqError as error:
        notice.warning(f"{error} This page retries by itself.", icon=":material/hourglass_empty:")


def _draw(store: Store, was_live: bool, only: Sequence[str]) -> None:
    listed = _states(store, only)
    count = int(listed["live"].sum())
    if was_live and not count and not v2.any_under_way(store):
        st.rerun()  # the last one has ended: other parts of the page may change too
    some = max(SHOWN, count, len(only))
    title, more = st.container(), st.container()
    every = len(listed) > some and more.toggle(
        f"All {len(listed)} runs", key=ALL, bind="query-params"
    )
    shown = listed if every else listed.head(some)
    rows = shown.merge(run_progress.progress(store, list(shown["run"])), on="run")
    rows = rows.join(results.latency(store, list(shown["run"])), on="run")
    rows["place"] = rows["partition"].map(listed_partitions(rows))
    with title:
        _headline(rows[rows["live"]])
    for row in rows.to_dict("records"):
        run_card.show(store, row, State(row["state"]), is_new=row["run"] in only)


def _headline(live: pd.DataFrame) -> None:
    if live.empty:
        st.subheader("Latest runs", anchor=False)
        return
    done, items = int(live["done"].sum()), int(live["items"].sum())
    noun = "run" if len(live) == 1 else "runs"
    st.subheader(f"{len(live)} {noun}: {done:,} of {items:,} questions asked", anchor=False)
    bars = _parts(live)
    st.plotly_chart(
        charts.progress_bars(bars),
        key="runs_progress",
        alt=charts.describe_progress_bars(bars),
    )


def _parts(live: pd.DataFrame) -> pd.DataFrame:
    other = live["done"] - live["correct"] - live["refused"] - live["invalid"] - live["errors"]
    return pd.DataFrame(
        {
            "label": live["model"] + " · " + live["place"] + " · " + live["kind"],
            "correct": live["correct"],
            "other": other,
            "refused": live["refused"],
            "invalid": live["invalid"],
            "error": live["errors"],
            "waiting": (live["items"] - live["done"]).clip(lower=0),
        }
    )
