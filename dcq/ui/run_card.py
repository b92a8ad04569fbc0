"""One run: its state, what came back, what it is doing, and what can be done about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pandas as pd
import streamlit as st

from dcq.asking import launch
from dcq.asking.prepare import MOST_CALLS, NO_TERMS, Terms
from dcq.errors import DcqError
from dcq.jobs import journal, process
from dcq.jobs.state import State
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.method import QUIZ
from dcq.quiz.results import table
from dcq.report import cost
from dcq.store import Store, results
from dcq.store.connect import utc_now
from dcq.ui import latency, notice, roles
from dcq.ui.text import plain
from dcq.words import usd_words

_TROUBLE = "runs_trouble"  # what could not be done about which run

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
    """The card of a run; ``row`` is of ``run_progress.progress`` with its latency and ``place``,
    what its partition is called. The result of a run that ``is_new`` is the next thing to read."""
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
            _told(store, row, state),
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
            with st.expander("Why some replies are no letter"):
                st.dataframe(
                    results.reasons(store, row["run"]),
                    hide_index=True,
                    alt="Outcomes that are no letter, with their reasons and counts.",
                )


def _told(store: Store, row: Mapping[Any, Any], state: State) -> str:
    done, items = int(row["done"]), int(row["items"])
    parts = [f"{done:,} of {items:,}"]
    if state is State.RUNNING:
        parts.append(_time_left(row))
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


def _time_left(row: Mapping[Any, Any]) -> str:
    if row["by_batch"]:
        return "answers come within a day"
    # What was there before it was resumed, or was taken from other runs, took no time.
    since, left = int(row["done_since"]), int(row["items"]) - int(row["done"])
    if not since or not left:
        return ""
    elapsed = (utc_now() - row["started"]).total_seconds()
    return f"about {duration(elapsed / since * left)} left"


def duration(seconds: float) -> str:
    """``8 s``, ``3 min``, ``2 h 5 min``: as exact as an estimate is."""
    if seconds < 99.5:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def _cost(row: Mapping[Any, Any], left: int) -> str:
    """What a run has cost, and, at the same price a question, what its ``left`` ones will."""
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
    if row["stopped_at_look"]:  # as planned: what is left need not be asked
        return
    pilot = state is State.FINISHED and int(row["items"]) < int(row["quiz_items"])
    if state is State.FINISHED and int(row["errors"]):
        label, pilot = "Ask the failed", False
    elif int(row["done"]) < int(row["items"]) or state in {State.STOPPED, State.INTERRUPTED}:
        label = "Resume"
    else:
        label = f"Ask all {int(row['quiz_items']):,}" if pilot else ""
    if not label or state.live:
        return
    if state is State.STOPPED and _used_up(row):
        with st.popover(label, icon=":material/resume:", key=f"runs_more_{run}"):
            terms = _more(row)
            _resume(store, run, "Go on", terms, lack, all_of_it=False)
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
            choices["results_every"] = "true"  # a newer run stands for it otherwise
        st.switch_page("pages/results.py", query_params=choices)


def _used_up(row: Mapping[Any, Any]) -> bool:
    """Whether a run stopped for want of money or calls."""
    calls = pd.notna(row["max_calls"]) and int(row["calls"]) >= int(row["max_calls"])
    return calls or (pd.notna(row["budget_usd"]) and "budget" in row["detail"])


def _more(row: Mapping[Any, Any]) -> Terms:
    """What a run that used up its budget or its calls may be allowed now."""
    run, budget, calls = row["run"], row["budget_usd"], row["max_calls"]
    if pd.notna(budget):
        budget = st.number_input(
            f"Budget, USD ({cost.words(cost.Cost.of(row))} is spent)",
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
        disabled=bool(lack),
        help=lack,
    ):
        return
    try:
        roles.require(roles.Role.RUNNER)
        launch.resume(store, QUIZ, run, terms, all_of_it=all_of_it)
    except DcqError as error:
        # Kept, because the next look at the runs would wipe it away.
        st.session_state[_TROUBLE] = (run, str(error))
    else:
        st.session_state.pop(_TROUBLE, None)
    st.rerun()


def _log(store: Store, run: str) -> None:
    tail = process.log_tail(store, run)
    st.caption("Its process ended before its questions did; what was answered is kept.")
    if tail:
        st.code(tail, language=None)
