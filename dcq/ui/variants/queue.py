"""The list of instances to show, its order, and the navigation through it, with a strip of dots for
the state of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from dcq.store.opinions import Stage
from dcq.store.variants import Decision
from dcq.ui import links, notice, pictures, walker
from dcq.ui.pictures import Dot, RecordState
from dcq.ui.text import plain
from dcq.ui.variants import flagging, rewriting
from dcq.ui.variants.curator import AT, UNDOABLE, Curator, return_to, returning
from dcq.ui.variants.sample_records import SampleRecords, read_sample, records_at
from dcq.variants import curation, filters
from dcq.variants.curation import OF_TWO, Queue, Record
from dcq.variants.filters import Filters, Order

RECORD = "variants_record"
WORDS = {
    Queue.ALL: "All",
    Queue.OPEN: "Open",
    Queue.FAILED: "Failed checks",
    Queue.FLAGGED: "Flagged",
    Queue.LEAKY: "Given away",
    Queue.ACCEPTED: "Accepted",
    Queue.EDITED: "Edited",
    Queue.REJECTED: "Rejected",
    Queue.MISSING: "Missing",
    Queue.ASSIGNED: "Assigned to two",
    Queue.DISAGREEMENT: "Disagreement",
}
ORDERS = {Order.DRAWN: "As drawn", Order.WORST: "Worst first"}
_FILTERS = (
    "variants_checks",
    "variants_labels",
    "variants_people",
    "variants_length",
    "variants_similarity",
)
KEPT = ("variants_show", "variants_find", "variants_order", *_FILTERS)


@dataclass(frozen=True)
class QueueChoice:
    """What a curator has chosen to see: a queue, a search, filters and an order."""

    curator: Curator
    queue: Queue
    search: str
    filters: Filters
    order: Order

    def of(self, records: Sequence[Record], loaded: SampleRecords) -> Sequence[Record]:
        """The chosen records, in their order."""
        if self.queue in OF_TWO:
            chosen_records: Sequence[Record] = self.curator.pairing.among(records, self.queue)
        else:
            chosen_records = loaded.among(records, self.queue)
        if self.search.strip():
            chosen_records = curation.search_texts(chosen_records, self.search)
        if self.filters.count:
            chosen_records = filters.narrow(chosen_records, self.filters, loaded.similarity)
        if self.order is not Order.DRAWN:
            chosen_records = filters.order(chosen_records, self.order, loaded.similarity)
        return chosen_records


def choose(
    curator: Curator, records: Sequence[Record], loaded: SampleRecords, given_away: int | None
) -> QueueChoice:
    """The queue, with its counts, filters, the order, and the text to search for; in a row. The
    count ``given_away`` is None while it is not worked out, and then not shown."""
    counts: dict[Queue, int | str] = {**dict.fromkeys(Queue, 0), **loaded.counts}
    counts[Queue.LEAKY] = "" if given_away is None else given_away
    if curator.pairing.pair is None:
        listed_queues = [queue for queue in Queue if queue not in OF_TWO]
    else:
        listed_queues = list(Queue)
        counts |= {queue: len(curator.pairing.among(records, queue)) for queue in OF_TWO}
    links.take("variants_show", listed_queues)
    queue = st.selectbox(
        "Instances",
        listed_queues,
        format_func=lambda queue: f"{WORDS[queue]} {counts[queue]}".strip(),
        key="variants_show",
        label_visibility="collapsed",
        help="Instances with at least one variant in that state. Failed checks: of variants that "
        "are not decided. Flagged: by a person. Given away: text alone finds the "
        "original, in enough instances to make the quiz leaky.",
        on_change=notice.told(_to_first),
        width=175,
    )
    queue = queue or Queue.ALL
    links.put("variants_show", queue)
    chosen_filters = _choose_filters(records, loaded)
    links.take("variants_order", Order)
    order = st.selectbox(
        "Order",
        list(Order),
        format_func=ORDERS.__getitem__,
        key="variants_order",
        label_visibility="collapsed",
        help="Worst first: errors, then notes, then originals that text gives away, then the "
        "variants least like their original.",
        on_change=notice.told(_to_first),
        width=150,
    )
    order = order or Order.DRAWN
    links.put("variants_order", order)
    search = st.text_input(
        "Find",
        type="search",
        placeholder="Find in any text",
        key="variants_find",
        bind="query-params",
        label_visibility="collapsed",
        on_change=notice.told(_to_first),
        width=170,
    )
    return QueueChoice(curator, queue, search or "", chosen_filters, order)


def navigate(
    curator: Curator,
    records: Sequence[Record],
    choice: QueueChoice,
    loaded: SampleRecords,
    leaky: frozenset[str],
) -> Record:
    """Buttons to navigate and to decide; returns the record shown."""
    _find_place(records)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        places = range(1, len(records) + 1)
        number = walker.walk(places, len(records), what="Instance", key=AT, names="variants")
        record = records[number - 1]
        reason = curator.why_not
        st.button(
            "Next open",
            key="variants_next_open",
            shortcut="N",
            disabled=not any(
                is_left(curator, other_record, loaded)
                for other_record in records
                if other_record is not record
            ),
            on_click=notice.told(_to_next_open),
            args=(curator, records, loaded),
            help="The next instance of this list with a variant that is left to you, from the "
            "start again after the end.",
        )
        st.button(
            "Accept the rest, next",
            type="primary",
            # a key of its own, so that a press that was meant for the record before does nothing
            key=f"variants_accept_{record.instance.id}",
            shortcut="A",
            disabled=bool(reason) or not curator.pairing.acceptable(record),
            on_click=notice.told(_accept_and_go_on),
            args=(curator, record, choice, loaded, leaky),
            help=reason
            or "Accepts the open variants of this instance in which no check found an error.",
        )
        st.button(
            "Undo",
            key="variants_undo_last",
            shortcut="Z",
            disabled=bool(reason) or not curator.can_undo,
            on_click=notice.told(curator.undo),
            help=reason
            or f"Undoes your last decision or edit, up to {UNDOABLE} one after the other; "
            "restores what held before.",
        )
        flagging.button(curator, record)
        rewriting.show(curator, record)
    with st.container():
        flagging.show(curator, record)
    links.put(RECORD, record.instance.id)
    return record


def is_left(curator: Curator, record: Record, loaded: SampleRecords) -> bool:
    """Whether a variant of the record is left for the user to decide about."""
    if Queue.OPEN not in loaded.queues[record.instance.id]:
        return False
    return not curator.pairing.has(record.instance.id) or bool(curator.pairing.left(record))


def count_left(curator: Curator, records: Sequence[Record], loaded: SampleRecords) -> int:
    """How many records have something left for the user to decide about."""
    if curator.pairing.pair is None:
        return loaded.counts[Queue.OPEN]
    return sum(is_left(curator, record, loaded) for record in records)


def show_list(queue: Queue) -> None:
    """For callbacks: show this list from its start, without search and filters."""
    st.session_state["variants_show"] = queue
    st.session_state["variants_find"] = ""
    _clear()


def _to_next_open(curator: Curator, records: Sequence[Record], loaded: SampleRecords) -> None:
    at = st.session_state[AT]
    for record in [*records[at:], *records[:at]]:
        if is_left(curator, record, loaded):
            return_to(record.instance.id)
            return


def _find_place(records: Sequence[Record]) -> None:
    """The place of the record that a link or an undo names, else the place as it was."""
    instance_id = returning()
    if instance_id is None and AT not in st.session_state:
        instance_id = st.query_params.get(RECORD)
    if instance_id is not None:
        places = [
            place for place, record in enumerate(records, 1) if record.instance.id == instance_id
        ]
        if places:
            [st.session_state[AT]] = places


def _accept_and_go_on(
    curator: Curator,
    record: Record,
    choice: QueueChoice,
    loaded: SampleRecords,
    leaky: frozenset[str],
) -> None:
    """Accept the undecided variants without errors, then go to the next instance."""
    if not curator.has_decided(curator.pairing.acceptable(record), Decision.ACCEPTED):
        return
    reread = read_sample(curator.store, curator.sample.id)
    [now] = records_at(reread, [record.number], leaky)
    if choice.of([now], loaded):  # otherwise it leaves the list, and the next one moves up
        st.session_state[AT] = st.session_state.get(AT, 1) + 1


def _to_first() -> None:
    st.session_state[AT] = 1


def _choose_filters(records: Sequence[Record], loaded: SampleRecords) -> Filters:
    count = _read_filters(loaded).count
    panel = st.popover(
        f"Filters {count}" if count else "Filters",
        icon=":material/filter_list:",
        key="variants_filters",
        on_change="rerun",
    )
    if panel.open:
        with panel:
            _ask_filters(records, loaded)
    return _read_filters(loaded)


def _read_filters(loaded: SampleRecords) -> Filters:
    checks, labels, people, length, similarity = map(st.session_state.get, _FILTERS)
    if length == _bounds(loaded):
        length = None
    if similarity == (0, 100):
        similarity = None
    return Filters(
        frozenset(checks or ()),
        frozenset(labels or ()),
        frozenset(people or ()),
        length or None,
        (similarity[0] / 100, similarity[1] / 100) if similarity else None,
    )


def _ask_filters(records: Sequence[Record], loaded: SampleRecords) -> None:
    choices: Mapping[str, tuple[str, set[str]]] = {
        "variants_checks": ("Failed checks", set().union(*map(filters.checks_of, records))),
        "variants_labels": ("Label", set(map(filters.label_of, records))),
        "variants_people": ("Written or decided by", set().union(*map(filters.people_of, records))),
    }
    for key, (label, options) in choices.items():
        st.multiselect(
            label,
            sorted(options),
            format_func=plain,
            key=key,
            persist_state="session",
            on_change=notice.told(_to_first),
        )
    shortest, longest = _bounds(loaded)
    st.slider(
        "Length of the original, in characters",
        shortest,
        longest,
        (shortest, longest),
        key="variants_length",
        persist_state="session",
        on_change=notice.told(_to_first),
    )
    st.slider(
        "Words that the least similar variant keeps, per cent",
        0,
        100,
        (0, 100),
        key="variants_similarity",
        persist_state="session",
        on_change=notice.told(_to_first),
    )
    st.button("Clear the filters", key="variants_clear", on_click=notice.told(_clear))


def _bounds(loaded: SampleRecords) -> tuple[int, int]:
    """The ends of the slider of lengths, which needs two that differ."""
    shortest, longest = loaded.lengths
    return shortest, max(longest, shortest + 1)


def _clear() -> None:
    for key in _FILTERS:
        st.session_state.pop(key, None)
    _to_first()


ACROSS = 100  # dots; of a longer list those around the record that is open


def show_strip(curator: Curator, records: Sequence[Record], open_record: Record) -> None:
    """The dots around the open record; a click opens one."""
    names = [record.instance.id for record in records]
    start = names.index(open_record.instance.id) // ACROSS * ACROSS
    part = records[start : start + ACROSS]
    beyond = start + ACROSS
    pictures.strip(
        [_dot(curator, record) for record in part],
        open_id=open_record.instance.id,
        words=f"Instances of this list, {start + 1:,} to {start + len(part):,} of {len(records):,}",
        before=_dot(curator, records[start - 1]) if start else None,
        after=_dot(curator, records[beyond]) if beyond < len(records) else None,
        key="variants_strip",
        on_open=return_to,
    )


def dot_of(curator: Curator, record: Record) -> RecordState:
    """The state of a record as far as the user may see it; while records are blind, by the user's
    own decisions only."""
    decisions = set()
    for variant in record.variants.values():
        if curator.pairing.stage(variant) is Stage.DIFFER and variant.decision is Decision.OPEN:
            return RecordState.DISPUTED
        own_opinion = curator.pairing.mine(variant)
        decisions.add(own_opinion.decision if own_opinion else variant.decision)
    if not decisions:
        return RecordState.MISSING
    if Decision.OPEN in decisions:
        return RecordState.OPEN
    return RecordState.REJECTED if Decision.REJECTED in decisions else RecordState.ACCEPTED


def _dot(curator: Curator, record: Record) -> Dot:
    name = record.instance.id
    return Dot(name, record.number, dot_of(curator, record), name in curator.drafts)
