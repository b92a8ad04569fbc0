"""What comes next: after the writing, at the end of a list, and when all is decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dcq.quiz.coverage import Tally
from dcq.records import Role
from dcq.store.samples import StoredSample
from dcq.ui import notice, page
from dcq.ui.variants import queue
from dcq.ui.variants.desk import AT, Desk
from dcq.ui.variants.queue import Choice
from dcq.ui.variants.shelf import Shelf
from dcq.variants.curation import Queue, Record

# The lists that a person works through to their end.
_WORK = {
    Queue.OPEN,
    Queue.FAILED,
    Queue.FLAGGED,
    Queue.MISSING,
    Queue.ASSIGNED,
    Queue.DISAGREEMENT,
}
_ICON = ":material/troubleshoot:"


def show(
    choice: Choice,
    records: Sequence[Record],
    shelf: Shelf,
    shown: Sequence[Record],
    *,
    written: bool,
) -> None:
    """One line with the step that comes next, where there is one; ``written``: a run has written
    variants of the sample."""
    desk, tally = choice.desk, shelf.tally
    decided = tally.accepted + tally.rejected
    left = queue.count_left(desk, records, shelf)
    if decided + tally.open and not left:
        _say_done(desk.sample, tally)
    elif not shown:
        _say_empty(choice, left)
    elif written and not decided:
        said = f"{tally.open:,} variants are written, and nobody has read them yet."
        _step(desk.sample, tally, said, notice.info)
    elif _is_at_end(desk, shown):
        with _line():
            notice.info(f"This is the end of the list. {_say_left(left)}")
            _offer_open()


def go_on(sample: StoredSample) -> None:
    """A link to Investigate, with the sample chosen."""
    page.go("investigate", "Investigate", icon=_ICON, **_chosen(sample))


def _say_done(sample: StoredSample, tally: Tally) -> None:
    said = "You are done: every variant is decided."
    if tally.open:
        said = "You are done: what is open is with others."
    if tally.missing:
        said += f" {tally.missing:,} variants are missing."
    _step(sample, tally, said, notice.success)


def _say_empty(choice: Choice, left: int) -> None:
    if choice.search.strip() or choice.filters.count or choice.queue not in _WORK:
        notice.info(
            "There is no instance in this list; choose another list or clear the search.",
            icon=":material/inbox:",
        )
        return
    with _line():
        notice.success(f"You are done with this list. {_say_left(left)}")
        _offer_open()


def _step(sample: StoredSample, tally: Tally, said: str, say: Callable[[str], None]) -> None:
    ready = f"{tally.ready:,} of {tally.instances:,} instances are ready for a quiz"
    with _line():
        if tally.ready:
            say(f"{said} {ready}.")
            page.step(
                "investigate",
                "Investigate",
                key="variants_investigate",
                icon=_ICON,
                **_chosen(sample),
            )
        else:
            say(f"{said} {ready}: have the rejected ones written anew.")


def _chosen(sample: StoredSample) -> dict[str, str]:
    """What Investigate is told: a control is chosen there beside a target, not in its place."""
    if sample.partition.role is Role.CONTROL:
        return {}
    return {"investigate_sample": sample.id}


def _is_at_end(desk: Desk, shown: Sequence[Record]) -> bool:
    return st.session_state.get(AT) == len(shown) and not desk.pairing.left(shown[-1])


def _say_left(left: int) -> str:
    return "1 instance is still open." if left == 1 else f"{left:,} instances are still open."


def _offer_open() -> None:
    st.button(
        "Show what is open",
        key="variants_show_open",
        on_click=queue.show_list,
        args=(Queue.OPEN,),
    )


def _line() -> DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="center", gap="small")
