"""The runs of searches, archives and scans, and their live progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from dcq.asking import launch
from dcq.jobs.state import State
from dcq.overlap.evidence import OverlapSummary
from dcq.overlap.method import CRAWL, EXCLUSIVE, METHODS, SCAN, SEARCH
from dcq.store import Store, overlaps
from dcq.store.run_progress import Progress
from dcq.ui import roles, run_card, run_panel
from dcq.ui.run_card import MethodCard
from dcq.ui.run_panel import Listed, Panel
from dcq.words import counted, usd_words

_WHAT = {SEARCH.name: "web search", SCAN.name: "scan"}


@dataclass(frozen=True)
class _Listed(Listed):
    """A run with its state, and the price of a call where it is known, in USD."""

    price: float | None = None


def panel(read: Callable[[str], None]) -> Panel[_Listed]:
    """Searches, archives and scans; ``read`` opens the result of a run, in a callback."""
    return Panel(
        page="overlap",
        what="replies",
        again=("overlap_again", "Search again"),
        listing=_list,
        card=lambda store, one, is_new: _card(store, one, read, is_new=is_new),
    )


def name(one: OverlapSummary) -> str:
    """``MMLU test · brave · 22 Nov 2026 · 261122-87e9d1fc``."""
    return f"{one.place} · {one.source} · {one.made_at:%d %b %Y} · {one.run}"


def _list(store: Store, only: Sequence[str]) -> list[_Listed]:
    """An archive is to come where a search is done and a process is still at it."""
    every = run_panel.states(store, METHODS, only)
    looked_up = {run.subject for run, _ in every if run.method == CRAWL.name}
    listed = []
    for run, state in every:
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
        listed.append(_Listed(replace(run, whole=whole), state, follows, price))
    return listed


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
    if run_card.offer_result(run, key="overlap_read", is_next=is_new, act=lambda: read(run.run)):
        st.rerun()  # of the whole page: the button alone redraws only the runs
