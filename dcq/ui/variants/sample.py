"""The sample that is curated: its progress in a few words, the actions on all of it, its placebo,
and the next step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dcq.quiz.coverage import Tally
from dcq.records import PartitionRole
from dcq.store import Store
from dcq.store.samples import StoredSample
from dcq.ui import action, notice, page
from dcq.ui.roles import UserRole
from dcq.ui.variants import assigning, balancing, queue, writing
from dcq.ui.variants.curator import AT, Curator
from dcq.ui.variants.queue import QueueChoice
from dcq.ui.variants.sample_records import SampleRecords
from dcq.variants import placebo, reword
from dcq.variants.curation import Queue, Record

PANEL = "variants_panel"


def show(curator: Curator, tally: Tally) -> None:
    """A button that says how much is ready; it opens the counts, the writer and the placebo."""
    store, sample = curator.store, curator.sample
    ready = f"{tally.ready:,} of {tally.instances:,} ready"
    panel = st.popover(ready, icon=":material/fact_check:", key=PANEL, on_change="rerun")
    if not panel.open:
        return
    with panel:
        st.markdown(
            f"**{tally.ready:,} of {tally.instances:,} instances are ready for a quiz.** An "
            "instance is ready when three of its variants may be used, and all four for the "
            f"modified quiz ({tally.full:,} instances). A variant may be used when it is accepted, "
            "or still open and no check found an error in it."
        )
        st.caption(
            f"Variants: {tally.accepted:,} accepted · {tally.open:,} open · "
            f"{tally.rejected:,} rejected · {tally.missing:,} missing"
        )
        if tally.ready:
            go_on(sample)
            page.link("quiz", "Make a quiz", icon=":material/quiz:", quiz_sample=sample.id)
        if not _is_begun(tally):
            st.caption("Have the variants written first, below.")
        elif not writing.is_live(store, sample.id):
            writing.show(store, sample, tally)
        if _is_begun(tally):
            assigning.offer(curator)
        balancing.show(store, sample)
        offer_placebo(store, sample)


def show_writing(store: Store, sample: StoredSample, tally: Tally) -> bool:
    """The writer in the page itself, where there is nothing to curate yet, and while it writes.
    Returns whether a run has written variants and has ended."""
    newest = reword.state(store, sample.id)
    live = newest is not None and newest.state.live
    if live or not _is_begun(tally):
        writing.show(store, sample, tally)
    return newest is not None and not live


def _is_begun(tally: Tally) -> bool:
    return bool(tally.accepted + tally.open + tally.rejected)


def offer_placebo(store: Store, sample: StoredSample) -> None:
    """An expander that makes the placebo of a sample and opens it; nothing for a placebo."""
    if sample.partition.placebo_of:
        return
    with st.expander("Make a placebo of this sample", icon=":material/balance:"):
        st.markdown(
            "If you have no text that the model cannot have seen, use a placebo: one variant of "
            "each instance takes the role of the original, and its own rewordings are the "
            "variants. No model has seen either, so its score there is a preference for wording, "
            "not memory."
        )
        action.button(
            "Make the placebo",
            lambda: _make(store, sample),
            icon=":material/balance:",
            key="variants_placebo",
            role=UserRole.ANNOTATOR,
        )


def _make(store: Store, sample: StoredSample) -> None:
    new_placebo = placebo.make(store, sample.id)
    # The picker takes its sample from the address on the next run.
    del st.session_state["variants_sample"]
    st.query_params["variants_sample"] = new_placebo.sample


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


def show_next_steps(
    choice: QueueChoice,
    records: Sequence[Record],
    loaded: SampleRecords,
    shown_records: Sequence[Record],
    *,
    written: bool,
) -> None:
    """One line with the next step, where there is one; ``written``: a run has written variants of
    the sample."""
    curator, tally = choice.curator, loaded.tally
    decided = tally.accepted + tally.rejected
    left = queue.count_left(curator, records, loaded)
    if decided + tally.open and not left:
        _say_done(curator.sample, tally)
    elif not shown_records:
        _say_empty(choice, left)
    elif written and not decided:
        sentence = f"{tally.open:,} variants are written, and nobody has read them yet."
        _step(curator.sample, tally, sentence, notice.info)
    elif _is_at_end(curator, shown_records):
        with _line():
            notice.info(f"This is the end of the list. {_say_left(left)}")
            _offer_open()


def go_on(sample: StoredSample) -> None:
    """A link to Investigate, with the sample chosen."""
    page.link("investigate", "Investigate", icon=_ICON, **_chosen(sample))


def _say_done(sample: StoredSample, tally: Tally) -> None:
    sentence = "You are done: every variant is decided."
    if tally.open:
        sentence = "You are done: what is open is with others."
    if tally.missing:
        sentence += f" {tally.missing:,} variants are missing."
    _step(sample, tally, sentence, notice.success)


def _say_empty(choice: QueueChoice, left: int) -> None:
    if choice.search.strip() or choice.filters.count or choice.queue not in _WORK:
        notice.info(
            "There is no instance in this list; choose another list or clear the search.",
            icon=":material/inbox:",
        )
        return
    with _line():
        notice.success(f"You are done with this list. {_say_left(left)}")
        _offer_open()


def _step(sample: StoredSample, tally: Tally, sentence: str, say: Callable[[str], None]) -> None:
    ready = f"{tally.ready:,} of {tally.instances:,} instances are ready for a quiz"
    with _line():
        if tally.ready:
            say(f"{sentence} {ready}.")
            page.link_button(
                "investigate",
                "Investigate",
                key="variants_investigate",
                icon=_ICON,
                **_chosen(sample),
            )
        else:
            say(f"{sentence} {ready}: have the rejected ones written again.")


def _chosen(sample: StoredSample) -> dict[str, str]:
    """What Investigate is told: a control is chosen there beside a target, not in its place."""
    if sample.partition.role is PartitionRole.CONTROL:
        return {}
    return {"investigate_sample": sample.id}


def _is_at_end(curator: Curator, records: Sequence[Record]) -> bool:
    return st.session_state.get(AT) == len(records) and not curator.pairing.left(records[-1])


def _say_left(left: int) -> str:
    return "1 instance is still open." if left == 1 else f"{left:,} instances are still open."


def _offer_open() -> None:
    st.button(
        "Show what is open",
        key="variants_show_open",
        on_click=notice.told(queue.show_list),
        args=(Queue.OPEN,),
    )


def _line() -> DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="center", gap="small")
