"""The list of runs, and their live progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.asking import launch
from dcq.investigation import walk
from dcq.jobs.state import State
from dcq.quiz import v2
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.method import QUIZ
from dcq.quiz.results import table
from dcq.store import Store
from dcq.store.run_progress import Progress
from dcq.ui import roles, run_card, run_panel
from dcq.ui.run_card import MethodCard
from dcq.ui.run_panel import Listed, Panel


def panel() -> Panel[Listed]:
    """Quizzes, those of protocol v2 and of an investigation among them."""
    return Panel(
        page="quiz",
        what="questions asked",
        again=("quiz_another", "Ask another quiz"),
        listing=_list,
        card=lambda store, one, is_new: _card(store, is_new=is_new),
        turns=(v2.EXCLUSIVE, walk.EXCLUSIVE),
        picture=_draw_bars,
    )


def any_live(store: Store) -> bool:
    """Whether a quiz may still change by itself, or another will follow it."""
    return run_panel.any_live(store, panel())


def _list(store: Store, only: Sequence[str]) -> list[Listed]:
    return [Listed(*found) for found in run_panel.states(store, [QUIZ.name], only)]


def _card(store: Store, *, is_new: bool) -> MethodCard:
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
    if run_card.offer_result(run, key="runs_result", is_next=is_new):
        choices = {"results_run": run.run}
        if run.run not in {result.run for result in table(store)}:
            choices["results_every"] = "true"  # a newer run stands for it otherwise
        st.switch_page("pages/results.py", query_params=choices)


def _draw_bars(live: Sequence[Progress], places: Mapping[str, str]) -> None:
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
