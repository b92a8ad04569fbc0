"""Have models complete instances of which they are shown the first piece, and read what came."""

import streamlit as st

from dcq.judging import replication
from dcq.judging.judged import JudgedResult
from dcq.store import samples
from dcq.ui import links, notice, page, repairs, roles, run_panel, sample_picker
from dcq.ui.replication import asking, cuts, result, review

SAMPLE, VIEW = "replication_sample", "replication_view"
ASK, READ, REVIEW = "Ask", "Result", "Review"

store = page.start(
    "Replication",
    "Whether a model completes instances word for word once it is told where they are from.",
)
links.recall(SAMPLE, result.RUN, review.AT, cuts.AT)
if page.arrived():
    run_panel.forget("replication")


def read(run: str) -> None:
    """Open the result of a run."""
    st.session_state.update({result.RUN: run, VIEW: READ})


def ask_again(sample: str | None = None) -> None:
    """Go back to the form, for this sample if one is named."""
    run_panel.forget("replication")
    st.session_state.update({VIEW: ASK} | ({SAMPLE: sample} if sample else {}))


def read_results() -> list[JudgedResult]:
    """All results; completions that are new to this server are scored first."""
    with st.spinner("Scoring the completions…"):
        return replication.results(store, every_run=True)


def nothing_yet() -> None:
    """The empty state of what is read."""
    st.info("No model has completed anything yet.", icon=":material/content_copy:")
    st.button(
        "Ask a model", type="primary", key="replication_first_step", on_click=notice.told(ask_again)
    )


listed_samples = samples.listing(store)
if not listed_samples:
    st.info("There is no sample to cut in two yet.", icon=":material/dataset:")
    page.link("dataset", "Choose a dataset and draw a sample")
    st.stop()

ask, reading, reviewing = st.tabs(
    [ASK, READ, REVIEW], key=VIEW, bind="query-params", on_change="rerun"
)

if ask.open:
    with ask, run_panel.show(store, asking.panel(read)):
        left, right = st.columns([4, 1])
        with left:
            chosen = sample_picker.sample(listed_samples, key=SAMPLE)
        with right:
            author = roles.ask_author()
        sample = samples.load(store, chosen)
        instance_cuts = cuts.of(store, sample)
        cuts.show(store, sample, instance_cuts, author)
        links.remember(SAMPLE)
        asking.show(store, sample, instance_cuts)

if reading.open:
    with reading:
        results = read_results()
        if not results:
            nothing_yet()
            st.stop()
        chosen_result = result.choose(results)
        repairs.watch(store)
        fixes = repairs.buttons(store, chosen_result)
        result.show(store, chosen_result, results, fixes)

if reviewing.open:
    with reviewing:
        results = read_results()
        if not results:
            nothing_yet()
            st.stop()
        left, right = st.columns([4, 1])
        with left:
            chosen_result = result.choose(results)
        with right:
            author = roles.ask_author()
        review.show(store, chosen_result, author)
