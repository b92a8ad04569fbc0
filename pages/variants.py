"""Read the variants beside their original, edit them, and decide."""

import streamlit as st

from dcq.store import Store
from dcq.ui import links, look, notice, page, people, pick
from dcq.ui.variants import (
    ahead,
    given_away,
    queue,
    sample,
    sets,
    shelf,
    strip,
    table,
    two,
    unsaved,
    variant,
)
from dcq.ui.variants import desk as desks

PLACE = ("variants_sample", table.VIEW, desks.AT, *queue.KEPT)
ONE, TABLE = "One by one", "Table"

st.set_page_config(initial_sidebar_state="collapsed")  # a record takes the whole width
head = st.container(horizontal=True, vertical_alignment="center", gap="small")
with head:
    store = page.start("Variants", None)
look.dense_records()
links.recall(*PLACE)
if page.arrived():
    given_away.forget()

listed = pick.known(store)
if not listed:
    st.markdown("Each instance needs rewordings that change words and nothing else.")
    st.info("There is no sample to reword yet.", icon=":material/dataset:")
    page.go("dataset", "Choose a dataset and draw a sample")
    st.stop()

with head:
    chosen = pick.sample(listed, key="variants_sample", in_row=True)
    with st.container(width=150):
        author = people.ask_author(in_row=True)
# In containers, so that what comes and goes moves nothing that is drawn below.
with st.container():
    if not author:
        notice.caption(people.NEEDED)
    held = shelf.read(store, chosen)
    written = sample.show_writing(store, held.sample, held.tally)


@st.fragment  # what is done to a record draws neither the page's frame nor its head again
def curate(store: Store, chosen: str, author: str, *, written: bool) -> None:
    """The lists, and the record or the table that is chosen from them."""
    held = shelf.read(store, chosen)
    desk = desks.Desk(store, held.sample, author, held.state)
    given = given_away.of(store, held.sample)
    leaky = given or frozenset()
    records = shelf.records(held, leaky)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        choice = queue.choose(desk, records, held, None if given is None else len(given))
        view = st.segmented_control(
            "View",
            [ONE, TABLE],
            default=ONE,
            required=True,
            key=table.VIEW,
            bind="query-params",
            label_visibility="collapsed",
        )
        sample.show(desk, held.tally)
    shown = choice.of(records, held)
    links.remember(*PLACE)
    above = st.container()
    with above:
        desks.show_trouble()
        two.show_agreement(desk, choice.queue)
    record = None
    if shown and view == ONE:
        record = queue.navigate(desk, shown, choice, held, leaky)
        links.remember(*PLACE)
        variant.show(desk, record)
        strip.show(desk, shown, record)  # below, so that the record is in sight as a whole
        sets.show(store, held.sample, record)
    elif shown:
        table.show(desk, shown, one=ONE)
    with above:
        unsaved.show(desk, records, record)
        ahead.show(choice, records, held, shown, written=written)


curate(store, chosen, author, written=written)
