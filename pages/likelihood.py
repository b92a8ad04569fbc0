"""Score originals and their rewordings by likelihood, and read which the model finds likelier."""

import streamlit as st

from dcq.judging.study import judged_results
from dcq.likelihood import NAME
from dcq.store import samples
from dcq.ui import links, notice, page, repairs, run_panel, sample_picker
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


listed_samples = samples.listing(store)
if not listed_samples:
    st.info("There is no sample to score yet.", icon=":material/dataset:")
    page.link("dataset", "Choose a dataset and draw a sample")
    st.stop()

ask, reading = st.tabs([ASK, READ], key=VIEW, bind="query-params", on_change="rerun")

if ask.open:
    with ask, run_panel.show(store, runs.panel(read)):
        chosen = sample_picker.sample(listed_samples, key=SAMPLE)
        links.remember(SAMPLE)
        asking.show(store, samples.load(store, chosen))

if reading.open:
    with reading:
        results = judged_results(store, NAME, every_run=True)
        if not results:
            st.info("No text has been scored yet.", icon=":material/stacked_line_chart:")
            st.button(
                "Score a sample",
                type="primary",
                key="likelihood_first_step",
                on_click=notice.told(ask_again),
            )
            st.stop()
        chosen_result = result.choose(results)
        repairs.watch(store)
        fixes = repairs.buttons(store, chosen_result)
        result.show(store, chosen_result, fixes)
