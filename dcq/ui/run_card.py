"""A run as a card: its state, its replies so far, its present activity, and its buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from dcq.asking import cost
from dcq.asking.options import MOST_CALLS, NO_TERMS, Terms
from dcq.jobs import journal, process
from dcq.jobs.state import RunState
from dcq.store import Store, results, sources
from dcq.store.connect import utc_now
from dcq.store.results import Latency
from dcq.store.run_progress import RunProgress
from dcq.ui import action, notice, others, roles
from dcq.ui.text import plain
from dcq.words import counted, model_title, usd_words

_TROUBLE = "runs_trouble"  # a run and the error message to show with it

_LOOK: Mapping[RunState, tuple[str, str, Literal["gray", "blue", "orange"]]] = {
    RunState.PLANNED: ("starting", ":material/hourglass_empty:", "gray"),
    RunState.RUNNING: ("running", ":material/play_arrow:", "blue"),
    RunState.CANCELLING: ("stopping", ":material/hourglass_empty:", "gray"),
    RunState.CANCELLED: ("cancelled", ":material/stop_circle:", "gray"),
    RunState.INTERRUPTED: ("interrupted", ":material/power_off:", "orange"),
    RunState.STOPPED: ("stopped", ":material/error:", "orange"),
    RunState.FINISHED: ("finished", ":material/check:", "gray"),
}


@dataclass(frozen=True)
class MethodCard:
    """The parts of a card that depend on the method. ``what``: the kind of run; ``so_far``: its
    result so far; ``unusable``: the word for an unusable reply; ``reasons_title``: the title over
    the reasons for these; ``role``: who may act on it; ``resume``: how to resume it on new terms
    (if the last argument is true, to the end of its subject); ``result_button``: the button to its
    result; ``cost``: its cost, where that does not follow from tokens."""

    what: Callable[[RunProgress], str]
    so_far: Callable[[RunProgress], str]
    unusable: str
    reasons_title: str
    role: roles.UserRole
    resume: Callable[[Store, str, Terms, bool], None]
    result_button: Callable[[RunProgress, RunState], None]
    cost: Callable[[RunProgress], str] | None = None


def show(
    store: Store,
    run: RunProgress,
    state: RunState,
    card: MethodCard,
    *,
    place: str,
    timed: Latency | None,
) -> None:
    """The card of a run; ``place`` is the name of its partition."""
    words, icon, colour = _LOOK[state]
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.text(model_title(run.model), width="content")
            st.badge(words, icon=icon, color=colour)
            st.space("stretch")
            _action(store, run, state, card)
            card.result_button(run, state)
        lines = [
            f"{plain(place)} · {card.what(run)} · {run.made_at:%d %b, %H:%M} UTC · run {run.run}",
            _progress(run, state, card, timed),
            plain(_activity(store, run.run)) if state is RunState.RUNNING else "",
        ]
        st.caption("  \n".join(line for line in lines if line))  # lines of one paragraph
        troubled, sentence = st.session_state.get(_TROUBLE, ("", ""))
        if sentence and troubled == run.run:
            notice.error(sentence)
        if run.detail and state is not RunState.CANCELLED:
            st.text(run.detail)
        if state is RunState.INTERRUPTED:
            _log(store, run.run)
        if run.errors or run.invalid or run.refused:
            with st.expander(card.reasons_title):
                st.dataframe(
                    results.non_letter_reasons(store, run.run),
                    hide_index=True,
                    alt="Outcomes of unusable replies, with their reasons and counts.",
                )


def mark(state: RunState) -> str:
    """A state as a coloured icon, in Markdown."""
    _, icon, colour = _LOOK[state]
    return f":{colour}[{icon}]"


def offer_result(
    run: RunProgress, *, key: str, is_next: bool, act: Callable[[], None] | None = None
) -> bool:
    """The button to the result of a run, primary if that is the next thing to read; ``act`` is
    called in its callback. Returns whether it was pressed."""
    return st.button(
        "Read the result",
        type="primary" if is_next else "secondary",
        icon=":material/bar_chart:",
        key=f"{key}_{run.run}",
        on_click=notice.told(act) if act else None,
    )


def ask_more(run: RunProgress, *, key: str, spent: str, calls_needed: int) -> Terms:
    """Fields for how much money and how many calls a run may take from now on, where it had a
    limit: what was ``spent`` of its budget, in words, and the ``calls_needed`` still."""
    budget, calls = run.budget_usd, run.max_calls
    if budget is not None:
        budget = st.number_input(
            f"Budget, USD ({spent})",
            min_value=min(0.01, budget),
            value=budget,
            format="%.2f" if budget >= 0.01 else "%g",
            key=f"{key}_budget_{run.run}",
        )
    if calls is not None:
        calls = st.number_input(
            f"Calls at most ({run.calls:,} are made)",
            min_value=1,
            max_value=MOST_CALLS,
            value=max(calls, run.calls + calls_needed),
            key=f"{key}_calls_{run.run}",
        )
    return Terms(budget_usd=budget, max_calls=calls)


def _progress(run: RunProgress, state: RunState, card: MethodCard, timed: Latency | None) -> str:
    parts = [f"{run.done:,} of {run.items:,} answered"]
    if state is RunState.RUNNING:
        parts.append(time_left(run))
    parts.append(card.so_far(run))
    unusable = (
        (run.refused, "refused"),
        (run.invalid, card.unusable),
        (run.errors, "without a reply"),
    )
    parts += [f"{count:,} {words}" for count, words in unusable if count]
    tokens = run.tokens_in + run.tokens_out
    parts.append(f"{cost.bound(run)}{counted(tokens, 'token')}" if tokens else "")
    if card.cost is not None:
        parts.append(card.cost(run))
    elif run.done:
        parts.append(_cost(run, run.items - run.done if state.live else 0))
    parts.append(words(timed))
    return " · ".join(part for part in parts if part)


def time_left(run: RunProgress) -> str:
    """How long the rest of a run takes at its present pace; empty where that is unknown."""
    if run.by_batch:
        return "answers come within a day"
    # What was there before it was resumed, or was taken from other runs, took no time.
    left = run.items - run.done
    if not run.done_since or not left or run.started is None:
        return ""
    elapsed = (utc_now() - run.started).total_seconds()
    return f"about {duration(elapsed / run.done_since * left)} left"


def duration(seconds: float) -> str:
    """A duration in words, as precise as an estimate is: ``8 s``, ``3 min``, ``2 h 5 min``."""
    if seconds < 99.5:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def _cost(run: RunProgress, left: int) -> str:
    """What a run has cost, and, at the same price a question, what its ``left`` ones will."""
    spent, done = cost.Cost.of(run), run.done
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


def _action(store: Store, run: RunProgress, state: RunState, card: MethodCard) -> None:
    if state is RunState.RUNNING:
        if action.pressed(
            "Cancel", icon=":material/stop:", key=f"runs_cancel_{run.run}", role=card.role
        ):
            _act(run, card, lambda: process.cancel(store, run.run))
        return
    if run.stopped_at_look:  # as planned: what is left need not be asked
        return
    pilot = state is RunState.FINISHED and run.items < run.quiz_items
    if state is RunState.FINISHED and run.errors:
        label, pilot = "Ask the failed", False
    elif run.done < run.items or state in {RunState.STOPPED, RunState.INTERRUPTED}:
        label = "Resume"
    else:
        label = f"Ask all {run.quiz_items:,}" if pilot else ""
    if not label or state.live:
        return
    if state is RunState.STOPPED and _used_up(run):
        with st.popover(label, icon=":material/resume:", key=f"runs_more_{run.run}"):
            terms = ask_more(
                run,
                key="runs",
                spent=f"{cost.words(cost.Cost.of(run))} is spent",
                calls_needed=run.items - run.done + run.errors,
            )
            _resume(store, run, "Go on", terms, card, all_of_it=False)
    else:
        _resume(store, run, label, NO_TERMS, card, all_of_it=pilot)


def _used_up(run: RunProgress) -> bool:
    """Whether a run stopped for want of money or calls."""
    calls = run.max_calls is not None and run.calls >= run.max_calls
    return calls or (run.budget_usd is not None and "budget" in run.detail)


def _resume(
    store: Store,
    run: RunProgress,
    label: str,
    terms: Terms,
    card: MethodCard,
    *,
    all_of_it: bool,
) -> None:
    if sources.is_imported(store, run.run):  # nobody's key goes where others asked
        others.offer_again(store, run.run, key=f"runs_again_{run.run}")
        return

    def resume() -> None:
        card.resume(store, run.run, terms, all_of_it)

    if action.pressed(
        label, icon=":material/resume:", key=f"runs_resume_{run.run}", role=card.role
    ):
        _act(run, card, resume)


def _act(run: RunProgress, card: MethodCard, act: Callable[[], None]) -> None:
    """Run the action; an error message is kept in the session, because the next redraw of the runs
    would erase it."""
    st.session_state[_TROUBLE] = (run.run, action.trouble(act, card.role))
    st.rerun()


def _log(store: Store, run: str) -> None:
    tail = process.log_tail(store, run)
    st.caption("Its process ended early; the replies so far are saved.")
    if tail:
        st.code(tail, language=None)


def words(timed: Latency | None) -> str:
    """Times of replies in words: ``replies in 0.41 s, 95 % within 0.80 s, 99 % within 12 s``; empty
    where no reply was timed. A percentile is left out where there are too few replies for it."""
    if timed is None:
        return ""
    parts = [f"replies in {_seconds(timed.p50)}"]
    if timed.replies >= 20:
        parts.append(f"95 % within {_seconds(timed.p95)}")
    if timed.replies >= 100:
        parts.append(f"99 % within {_seconds(timed.p99)}")
    return ", ".join(parts)


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value < 10 else f"{value:,.0f} s"
