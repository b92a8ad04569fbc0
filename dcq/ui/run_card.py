"""One run: its state, its replies so far, what it is doing, and the actions on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pandas as pd
import streamlit as st

from dcq.asking import batch, launch
from dcq.asking.prepare import MOST_CALLS, NO_TERMS, Terms
from dcq.errors import DcqError
from dcq.jobs import journal, process
from dcq.jobs.state import State
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.results import table
from dcq.report import cost
from dcq.store import Store, results
from dcq.store.connect import utc_now
from dcq.ui import latency, notice, roles
from dcq.ui.text import plain
from dcq.words import usd_words

_TROUBLE = "runs_trouble"  # a run and the error message to show with it

_NO_LETTER = {
    "refused": "refused",
    "invalid": "without a single letter",
    "errors": "without a reply",
}
_LOOK: Mapping[State, tuple[str, str, Literal["gray", "blue", "orange"]]] = {
    State.PLANNED: ("starting", ":material/hourglass_empty:", "gray"),
    State.RUNNING: ("running", ":material/play_arrow:", "blue"),
    State.CANCELLING: ("stopping", ":material/hourglass_empty:", "gray"),
    State.CANCELLED: ("cancelled", ":material/stop_circle:", "gray"),
    State.INTERRUPTED: ("interrupted", ":material/power_off:", "orange"),
    State.STOPPED: ("stopped", ":material/error:", "orange"),
    State.FINISHED: ("finished", ":material/check:", "gray"),
}


def show(store: Store, row: Mapping[Any, Any], state: State, *, is_new: bool) -> None:
    """The card of a run. ``row`` is a row of ``run_progress.progress`` with its latency and
    ``place``, the name of its partition. If ``is_new``, the link to its result is highlighted."""
    words, icon, colour = _LOOK[state]
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.text(row["model"], width="content")
            st.badge(words, icon=icon, color=colour)
            st.space("stretch")
            _action(store, row, state)
            _offer_result(store, row, state, is_new=is_new)
        lines = [
            f"{plain(row['place'])} · {row['kind']} · {row['made_at']:%d %b, %H:%M} UTC"
            f" · run {row['run']}",
            _progress(store, row, state),
            plain(_activity(store, str(row["run"]))) if state is State.RUNNING else "",
        ]
        st.caption("  \n".join(line for line in lines if line))  # lines of one paragraph
        run, sentence = st.session_state.get(_TROUBLE, ("", ""))
        if run == row["run"]:
            notice.error(sentence)
        if row["detail"] and state is not State.CANCELLED:
            st.text(row["detail"])
        if state is State.INTERRUPTED:
            _log(store, row["run"])
        if int(row["errors"]) + int(row["invalid"]) + int(row["refused"]):
            with st.expander("Why some replies gave no letter"):
                st.dataframe(
                    results.reasons(store, row["run"]),
                    hide_index=True,
                    alt="Outcomes without a letter, with their reasons and counts.",
                )


def _progress(store: Store, row: Mapping[Any, Any], state: State) -> str:
    done, items = int(row["done"]), int(row["items"])
    parts = [f"{done:,} of {items:,}"]
    if state is State.RUNNING:
        parts.append(_time_left(store, row))
    if row["kind"] not in WITHOUT_ORIGINAL and done:
        times = int(row["correct"])
        parts.append(f"original chosen {'once' if times == 1 else f'{times:,} times'}")
    parts += [
        f"{int(row[column]):,} {words}" for column, words in _NO_LETTER.items() if int(row[column])
    ]
    tokens = int(row["tokens_in"]) + int(row["tokens_out"])
    parts.append(f"{cost.bound(row)}{tokens:,} tokens" if tokens else "")
    parts.append(_cost(row, items - done if state.live else 0) if done else "")
    parts.append(latency.words(row))
    return " · ".join(part for part in parts if part)


def _time_left(store: Store, row: Mapping[Any, Any]) -> str:
    if batch.is_batch(store, str(row["run"])):
        return "answers come within a day"
    # Answers from before it was resumed, or reused from other runs, took no time.
    since, left = int(row["done_since"]), int(row["items"]) - int(row["done"])
    if not since or not left:
        return ""
    elapsed = (utc_now() - row["started"]).total_seconds()
    return f"about {duration(elapsed / since * left)} left"


def duration(seconds: float) -> str:
    """``8 s``, ``3 min``, ``2 h 5 min``: as precise as an estimate is."""
    if seconds < 99.5:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def _cost(row: Mapping[Any, Any], left: int) -> str:
    """What a run has cost, and what its ``left`` questions will cost at the same price each."""
    spent, done = cost.Cost.of(row), int(row["done"])
    words = f"cost: {cost.words(spent)}"
    if spent and done and left and spent.most / done * left >= 0.01:
        about = "about" if spent.exact else "at most about"
        words += f", {about} {usd_words(spent.most / done * left)} to come"
    return words


def _activity(store: Store, run: str) -> str:
    now = journal.activity(store, run)
    parts = []
    if now.in_flight is not None:
        parts.append(f"{now.in_flight} of at most {now.slots} calls in flight.")
    if now.wait_seconds is not None:
        parts.append(f"Last retry: waits {duration(now.wait_seconds)}, because {now.cause}")
    return " ".join(parts)


def _action(store: Store, row: Mapping[Any, Any], state: State) -> None:
    run = str(row["run"])
    lack = roles.lacks(roles.Role.RUNNER)
    if state is State.RUNNING:
        if st.button(
            "Cancel",
            icon=":material/stop:",
            key=f"runs_cancel_{run}",
            disabled=bool(lack),
            help=lack,
        ):
            try:
                roles.require(roles.Role.RUNNER)
                process.cancel(store, run)
            except DcqError as error:
                st.session_state[_TROUBLE] = (run, str(error))
            st.rerun()
        return
    if row["stopped_at_look"]:  # as planned: the rest need not be asked
        return
    pilot = state is State.FINISHED and int(row["items"]) < int(row["quiz_items"])
    if state is State.FINISHED and int(row["errors"]):
        label, pilot = "Retry the failed", False
    elif int(row["done"]) < int(row["items"]) or state in {State.STOPPED, State.INTERRUPTED}:
        label = "Resume"
    else:
        label = f"Ask all {int(row['quiz_items']):,}" if pilot else ""
    if not label or state.live:
        return
    if state is State.STOPPED and _used_up(row):
        with st.popover(label, icon=":material/resume:", key=f"runs_more_{run}"):
            terms = _more(row)
            _resume(store, run, "Continue", terms, lack, all_of_it=False)
    else:
        _resume(store, run, label, NO_TERMS, lack, all_of_it=pilot)


def _offer_result(store: Store, row: Mapping[Any, Any], state: State, *, is_new: bool) -> None:
    if state is not State.FINISHED or int(row["done"]) <= int(row["errors"]):
        return
    run = str(row["run"])
    if st.button(
        "Read the result",
        type="primary" if is_new else "secondary",
        icon=":material/bar_chart:",
        key=f"runs_result_{run}",
    ):
        choices = {"results_run": run}
        if run not in {result.run for result in table(store)}:
            choices["results_every"] = "true"  # otherwise a newer run is shown instead
        st.switch_page("pages/results.py", query_params=choices)


def _used_up(row: Mapping[Any, Any]) -> bool:
    """Whether a run stopped because it used up its budget or its calls."""
    calls = pd.notna(row["max_calls"]) and int(row["calls"]) >= int(row["max_calls"])
    return calls or (pd.notna(row["budget_usd"]) and "budget" in row["detail"])


def _more(row: Mapping[Any, Any]) -> Terms:
    """Inputs for the new limits of a run that used up its budget or its calls."""
    run, budget, calls = row["run"], row["budget_usd"], row["max_calls"]
    if pd.notna(budget):
        budget = st.number_input(
            f"Budget, USD ({cost.words(cost.Cost.of(row))} spent so far)",
            min_value=min(0.01, float(budget)),
            value=float(budget),
            format="%.2f" if budget >= 0.01 else "%g",
            key=f"runs_budget_{run}",
        )
    if pd.notna(calls):
        made, left = int(row["calls"]), int(row["items"]) - int(row["done"]) + int(row["errors"])
        calls = st.number_input(
            f"Calls at most ({made:,} made so far)",
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
        disabled=bool(lack),
        help=lack,
    ):
        return
    try:
        roles.require(roles.Role.RUNNER)
        launch.resume(store, run, terms, all_of_it=all_of_it)
    except DcqError as error:
        # Remembered, because the next redraw of the runs would erase it.
        st.session_state[_TROUBLE] = (run, str(error))
    else:
        st.session_state.pop(_TROUBLE, None)
    st.rerun()


def _log(store: Store, run: str) -> None:
    tail = process.log_tail(store, run)
    st.caption("Its process ended before all questions were asked; the answers so far are saved.")
    if tail:
        st.code(tail, language=None)
