"""Look for a sample's instances on the web or in a corpus, and read what was found."""

import streamlit as st

from dcq.documents.names import tell_apart
from dcq.judging import cross_evidence
from dcq.overlap import evidence
from dcq.overlap.evidence import OverlapSummary
from dcq.store import samples
from dcq.ui import links, notice, page, run_panel, sample_picker
from dcq.ui.overlap import asking, effect, reference, result, together

SAMPLE, VIEW, RUN, MODEL = "overlap_sample", "overlap_view", "overlap_run", "overlap_model"
SEARCH, READ, EFFECT, TOGETHER, PAPER = "Search", "Result", "Effect", "Together", "Reference"

store = page.start(
    "Overlap",
    "Whether a benchmark is on the web or in a corpus, and what that does to scores.",
)
links.recall(SAMPLE, RUN)
if page.arrived():
    run_panel.forget("overlap")


def read(run: str) -> None:
    """Open the result of a run."""
    st.session_state.update({RUN: run, VIEW: READ})


def search_again() -> None:
    """Go back to the form."""
    run_panel.forget("overlap")
    st.session_state[VIEW] = SEARCH


def choose_run() -> OverlapSummary | None:
    """A picker over searches and scans; where there is none, what to do about it."""
    named = {summary.run: summary for summary in evidence.results(store)}
    if not named:
        st.info("Nothing has been searched for yet.", icon=":material/travel_explore:")
        st.button(
            "Search for a sample",
            type="primary",
            key="overlap_first",
            on_click=notice.told(search_again),
        )
        return None
    names = tell_apart({run: asking.name(summary) for run, summary in named.items()})
    chosen = links.choose("Run", names, key=RUN, what="search")
    links.remember(RUN)
    return named[chosen]


listed_samples = samples.listing(store)
if not listed_samples:
    st.info("There is no sample to look for yet.", icon=":material/dataset:")
    page.link("dataset", "Choose a dataset and draw a sample")
    st.stop()

searching, reading, scores, together_tab, paper = st.tabs(
    [SEARCH, READ, EFFECT, TOGETHER, PAPER], key=VIEW, bind="query-params", on_change="rerun"
)

if searching.open:
    with searching, run_panel.show(store, asking.panel(read)):
        chosen = sample_picker.sample(listed_samples, key=SAMPLE)
        links.remember(SAMPLE)
        asking.show(store, samples.load(store, chosen))

if reading.open:
    with reading:
        if overlap := choose_run():
            result.show(store, overlap.run)

if scores.open:
    with scores:
        if overlap := choose_run():
            effect.show(store, result.as_cut(store, overlap.run))

if together_tab.open:
    with together_tab:
        if overlap := choose_run():
            models = cross_evidence.models_of(store, overlap.sample)
            if models:
                model = st.selectbox("Model", models, key=MODEL, persist_state="page")
                together.show(store, overlap.sample, model, overlap_run=overlap.run)
            else:
                st.info(
                    "No model has taken a quiz of this sample or completed it yet.",
                    icon=":material/quiz:",
                )
                page.link("quiz", "Ask a model", quiz_sample=overlap.sample)

if paper.open:
    with paper:
        reference.show()
