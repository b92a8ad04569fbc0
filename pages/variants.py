"""Read the variants beside their original, edit them, and decide."""

import streamlit as st

from dcq.store import Store, sources
from dcq.ui import leakage, links, notice, page, roles, sample_picker
from dcq.ui.variants import editor, queue, record_view, sample, sample_records, sets, table
from dcq.ui.variants.curator import AT, Curator, show_agreement, show_trouble

PLACE = ("variants_sample", table.VIEW, AT, *queue.KEPT)
ONE, TABLE = "One by one", "Table"

st.set_page_config(initial_sidebar_state="collapsed")  # a record takes the whole width
head = st.container(horizontal=True, vertical_alignment="center", gap="small")
with head:
    store = page.start("Variants", None)
page.dense_records()
links.recall(*PLACE)
if page.arrived():
    leakage.forget_given_away()

listed_samples = sample_picker.list_samples(store)
if not listed_samples:
    st.markdown("Each instance needs rewordings that change words and nothing else.")
    st.info("There is no sample to reword yet.", icon=":material/dataset:")
    page.link("dataset", "Choose a dataset and draw a sample")
    st.stop()

with head:
    chosen = sample_picker.sample(listed_samples, key="variants_sample", in_row=True)
    with st.container(width=150):
        author = roles.ask_author(in_row=True)
# In containers, so that what comes and goes moves nothing that is drawn below.
with st.container():
    if not author:
        notice.caption(roles.NEEDED)
    loaded = sample_records.read_sample(store, chosen)
    if whose := sources.whose_rewordings(store, chosen):
        notice.caption(whose)
    written = sample.show_writing(store, loaded.sample, loaded.tally)


@page.fragment  # what is done to a record draws neither the page's frame nor its head again
def curate(store: Store, chosen: str, author: str, *, written: bool) -> None:
    """The lists, and the record or the table that is chosen from them."""
    roles.leave_if_gone()
    loaded = sample_records.read_sample(store, chosen)
    curator = Curator(store, loaded.sample, author, loaded.state)
    giveaways = leakage.given_away_instances(store, loaded.sample)
    leaky = giveaways or frozenset()
    records = sample_records.mark_given_away(loaded, leaky)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        choice = queue.choose(
            curator, records, loaded, None if giveaways is None else len(giveaways)
        )
        view = st.segmented_control(
            "View",
            [ONE, TABLE],
            default=ONE,
            required=True,
            key=table.VIEW,
            bind="query-params",
            label_visibility="collapsed",
        )
        sample.show(curator, loaded.tally)
    shown_records = choice.of(records, loaded)
    links.remember(*PLACE)
    above = st.container()
    with above:
        show_trouble()
        show_agreement(curator, choice.queue)
    record = None
    if shown_records and view == ONE:
        record = queue.navigate(curator, shown_records, choice, loaded, leaky)
        links.remember(*PLACE)
        record_view.show(curator, record)
        queue.show_strip(
            curator, shown_records, record
        )  # below, so that the record is in sight as a whole
        sets.show(store, loaded.sample, record)
    elif shown_records:
        table.show(curator, shown_records, record_view=ONE)
    with above:
        editor.show_unsaved(curator, records, record)
        sample.show_next_steps(choice, records, loaded, shown_records, written=written)


curate(store, chosen, author, written=written)
