"""The runs of searches, archives and scans, and their live progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from dcq.asking import launch
from dcq.jobs.state import State, state_of
from dcq.overlap.evidence import OverlapSummary
from dcq.overlap.method import CRAWL, EXCLUSIVE, METHODS, SCAN, SEARCH
from dcq.store import Store, overlaps, run_progress
from dcq.store.run_progress import Progress
from dcq.ui import roles, run_list
from dcq.ui.run_card import MethodCard
from dcq.words import counted, usd_words

ALL = "overlap_all_runs"
_WHAT = {SEARCH.name: "web search", SCAN.name: "scan"}


@dataclass(frozen=True)
class _Listed:
    """A run with its state. ``follows``: an archive is to be asked next, by the same process."""

    run: Progress
    state: State
    price: float | None = None
    follows: bool = False

    @property
    def live(self) -> bool:
        return self.state.live or self.follows


def any_live(store: Store) -> bool:
    """True while a run may still change by itself."""
    return any(one.live for one in _list(store))


def watch(store: Store, read: Callable[[str], None], only: Sequence[str] = ()) -> None:
    """The runs that are going on and the newest of the others, or all; refreshed every second for
    as long as one is live. ``only``: these runs, with those of their archives. ``read`` opens the
    result of a run, in a callback."""
    run_list.watch(
        store,
        lambda store: _list(store, only),
        lambda store, one: _card(store, one, read, is_new=bool(only)),
        what="replies",
        key=ALL,
        least=len(only) * 2,
    )


def name(one: OverlapSummary) -> str:
    """``MMLU test · brave · 22 Nov 2026 · 261122-87e9d1fc``."""
    return f"{one.place} · {one.source} · {one.made_at:%d %b %Y} · {one.run}"


def _list(store: Store, only: Sequence[str] = ()) -> list[_Listed]:
    """Live runs first, then the newest."""
    newest = {
        one.run: one for name in METHODS for one in run_progress.newest_events(store, method=name)
    }
    every = run_progress.progress(store, list(newest))
    looked_up = {run.subject for run in every if run.method == CRAWL.name}
    listed = []
    for run in every:
        if only and run.run not in only and run.subject not in only:
            continue
        event = newest[run.run]
        state = state_of(store, run.run, event.event, event.at)
        if run.method == CRAWL.name:
            listed.append(_Listed(run, state))
            continue
        overlap = overlaps.load(store, run.subject)
        whole = len(overlap.requests) or len(overlap.parts)
        follows = (
            state is State.FINISHED
            and bool(overlap.asked.archive)
            and run.run not in looked_up
            and EXCLUSIVE.held(store, overlap.asked.sample_id, run.model)
        )
        price = overlap.asked.usd_per_call
        listed.append(_Listed(replace(run, whole=whole), state, price, follows))
    return sorted(listed, key=lambda one: not one.live)


def _card(store: Store, one: _Listed, read: Callable[[str], None], *, is_new: bool) -> MethodCard:
    return MethodCard(
        what=lambda run: _WHAT.get(run.method, f"pages of run {run.subject} looked up"),
        so_far=lambda run: _so_far(store, one),
        unusable="unreadable",
        reasons_title="Why some requests brought nothing",
        role=roles.Role.RUNNER,
        resume=lambda store, run, terms, all_of_it: launch.resume(
            store, METHODS[one.run.method], run, terms, all_of_it=all_of_it
        ),
        result_button=lambda run, state: _offer(run, state, read, is_new=is_new),
        cost=lambda run: _cost(run, one.price),
    )


def _so_far(store: Store, one: _Listed) -> str:
    if one.run.method == SCAN.name:
        done, whole = overlaps.bytes_scanned(store, one.run.run)
        return f"{_size(done)} of {_size(whole)}"
    return "an archive is asked next" if one.follows else ""


def _size(count: int) -> str:
    return f"{count / 1e6:,.0f} MB" if count >= 1e7 else f"{count / 1e3:,.0f} kB"


def _cost(run: Progress, price: float | None) -> str:
    """Of a search, whose price is that of a call; the others are free."""
    if run.method != SEARCH.name:
        return ""
    calls = counted(run.calls, "call")
    return calls if price is None else f"{calls}, {usd_words(run.calls * price)}"


def _offer(run: Progress, state: State, read: Callable[[str], None], *, is_new: bool) -> None:
    if run.method == CRAWL.name or state.live or run.done <= run.errors:
        return
    if st.button(
        "Read the result",
        type="primary" if is_new else "secondary",
        icon=":material/bar_chart:",
        key=f"overlap_read_{run.run}",
        on_click=read,
        args=(run.run,),
    ):
        st.rerun()  # of the whole page: the button alone redraws only the runs
