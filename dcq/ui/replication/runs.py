"""The runs of replications and of their judges, and their live progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from dcq.asking import launch
from dcq.asking.options import MOST_CALLS, Terms
from dcq.errors import DcqError
from dcq.jobs.state import State, state_of
from dcq.replication.method import CHEAT, EXCLUSIVE, JUDGE, METHODS, REPLICATION, unequal
from dcq.store import Store, replications, run_progress, runs
from dcq.store.run_progress import Progress
from dcq.ui import notice, roles, run_list
from dcq.ui.run_card import MethodCard
from dcq.words import usd_words

ALL = "replication_all_runs"

_WHAT = {REPLICATION.name: "completions", JUDGE.name: "judge", CHEAT.name: "first instances"}


@dataclass(frozen=True)
class _Listed:
    """A run with its state. ``busy`` says that a process still works on its completions or on
    their judgements, ``follows`` that the judge is still to come in it, ``unjudged`` that they were
    to be judged, and nobody is at it."""

    run: Progress
    state: State
    busy: bool = False
    follows: bool = False
    unjudged: bool = False

    @property
    def live(self) -> bool:
        return self.state.live or self.follows


def any_live(store: Store) -> bool:
    """True while a run may still change by itself, or a judge will follow it."""
    return any(one.live for one in _list(store))


def watch(store: Store, read: Callable[[str], None], only: Sequence[str] = ()) -> None:
    """The runs that are going on and the newest of the others, or all; refreshed every second for
    as long as one is live. ``only``: these runs with their judges. ``read`` opens the result of a
    run, in a callback."""
    run_list.watch(
        store,
        lambda store: _list(store, only),
        lambda store, one: _method_card(store, one, read, is_new=bool(only)),
        what="replies",
        key=ALL,
        least=len(only) * 2,
    )


def _list(store: Store, only: Sequence[str] = ()) -> list[_Listed]:
    """Live runs first, then the newest."""
    newest = {
        one.run: one for name in METHODS for one in run_progress.newest_events(store, method=name)
    }
    every = {run.run: run for run in run_progress.progress(store, list(newest))}
    judged = {run.subject for run in every.values() if run.method == JUDGE.name}
    frozen_by_id = replications.outlines(store, [run.subject for run in every.values()])
    listed = []
    for run in every.values():
        if only and run.run not in only and run.subject not in only:
            continue
        event = newest[run.run]
        state = state_of(store, run.run, event.event, event.at)
        if run.method != REPLICATION.name:
            listed.append(_Listed(run, state))
            continue
        frozen = frozen_by_id[run.subject]
        waits = state is State.FINISHED and bool(frozen.judge) and run.run not in judged
        busy = state.live or (bool(frozen.judge) and _held(store, run.run))
        unjudged = waits and not busy and bool(unequal(store, run.run))
        listed.append(
            _Listed(
                replace(run, whole=frozen.requests), state, busy, waits and busy, unjudged=unjudged
            )
        )
    return sorted(listed, key=lambda one: not one.live)


def _held(store: Store, run_id: str) -> bool:
    plan = runs.load(store, run_id).plan
    return EXCLUSIVE.held(store, plan.sample_id, plan.model)


def _method_card(
    store: Store, one: _Listed, read: Callable[[str], None], *, is_new: bool
) -> MethodCard:
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
    if st.button(
        "Read the result",
        type="primary" if is_new and not one.unjudged else "secondary",
        icon=":material/bar_chart:",
        key=f"replication_read_{run.run}",
        on_click=read,
        args=(run.run,),
    ):
        st.rerun()  # of the whole page: the button alone redraws only the runs


def _offer_judge(store: Store, run: Progress) -> None:
    """Have the completions judged that the budget or the calls did not reach."""
    lack = roles.lacks(roles.Role.RUNNER)
    with st.popover("Judge them", icon=":material/gavel:", key=f"replication_judge_{run.run}"):
        st.markdown("The completions are not judged yet. The limits are for both together.")
        budget, calls = run.budget_usd, run.max_calls
        if budget is not None:
            budget = st.number_input(
                f"Budget, USD (it was {usd_words(budget)})",
                min_value=min(0.01, budget),
                value=budget,
                key=f"replication_budget_{run.run}",
            )
        if calls is not None:
            calls = st.number_input(
                f"Calls at most ({run.calls:,} are made)",
                min_value=1,
                max_value=MOST_CALLS,
                value=max(calls, run.calls + run.items),
                key=f"replication_calls_{run.run}",
            )
        if not st.button(
            "Go on",
            icon=":material/resume:",
            key=f"replication_go_on_{run.run}",
            disabled=bool(lack),
            help=lack,
        ):
            return
        try:
            roles.require(roles.Role.RUNNER)
            allowed = Terms(budget_usd=budget, max_calls=calls)
            launch.resume(store, METHODS[run.method], run.run, allowed)
        except DcqError as error:
            notice.error(error)
        else:
            st.rerun()
