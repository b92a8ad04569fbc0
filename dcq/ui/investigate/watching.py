"""Investigations under way: their steps with state and progress, for everyone who opens the
page."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.investigation.state import slot_of, steps
from dcq.investigation.walk import EXCLUSIVE
from dcq.jobs import process
from dcq.jobs.state import State, state_of
from dcq.quiz import build
from dcq.store import Store, investigations, run_progress, runs
from dcq.store.investigations import Investigation
from dcq.store.run_progress import Progress
from dcq.store.samples import ListedSample
from dcq.ui import action, live, notice, run_card
from dcq.ui.investigate.words import step_words
from dcq.ui.text import plain

_WAITING = ":gray[:material/schedule:]"
_TROUBLE = "investigate_trouble"


def first(targets: Sequence[ListedSample], store: Store) -> list[ListedSample]:
    """Those that are being investigated first, so that whoever opens the page finds them."""
    if not EXCLUSIVE.any_under_way(store):
        return list(targets)
    busy = {
        one.sample
        for one in investigations.listing(store)
        if EXCLUSIVE.under_way(store, one.sample, one.model)
    }
    return sorted(targets, key=lambda sample: sample.id not in busy)


def newest(store: Store, sample_id: str) -> list[Investigation]:
    """The newest investigation of the sample by each model, newest first."""
    return [one for one in investigations.listing(store) if one.sample == sample_id]


def under_way(store: Store, known: Sequence[Investigation]) -> bool:
    """Whether one of them is being asked."""
    return any(EXCLUSIVE.under_way(store, one.sample, one.model) for one in known)


def watch(store: Store, known: Sequence[Investigation]) -> None:
    """The steps of those under way, drawn again every second until the last has ended."""
    wanted = [one.id for one in known if EXCLUSIVE.under_way(store, one.sample, one.model)]

    def draw(store: Store) -> bool:
        records = [investigations.load(store, one) for one in wanted]
        draw_cards(store, records)
        return under_way(store, records)

    if sentence := st.session_state.pop(_TROUBLE, ""):
        notice.error(sentence)
    live.show(store, draw)
    live.promise()


def draw_cards(store: Store, records: Sequence[Investigation]) -> None:
    """A card for each, two in a row."""
    columns = min(2, len(records))
    for start in range(0, len(records), 2):
        for column, record in zip(st.columns(columns), records[start : start + 2], strict=False):
            with column.container(border=True, gap="xsmall"):
                with st.container(horizontal=True, vertical_alignment="center"):
                    st.markdown(f"**{plain(record.model)}**", width="content")
                    st.space("stretch")
                    if EXCLUSIVE.under_way(store, record.sample, record.model):
                        _offer_cancel(store, record)
                draw_steps(store, record)


def draw_steps(store: Store, record: Investigation) -> None:
    """A line for each step, and one for the slot."""
    taken = [one.run for one in record.runs.values()]
    progress = {run.run: run for run in run_progress.progress(store, taken)}
    words = step_words(store, record.places)
    for number, step in enumerate(steps(store, record)):
        run = progress.get(step.run or "")
        name = plain(words[step.kind, step.sample])
        if run is None:
            st.markdown(f"{_WAITING} :gray[{name}]")
        else:
            state = state_of(store, run.run, run.event, run.event_at)
            st.markdown(
                f"{run_card.mark(state)} {name} · {_so_far(run, state, reused=step.reused)}"
            )
            if state in {State.RUNNING, State.CANCELLING}:
                st.progress(min(1.0, run.done / max(run.items, 1)))
        if not number and record.kind in build.PLACED:
            letter = slot_of(store, record)
            icon = run_card.mark(State.FINISHED) if letter else _WAITING
            said = f"Slot: **{letter}**, chosen least" if letter else ":gray[Slot: chosen least]"
            st.markdown(f"{icon} {said}")


def _so_far(run: Progress, state: State, *, reused: bool) -> str:
    count = f"{run.done:,} of {run.items:,} answered"
    if state is State.FINISHED:
        count = f"{run.done:,} answers" + (", from before" if reused else "")
    ended = f" · {state}" if state in {State.CANCELLED, State.INTERRUPTED, State.STOPPED} else ""
    why = f": {plain(run.detail)}" if state is State.STOPPED and run.detail else ""
    lost = run.refused + run.invalid + run.errors
    unusable = f" · {lost:,} unusable" if lost else ""
    return f"{count}{unusable}{ended}{why}"


def _offer_cancel(store: Store, record: Investigation) -> None:
    taken = [runs.load(store, one.run) for one in record.runs.values()]
    running = [
        run.id for run in taken if state_of(store, run.id, run.event, run.event_at) is State.RUNNING
    ]

    def cancel() -> None:
        for run in running:
            process.cancel(store, run)

    if action.pressed(
        "Cancel",
        icon=":material/stop:",
        key=f"investigate_cancel_{record.id}",
        lack="" if running else "Nothing is being asked just now, or only for somebody else.",
    ):
        st.session_state[_TROUBLE] = action.trouble(cancel)
        st.rerun()
