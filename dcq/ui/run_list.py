"""Runs of a method as cards, with their live progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import streamlit as st

from dcq.errors import DcqError
from dcq.jobs.state import State
from dcq.store import Store, results
from dcq.store.run_progress import Progress
from dcq.ui import notice, run_card
from dcq.ui.names import listed_partitions
from dcq.ui.run_card import MethodCard

SHOWN = 6
TIMEOUT = (
    2.0  # seconds; a page redrawn every second cannot wait for the store as long as one opened
)


class Listed(Protocol):
    """A run with its state. ``live``: it may still change by itself, or another will follow it."""

    @property
    def run(self) -> Progress:
        """How far it is."""

    @property
    def state(self) -> State:
        """What it is doing."""

    @property
    def live(self) -> bool:
        """Whether to look again."""


One = TypeVar("One", bound=Listed)


def watch(
    store: Store,
    listing: Callable[[Store], Sequence[One]],
    card: Callable[[Store, One], MethodCard],
    *,
    what: str,
    key: str,
    least: int = 0,
) -> None:
    """The runs of ``listing`` that are going on and the newest of the others (``least`` in all), or
    all where the switch ``key`` is on; refreshed every second for as long as one is live. ``what``
    their progress counts: "replies"."""
    listed = listing(store)
    if not listed:
        return
    live = any(one.live for one in listed)

    def panel(store: Store) -> None:
        try:
            _draw(store, listing, card, what, key, least, was_live=live)
        except DcqError as error:
            words = f"{error} This page retries by itself."
            notice.warning(words, icon=":material/hourglass_empty:")

    st.fragment(panel, run_every="1s" if live else None)(Store(store.path, timeout=TIMEOUT))


def _draw(
    store: Store,
    listing: Callable[[Store], Sequence[One]],
    card: Callable[[Store, One], MethodCard],
    what: str,
    key: str,
    least: int,
    *,
    was_live: bool,
) -> None:
    listed = listing(store)
    live = [one for one in listed if one.live]
    if was_live and not live:
        st.rerun()  # the last one has ended: the whole page may now say more
    _headline(live, what)
    some = max(SHOWN, len(live), least)
    every = len(listed) > some and st.toggle(
        f"All {len(listed)} runs", key=key, bind="query-params"
    )
    shown = listed if every else listed[:some]
    timed = results.latency(store, [one.run.run for one in shown])
    names = listed_partitions([one.run for one in shown])
    for one in shown:
        run_card.show(
            store,
            one.run,
            one.state,
            card(store, one),
            place=names[one.run.partition],
            timed=timed.get(one.run.run),
        )


def _headline(live: Sequence[Listed], what: str) -> None:
    if not live:
        st.subheader("Latest runs", anchor=False)
        return
    done, items = sum(one.run.done for one in live), sum(one.run.items for one in live)
    noun = "run" if len(live) == 1 else "runs"
    st.subheader(f"{len(live)} {noun}: {done:,} of {items:,} {what}", anchor=False)
    st.progress(min(1.0, done / max(items, 1)))
    st.caption("Asking continues if you leave or close this page.")
