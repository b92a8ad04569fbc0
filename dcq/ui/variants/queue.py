"""Which instances to show, in which order, and the way through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from dcq.store.variants import Decision
from dcq.ui import links, walker
from dcq.ui.text import plain
from dcq.ui.variants import anew, flagging
from dcq.ui.variants import desk as desks
from dcq.ui.variants import shelf as shelves
from dcq.ui.variants.desk import AT, Desk
from dcq.ui.variants.shelf import Shelf
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
class Choice:
    """What the user at a desk wants to see."""

    desk: Desk
    queue: Queue
    search: str
    filters: Filters
    order: Order

    def of(self, records: Sequence[Record], shelf: Shelf) -> Sequence[Record]:
        """The records chosen, in their order."""
        if self.queue in OF_TWO:
            found: Sequence[Record] = self.desk.pairing.among(records, self.queue)
        else:
            found = shelf.among(records, self.queue)
        if self.search.strip():
            found = curation.search_texts(found, self.search)
        if self.filters.count:
            found = filters.narrow(found, self.filters, shelf.similarity)
        if self.order is not Order.DRAWN:
            found = filters.order(found, self.order, shelf.similarity)
        return found


def choose(desk: Desk, records: Sequence[Record], shelf: Shelf, given_away: int | None) -> Choice:
    """The queue, with its counts, filters, the order, and the text to search for; in a row. The
    count of those ``given_away`` is None while it is not known."""
    counts = {**dict.fromkeys(Queue, 0), **shelf.counts}
    counts[Queue.LEAKY] = sum(record.leaky for record in records)
    if desk.pairing.pair is None:
        listed = [queue for queue in Queue if queue not in OF_TWO]
    else:
        listed = list(Queue)
        counts |= {queue: len(desk.pairing.among(records, queue)) for queue in OF_TWO}
    links.take("variants_show", listed)
    queue = st.selectbox(
        "Instances",
        listed,
        format_func=lambda queue: f"{WORDS[queue]} {counts[queue]}".strip(),
        key="variants_show",
        label_visibility="collapsed",
        help="Instances with at least one variant in that state. Failed checks: of variants that "
        "are not decided. Flagged: by a person. Given away: text alone finds the "
        "original, in enough instances to make the quiz leaky.",
        on_change=_to_first,
        width=175,
    )
    queue = queue or Queue.ALL
    links.put("variants_show", queue)
    chosen = _choose_filters(records, shelf)
    links.take("variants_order", Order)
    order = st.selectbox(
        "Order",
        list(Order),
        format_func=ORDERS.__getitem__,
        key="variants_order",
        label_visibility="collapsed",
        help="Worst first: errors, then notes, then originals that text gives away, then the "
        "variants least like their original.",
        on_change=_to_first,
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
        on_change=_to_first,
        width=170,
    )
    return Choice(desk, queue, search or "", chosen, order)


def navigate(
    desk: Desk, shown: Sequence[Record], choice: Choice, shelf: Shelf, leaky: frozenset[str]
) -> Record:
    """Buttons to navigate and to decide; returns the record shown."""
    _find_place(shown)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        places = range(1, len(shown) + 1)
        number = walker.walk(places, len(shown), what="Instance", key=AT, names="variants")
        record = shown[number - 1]
        lack = desk.lack
        st.button(
            "Next open",
            key="variants_next_open",
            shortcut="N",
            disabled=not any(is_left(desk, one, shelf) for one in shown if one is not record),
            on_click=_to_next_open,
            args=(desk, shown, shelf),
            help="The next instance of this list with a variant that is left to you, from the "
            "start again after the end.",
        )
        st.button(
            "Accept the rest, next",
            type="primary",
            # a key of its own, so that a press that was meant for the record before does nothing
            key=f"variants_accept_{record.instance.id}",
            shortcut="A",
            disabled=bool(lack) or not desk.pairing.acceptable(record),
            on_click=_accept_and_go_on,
            args=(desk, record, choice, shelf, leaky),
            help=lack
            or "Accepts the open variants of this instance in which no check found an error.",
        )
        st.button(
            "Undo",
            key="variants_undo_last",
            shortcut="Z",
            disabled=bool(lack) or not desk.can_undo,
            on_click=desk.undo,
            help=lack
            or f"Undoes your last decision or edit, up to {desks.UNDOABLE} one after the other; "
            "restores what held before.",
        )
        flagging.button(desk, record)
        anew.show(desk, record)
    with st.container():
        flagging.show(desk, record)
    links.put(RECORD, record.instance.id)
    return record


def is_left(desk: Desk, record: Record, shelf: Shelf) -> bool:
    """Whether a variant of the record is left for the user to decide about."""
    if Queue.OPEN not in shelf.queues[record.instance.id]:
        return False
    return not desk.pairing.has(record.instance.id) or bool(desk.pairing.left(record))


def count_left(desk: Desk, records: Sequence[Record], shelf: Shelf) -> int:
    """How many records have something left for the user to decide about."""
    if desk.pairing.pair is None:
        return shelf.counts[Queue.OPEN]
    return sum(is_left(desk, record, shelf) for record in records)


def show_list(queue: Queue) -> None:
    """For callbacks: this list from its start, without search and filters."""
    st.session_state["variants_show"] = queue
    st.session_state["variants_find"] = ""
    _clear()


def _to_next_open(desk: Desk, shown: Sequence[Record], shelf: Shelf) -> None:
    at = st.session_state[AT]
    for record in [*shown[at:], *shown[:at]]:
        if is_left(desk, record, shelf):
            desks.return_to(record.instance.id)
            return


def _find_place(shown: Sequence[Record]) -> None:
    """The place of the record that a link or an undo names, else the place as it was."""
    wanted = desks.returning()
    if wanted is None and AT not in st.session_state:
        wanted = st.query_params.get(RECORD)
    if wanted is not None:
        places = [place for place, one in enumerate(shown, 1) if one.instance.id == wanted]
        if places:
            [st.session_state[AT]] = places


def _accept_and_go_on(
    desk: Desk, record: Record, choice: Choice, shelf: Shelf, leaky: frozenset[str]
) -> None:
    """Accept the undecided variants without errors, then go to the next instance."""
    if not desk.has_decided(desk.pairing.acceptable(record), Decision.ACCEPTED):
        return
    held = shelves.read(desk.store, desk.sample.id)
    [now] = shelves.records_of(held, [record.number], leaky)
    if choice.of([now], shelf):  # otherwise it leaves the list, and the next one moves up
        st.session_state[AT] = st.session_state.get(AT, 1) + 1


def _to_first() -> None:
    st.session_state[AT] = 1


def _choose_filters(records: Sequence[Record], shelf: Shelf) -> Filters:
    count = _read_filters(shelf).count
    panel = st.popover(
        f"Filters {count}" if count else "Filters",
        icon=":material/filter_list:",
        key="variants_filters",
        on_change="rerun",
    )
    if panel.open:
        with panel:
            _ask_filters(records, shelf)
    return _read_filters(shelf)


def _read_filters(shelf: Shelf) -> Filters:
    checks, labels, people, length, similarity = map(st.session_state.get, _FILTERS)
    if length == _bounds(shelf):
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


def _ask_filters(records: Sequence[Record], shelf: Shelf) -> None:
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
            on_change=_to_first,
        )
    shortest, longest = _bounds(shelf)
    st.slider(
        "Length of the original, in characters",
        shortest,
        longest,
        (shortest, longest),
        key="variants_length",
        persist_state="session",
        on_change=_to_first,
    )
    st.slider(
        "Words that the least similar variant keeps, per cent",
        0,
        100,
        (0, 100),
        key="variants_similarity",
        persist_state="session",
        on_change=_to_first,
    )
    st.button("Clear the filters", key="variants_clear", on_click=_clear)


def _bounds(shelf: Shelf) -> tuple[int, int]:
    """The ends of the slider of lengths, which needs two that differ."""
    shortest, longest = shelf.lengths
    return shortest, max(longest, shortest + 1)


def _clear() -> None:
    for key in _FILTERS:
        st.session_state.pop(key, None)
    _to_first()
