"""Have variants written, read them beside their original, and decide."""

import streamlit as st

from dcq.quiz import coverage
from dcq.report import export
from dcq.store import samples
from dcq.ui import downloads, leakage, links, notice, page, people, pick
from dcq.ui.variants import control, queue, sets, variant, writing
from dcq.variants import curation

PLACE = ("variants_sample", "variants_show", "variants_find", "variants_view", queue.AT)

store = page.start(
    "Variants",
    "Each instance needs rewordings that change words and nothing else. Read them, edit them, "
    "accept or reject them.",
)
links.recall(*PLACE)

listed = samples.listing(store)
if not listed:
    st.info("There is no sample to reword yet.", icon=":material/dataset:")
    page.go("dataset", "Choose a dataset and draw a sample")
    st.stop()

left, right = st.columns([4, 1])
with left:
    chosen = pick.sample(listed, key="variants_sample")
with right:
    author = people.ask_author()
sample = samples.load(store, chosen)
records = curation.gather(store, sample, leaky=leakage.given_away(store, sample.id))
tally = coverage.tally(records)

with st.container(horizontal=True, vertical_alignment="center"):
    st.markdown(
        f"#### {tally.ready:,} of {tally.instances:,} instances are ready for a quiz",
        width="content",
    )
    with st.popover("What counts", icon=":material/help:", type="tertiary"):
        st.markdown(
            "An instance is ready when three of its variants may be used, and all four for the "
            f"modified quiz ({tally.full:,} instances). A variant may be used when it is accepted, "
            "or still open and no check found an error in it. A good variant keeps the sentence, "
            "its meaning, names, numbers, symbols and label; only words are replaced, each by one "
            "that fits as naturally as the original's."
        )
    if tally.ready:
        page.go("quiz", "Freeze a quiz", icon=":material/quiz:", quiz_sample=sample.id)
st.caption(
    f"Variants: {tally.accepted:,} accepted · {tally.open:,} open · {tally.rejected:,} rejected · "
    f"{tally.missing:,} missing"
)

if not author:
    notice.info(people.NEEDED, icon=":material/badge:")
if tally.missing:
    writing.show(store, sample, tally)
    control.offer_placebo(store, sample)
else:  # nothing is missing, so both fit on one row
    left, right = st.columns(2)
    with left:
        writing.show(store, sample, tally)
    with right:
        control.offer_placebo(store, sample)

which, search = queue.choose(records)
shown = curation.select(records, which, search)
links.remember(*PLACE)
queue.show_trouble()
if not shown:
    st.info(
        "There is no instance in this list; choose another list or clear the search.",
        icon=":material/inbox:",
    )
    st.stop()

one, table = st.tabs(
    ["One by one", "Table"], key="variants_view", bind="query-params", on_change="rerun"
)
if one.open:
    with one:
        desk = queue.Desk(store, sample, author)
        record = queue.navigate(desk, shown, which, search)
        links.remember(*PLACE)
        variant.show(desk, record)
        sets.show(store, sample, record)
if table.open:
    with table:
        st.dataframe(
            queue.tabulate(shown),
            hide_index=True,
            height=560,
            key="variants_table",
            alt="All variants of the instances shown, with state, origin and findings.",
            column_config={
                "number": st.column_config.NumberColumn("Instance", width="small"),
                "variant": st.column_config.TextColumn("Variant", width="small"),
                "state": st.column_config.TextColumn("State", width="small"),
                "origin": "Written by",
                "who": "Who",
                "findings": st.column_config.TextColumn("Findings", width="medium"),
                "text": st.column_config.TextColumn("Text", width="large"),
                "original": st.column_config.TextColumn("Original", width="large"),
            },
        )
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            downloads.offer_table(
                "All variants",
                f"dcq-variants-{sample.id}",
                lambda: export.frame(store, export.What.VARIANTS, sample.id),
                key="variants_download",
            )
