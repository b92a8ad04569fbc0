"""The list of runs, and their live progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.asking import launch
from dcq.errors import DcqError
from dcq.investigation import walk
from dcq.jobs.state import State, state_of
from dcq.quiz import v2
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.method import QUIZ
from dcq.quiz.results import table
from dcq.store import Store, results, run_progress
from dcq.store.run_progress import Progress
from dcq.ui import notice, roles, run_card
from dcq.ui.names import listed_partitions
from dcq.ui.run_card import MethodCard

SHOWN = 6
ALL = "quiz_all_runs"
# A page that is redrawn every second cannot wait for the store as long as one being opened.
TIMEOUT = 2.0  # seconds


def any_live(store: Store) -> bool:
    """True while a run may still change by itself, or another will follow it."""
    turns = (v2.EXCLUSIVE, walk.EXCLUSIVE)
    return any(state.live for _, state in _states(store)) or any(
        turn.any_under_way(store) for turn in turns
    )


def watch(store: Store, only: Sequence[str] = ()) -> None:
    """The runs that are going on and the newest of the others, or all; refreshed every second for
    as long as one is live. ``only``: these runs and no others."""
    if not _states(store, only):
        return
    live = any_live(store)
    st.fragment(_panel, run_every="1s" if live else None)(
        Store(store.path, timeout=TIMEOUT), live, tuple(only)
    )


def _states(store: Store, only: Sequence[str] = ()) -> list[tuple[str, State]]:
    """Every run (or ``only`` some) with its state, those that are live first, then the newest."""
    states = [
        (newest.run, state_of(store, newest.run, newest.event, newest.at))
        for newest in run_progress.newest_events(store, method=QUIZ.name)
        if not only or newest.run in only
    ]
    return sorted(states, key=lambda pair: not pair[1].live)


def _panel(store: Store, was_live: bool, only: Sequence[str]) -> None:
    try:
        _draw(store, was_live, only)
    except DcqError as error:
        notice.warning(f"{error} This page retries by itself.", icon=":material/hourglass_empty:")


def _draw(store: Store, was_live: bool, only: Sequence[str]) -> None:
    listed = _states(store, only)
    count = sum(state.live for _, state in listed)
    if was_live and not count and not any_live(store):
        st.rerun()  # the last one has ended: the whole page may now say more
    some = max(SHOWN, count, len(only))
    title, more = st.container(), st.container()
    every = len(listed) > some and more.toggle(
        f"All {len(listed)} runs", key=ALL, bind="query-params"
    )
    shown = dict(listed if every else listed[:some])
    found = {run.run: run for run in run_progress.progress(store, list(shown))}
    progress = [found[run] for run in shown if run in found]
    timed = results.latency(store, list(shown))
    places = listed_partitions(progress)
    with title:
        _headline([run for run in progress if shown[run.run].live], places)
    for run in progress:
        run_card.show(
            store,
            run,
            shown[run.run],
            _method_card(store, is_new=run.run in only),
            place=places[run.partition],
            timed=timed.get(run.run),
        )


def _method_card(store: Store, *, is_new: bool) -> MethodCard:
    """How a card tells of a quiz; the result of a run that ``is_new`` is the next thing to read."""
    return MethodCard(
        what=lambda run: str(run.kind),
        so_far=_say_chosen,
        unusable="without a single letter",
        reasons_title="Why some replies gave no letter",
        role=roles.Role.RUNNER,
        resume=lambda store, run, terms, all_of_it: launch.resume(
            store, QUIZ, run, terms, all_of_it=all_of_it
        ),
        result_button=lambda run, state: _offer_result(store, run, state, is_new=is_new),
    )


def _say_chosen(run: Progress) -> str:
    if run.kind in WITHOUT_ORIGINAL or not run.done:
        return ""
    times = "once" if run.correct == 1 else f"{run.correct:,} times"
    return f"original chosen {times}"


def _offer_result(store: Store, run: Progress, state: State, *, is_new: bool) -> None:
    if state is not State.FINISHED or run.done <= run.errors:
        return
    if st.button(
        "Read the result",
        type="primary" if is_new else "secondary",
        icon=":material/bar_chart:",
        key=f"runs_result_{run.run}",
    ):
        choices = {"results_run": run.run}
        if run.run not in {result.run for result in table(store)}:
            choices["results_every"] = "true"  # a newer run stands for it otherwise
        st.switch_page("pages/results.py", query_params=choices)


def _headline(live: Sequence[Progress], places: Mapping[str, str]) -> None:
    if not live:
        st.subheader("Latest runs", anchor=False)
        return
    done, items = sum(run.done for run in live), sum(run.items for run in live)
    noun = "run" if len(live) == 1 else "runs"
    st.subheader(f"{len(live)} {noun}: {done:,} of {items:,} questions asked", anchor=False)
    bars = _parts(live, places)
    st.plotly_chart(
        charts.progress_bars(bars),
        key="runs_progress",
        alt=charts.describe_progress_bars(bars),
    )


def _parts(live: Sequence[Progress], places: Mapping[str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "label": f"{run.model} · {places[run.partition]} · {run.kind}",
                "correct": run.correct,
                "other": run.done - run.correct - run.refused - run.invalid - run.errors,
                "refused": run.refused,
                "invalid": run.invalid,
                "error": run.errors,
                "waiting": max(0, run.items - run.done),
            }
            for run in live
        ]
    )
