"""The runs of replications and of their judges, and their live progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from dcq.asking import launch
from dcq.jobs.state import State
from dcq.replication.method import CHEAT, EXCLUSIVE, JUDGE, METHODS, REPLICATION, unequal
from dcq.store import Store, replications, runs
from dcq.store.run_progress import Progress
from dcq.ui import action, roles, run_card, run_panel
from dcq.ui.run_card import MethodCard
from dcq.ui.run_panel import Listed, Panel
from dcq.words import usd_words

_WHAT = {REPLICATION.name: "completions", JUDGE.name: "judge", CHEAT.name: "first instances"}


@dataclass(frozen=True)
class _Listed(Listed):
    """A run with its state. ``busy`` says that a process still works on its completions or on
    their judgements, ``unjudged`` that they were to be judged, and nobody is at it."""

    busy: bool = False
    unjudged: bool = False


def panel(read: Callable[[str], None]) -> Panel[_Listed]:
    """Completions, their judges, and requests for first instances; ``read`` opens the result of a
    run, in a callback."""
    return Panel(
        page="replication",
        what="replies",
        again=("replication_again", "Ask again"),
        listing=_list,
        card=lambda store, one, is_new: _card(store, one, read, is_new=is_new),
    )


def _list(store: Store, only: Sequence[str]) -> list[_Listed]:
    """A judge is to come where completions are done and a process is still at them."""
    every = run_panel.states(store, METHODS, only)
    judged = {run.subject for run, _ in every if run.method == JUDGE.name}
    frozen_by_id = replications.outlines(store, [run.subject for run, _ in every])
    listed = []
    for run, state in every:
        if run.method != REPLICATION.name:
            listed.append(_Listed(run, state))
            continue
        frozen = frozen_by_id[run.subject]
        waits = state is State.FINISHED and bool(frozen.judge) and run.run not in judged
        busy = state.live or (bool(frozen.judge) and _held(store, run.run))
        unjudged = waits and not busy and bool(unequal(store, run.run))
        whole = replace(run, whole=frozen.requests)
        listed.append(_Listed(whole, state, waits and busy, busy=busy, unjudged=unjudged))
    return listed


def _held(store: Store, run_id: str) -> bool:
    plan = runs.load(store, run_id).plan
    return EXCLUSIVE.held(store, plan.sample_id, plan.model)


def _card(store: Store, one: _Listed, read: Callable[[str], None], *, is_new: bool) -> MethodCard:
    """How a card tells of completions, of a judge, or of a request for the first instances."""
    method = METHODS[one.run.method]
    judges = method is JUDGE
    return MethodCard(
        what=lambda run: (
            f"{_WHAT[run.method]} of run {run.subject}" if judges else _WHAT[run.method]
        ),
        so_far=lambda run: "the judge comes next" if one.follows else "",
        unusable="without a judgement" if judges else "without a completion",
        reasons_title="Why some replies are not used",
        role=roles.Role.RUNNER,
        resume=lambda store, run, terms, all_of_it: launch.resume(
            store, METHODS[one.run.method], run, terms, all_of_it=all_of_it
        ),
        result_button=lambda run, state: _offer(store, one, read, is_new=is_new),
    )


def _offer(store: Store, one: _Listed, read: Callable[[str], None], *, is_new: bool) -> None:
    run = one.run
    if one.unjudged:
        _offer_judge(store, run)
    if run.method != REPLICATION.name or one.busy or run.done <= run.errors:
        return
    if run_card.offer_result(
        run,
        key="replication_read",
        is_next=is_new and not one.unjudged,
        act=lambda: read(run.run),
    ):
        st.rerun()  # of the whole page: the button alone redraws only the runs


def _offer_judge(store: Store, run: Progress) -> None:
    """Have the completions judged that the budget or the calls did not reach."""
    with st.popover("Judge them", icon=":material/gavel:", key=f"replication_judge_{run.run}"):
        st.markdown("The completions are not judged yet. The limits are for both together.")
        allowed = run_card.ask_more(
            run,
            key="replication",
            spent=f"it was {usd_words(run.budget_usd)}",
            calls_needed=run.items,
        )
        action.button(
            "Go on",
            lambda: launch.resume(store, METHODS[run.method], run.run, allowed),
            icon=":material/resume:",
            key=f"replication_go_on_{run.run}",
        )
