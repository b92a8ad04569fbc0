"""Runs as they go: live progress, what has come back, cancel and resume."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.errors import DcqError
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.runs import launch, preview
from dcq.runs.launch import State
from dcq.runs.prepare import MOST_CALLS, NO_TERMS, Terms
from dcq.runs.results import cost_usd
from dcq.store import Store, results, runs
from dcq.store.connect import utc_now
from dcq.store.runs import Event
from dcq.ui import latency, roles

SHOWN = 6

_LOOK: Mapping[State, tuple[str, str, Literal["gray", "blue", "orange"]]] = {
    State.PLANNED: ("starting", ":material/hourglass_empty:", "gray"),
    State.RUNNING: ("running", ":material/play_arrow:", "blue"),
    State.CANCELLING: ("stopping", ":material/hourglass_empty:", "gray"),
    State.CANCELLED: ("cancelled", ":material/stop_circle:", "gray"),
    State.INTERRUPTED: ("interrupted", ":material/power_off:", "orange"),
    State.STOPPED: ("stopped", ":material/error:", "orange"),
    State.FINISHED: ("finished", ":material/check:", "gray"),
}


def any_live(store: Store) -> bool:
    """True while a run may still change by itself."""
    return any(State(state).live for state in _newest(store)["state"])


def watch(store: Store) -> None:
    """The newest runs; refreshed every second for as long as one of them is live."""
    shown = _newest(store)
    if shown.empty:
        return
    live = any(State(state).live for state in shown["state"])
    st.fragment(_panel, run_every="1s" if live else None)(store, live)


def _newest(store: Store) -> pd.DataFrame:
    shown = runs.progress(store, runs.listing(store, limit=SHOWN))
    shown["state"] = [
        launch.state(store, run, Event(event), at).value
        for run, event, at in zip(shown["run"], shown["event"], shown["event_at"], strict=True)
    ]
    return shown


def _panel(store: Store, was_live: bool) -> None:
    shown = _newest(store)
    live = shown[[State(state).live for state in shown["state"]]]
    if was_live and live.empty:
        st.rerun()  # the last one has ended: the whole page may now say more
    if live.empty:
        st.subheader("Latest runs", anchor=False)
    else:
        done, items = int(live["done"].sum()), int(live["items"].sum())
        noun = "run" if len(live) == 1 else "runs"
        st.subheader(f"{len(live)} {noun}: {done:,} of {items:,} questions answered", anchor=False)
        bars = _parts(live)
        st.plotly_chart(
            charts.progress_bars(bars),
            key="runs_progress",
            alt=charts.describe_progress_bars(bars),
        )
    timed = shown.join(results.latency(store, list(shown["run"])), on="run")
    for row in timed.to_dict("records"):
        _one(store, row)


def _parts(live: pd.DataFrame) -> pd.DataFrame:
    other = live["done"] - live["correct"] - live["refused"] - live["invalid"] - live["errors"]
    return pd.DataFrame(
        {
            "label": live["model"] + " · " + live["partition"] + " · " + live["kind"],
            "correct": live["correct"],
            "other": other,
            "refused": live["refused"],
            "invalid": live["invalid"],
            "error": live["errors"],
            "waiting": (live["items"] - live["done"]).clip(lower=0),
        }
    )


def _one(store: Store, row: Mapping[Any, Any]) -> None:
    state = State(row["state"])
    words, icon, colour = _LOOK[state]
    with st.container(border=True):
        name, told, action = st.columns([3, 5, 2], vertical_alignment="center")
        with name:
            st.text(f"{row['model']}\n{row['partition']} · {row['kind']}")
        with told:
            st.badge(words, icon=icon, color=colour)
            st.caption(_told(row, state))
        with action:
            _action(store, row, state)
        if row["detail"] and state is not State.CANCELLED:
            st.text(row["detail"])
        if state is State.INTERRUPTED:
            _log(store, row["run"])
        if int(row["errors"]) + int(row["invalid"]) + int(row["refused"]):
            with st.expander("Replies that were no letter"):
                st.dataframe(
                    results.reasons(store, row["run"]),
                    hide_index=True,
                    alt="Outcomes that are no letter, with their reasons and counts.",
                )


def _told(row: Mapping[Any, Any], state: State) -> str:
    done, items = int(row["done"]), int(row["items"])
    parts = [f"{done:,} of {items:,}"]
    if state is State.RUNNING and done:
        elapsed = (utc_now() - row["started"]).total_seconds()
        left = timedelta(seconds=round(elapsed / done * (items - done)))
        parts.append(f"about {left} left")
    if row["kind"] not in WITHOUT_ORIGINAL and done:
        parts.append(f"original chosen {int(row['correct']):,} times")
    if int(row["errors"]):
        parts.append(f"{int(row['errors']):,} without a reply")
    parts.append(f"{int(row['tokens_in']) + int(row['tokens_out']):,} tokens")
    parts.append(_cost(row, items - done if state.live else 0))
    parts.append(latency.words(row))
    return " · ".join(part for part in parts if part)


def _cost(row: Mapping[Any, Any], left: int) -> str:
    """What a run has cost, and, at the same price a question, what its ``left`` ones will."""
    spent, done = cost_usd(row), int(row["done"])
    words = f"cost: {preview.cost_words(spent)}"
    if spent and done and left and spent / done * left >= 0.01:
        words += f", about {preview.cost_words(spent / done * left)} to come"
    return words


def _action(store: Store, row: Mapping[Any, Any], state: State) -> None:
    run = str(row["run"])
    lack = roles.lacks(roles.Role.RUNNER)
    if state is State.RUNNING:
        if st.button(
            "Cancel",
            icon=":material/stop:",
            key=f"runs_cancel_{run}",
            width="stretch",
            disabled=bool(lack),
            help=lack,
        ) and not roles.refuses(roles.Role.RUNNER):
            launch.cancel(store, run)
            st.rerun(scope="fragment")
        return
    pilot = state is State.FINISHED and int(row["items"]) < int(row["quiz_items"])
    if int(row["done"]) < int(row["items"]):
        label = "Resume"
    elif pilot:
        label = f"Ask all {int(row['quiz_items']):,}"
    else:
        label = "Ask the failed again" if int(row["errors"]) else ""
    if not label or state.live:
        return
    if state is State.STOPPED and (pd.notna(row["budget_usd"]) or pd.notna(row["max_calls"])):
        with st.popover(label, icon=":material/resume:", width="stretch", key=f"runs_more_{run}"):
            terms = _more(row)
            _resume(store, run, "Go on", terms, lack, all_of_it=False)
    else:
        _resume(store, run, label, NO_TERMS, lack, all_of_it=pilot)


def _more(row: Mapping[Any, Any]) -> Terms:
    """What a run that used up its budget or its calls may be allowed now."""
    run, budget, calls = row["run"], row["budget_usd"], row["max_calls"]
    if pd.notna(budget):
        budget = st.number_input(
            f"Budget, USD ({preview.cost_words(cost_usd(row))} is spent)",
            min_value=min(0.01, float(budget)),
            value=float(budget),
            format="%.2f" if budget >= 0.01 else "%g",
            key=f"runs_budget_{run}",
        )
    if pd.notna(calls):
        made, left = int(row["calls"]), int(row["items"]) - int(row["done"]) + int(row["errors"])
        calls = st.number_input(
            f"Calls at most ({made:,} are made)",
            min_value=1,
            max_value=MOST_CALLS,
            value=max(int(calls), made + left),
            key=f"runs_calls_{run}",
        )
    return Terms(
        budget_usd=None if pd.isna(budget) else budget,
        max_calls=None if pd.isna(calls) else int(calls),
    )


def _resume(
    store: Store, run: str, label: str, terms: Terms, lack: str | None, *, all_of_it: bool
) -> None:
    if not st.button(
        label,
        icon=":material/resume:",
        key=f"runs_resume_{run}",
        width="stretch",
        disabled=bool(lack),
        help=lack,
    ):
        return
    try:
        roles.require(roles.Role.RUNNER)
        launch.resume(store, run, terms, all_of_it=all_of_it)
    except DcqError as error:
        st.error(str(error))
    else:
        st.rerun()


def _log(store: Store, run: str) -> None:
    tail = launch.log_tail(store, run)
    st.caption("Its process ended before its questions did; what was answered is kept.")
    if tail:
        st.code(tail, language=None)
