"""A target, its controls and models: one plan for the whole walk, to the verdict."""

import streamlit as st

from dcq.records import PartitionRole
from dcq.store import samples
from dcq.ui import example, model_picker, page, repairs, sample_picker, start_button
from dcq.ui import others as sent
from dcq.ui.investigate import form, outlook, price, watching
from dcq.ui.text import plain

store = page.start(
    "Investigate",
    "Everything that a verdict needs, asked with one button.",
)
repairs.watch(store)

listed_samples = samples.listing(store)
targets = watching.first(
    [sample for sample in listed_samples if sample.role is not PartitionRole.CONTROL], store
)
if not targets:
    st.info(
        "There is no sample of a target yet: a benchmark that a model may have seen."
        if listed_samples
        else "There is no sample yet. Draw one of a benchmark that a model may have seen.",
        icon=":material/dataset:",
    )
    page.link("dataset", "Choose a dataset")
    st.stop()

sample = sample_picker.sample(targets, key=form.SAMPLE, label="Target")
investigations = watching.newest(store, sample)
if watching.under_way(store, investigations):
    watching.watch(store, investigations)  # nothing else is on the page, so that it is in sight
    st.stop()
watching.show(store, investigations)
answered = bool(investigations) or watching.show_finding(store, sample)
sent.show(store, key="investigate_others", partition=samples.partition_of(store, sample).id)
if example.is_shown():  # nothing can be asked there
    st.stop()
if answered:
    st.subheader("Investigate further", anchor=False)

with st.container(horizontal=True, gap="medium"):
    kind = form.choose_kind(investigations)
    chosen = model_picker.choose(store, key=form.MODELS, first=form.first_models(investigations))
    others = form.choose_methods(store, sample, chosen, investigations)
choice = form.choose_controls(store, sample, kind, others, chosen, investigations)
if not start_button.has_models(chosen) or choice is None:
    st.stop()
terms = form.choose_terms(investigations)

conditions = price.of(store, choice, chosen, terms)
price.warn(conditions)
outlook.show(store, choice, chosen, terms, conditions)
if watching.has_investigated(store, investigations, choice, chosen, terms):
    st.markdown(plain(price.sentence(conditions.needs)))
else:
    start_button.offer(form.start(store, choice, conditions, chosen, terms))
price.show_steps(store, conditions.needs)
