"""Score originals and their rewordings by likelihood, and read which the model finds likelier."""

import streamlit as st

from dcq.evidence.check import Topic
from dcq.judging import changes
from dcq.judging.study import JudgedResult, judged_results
from dcq.likelihood import NAME
from dcq.records import PartitionRole
from dcq.store import samples
from dcq.store.studies import EVERYTHING
from dcq.ui import links, page, run_panel, sample_picker
from dcq.ui.likelihood import asking, instance, result, runs

SAMPLE, VIEW = "likelihood_sample", "likelihood_view"
ASK, READ = "Ask", "Result"

store = page.start(
    "Likelihood",
    "Whether a model finds originals likelier than their rewordings; nothing is asked of it.",
)
links.recall(SAMPLE, result.RUN, instance.AT)
if page.arrived():
    run_panel.forget("likelihood")


def read(run: str) -> None:
    """Open the result of a run."""
    st.session_state.update({result.RUN: run, VIEW: READ})


def ask_again(sample: str | None = None) -> None:
    """Go back to the form, for this sample if one is named."""
    run_panel.forget("likelihood")
    st.session_state.update({VIEW: ASK} | ({SAMPLE: sample} if sample else {}))


def show_result(one: JudgedResult) -> None:
    """Draw the result, with what mends its failed checks."""
    taken = {one.evidence.sample, *(control.sample for control in one.case.controls)}
    controls = [
        sample.id
        for sample in listed
        if sample.role is PartitionRole.CONTROL and sample.id not in taken
    ]

    def offer_control() -> None:
        if controls:
            st.button(
                "Score a control",
                icon=":material/play_arrow:",
                key="likelihood_control",
                on_click=ask_again,
                args=(controls[0],),
            )
        else:
            page.go("dataset", "Draw a sample of a control")

    def offer_run() -> None:
        st.button("Watch or resume the run", key="likelihood_watch", on_click=ask_again)

    changes.keep(store, EVERYTHING)
    changed = changes.sentences(store, EVERYTHING).get(one.evidence.run, "")
    fixes = {Topic.CONTROLS: offer_control, Topic.COMPLETE: offer_run}
    result.show(store, one, fixes, changed)


listed = samples.listing(store)
if not listed:
    st.info("There is no sample to score yet.", icon=":material/dataset:")
    page.go("dataset", "Choose a dataset and draw a sample")
    st.stop()

ask, reading = st.tabs([ASK, READ], key=VIEW, bind="query-params", on_change="rerun")

if ask.open:
    with ask, run_panel.show(store, runs.panel(read)):
        chosen = sample_picker.sample(listed, key=SAMPLE)
        links.remember(SAMPLE)
        asking.show(store, samples.load(store, chosen))

if reading.open:
    with reading:
        found = judged_results(store, NAME, every_run=True)
        if not found:
            st.info("No text has been scored yet.", icon=":material/stacked_line_chart:")
            st.button(
                "Score a sample", type="primary", key="likelihood_first_step", on_click=ask_again
            )
            st.stop()
        one = result.choose(found)
        links.remember(result.RUN)
        show_result(one)
