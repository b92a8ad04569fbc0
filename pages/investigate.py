"""A target, its controls and models: one plan for the whole walk, to the verdict."""

import streamlit as st

from dcq.records import PartitionRole
from dcq.store import samples
from dcq.ui import example, model_picker, page, sample_picker, start_button
from dcq.ui.investigate import form, price, watching
from dcq.ui.text import plain

store = page.start(
    "Investigate",
    "Everything that a verdict needs, asked with one button.",
)

listed = samples.listing(store)
targets = watching.first([one for one in listed if one.role is not PartitionRole.CONTROL], store)
if not targets:
    st.info(
        "There is no sample of a target yet: a benchmark that a model may have seen."
        if listed
        else "There is no sample yet. Draw one of a benchmark that a model may have seen.",
        icon=":material/dataset:",
    )
    page.link("dataset", "Choose a dataset")
    st.stop()

sample = sample_picker.sample(targets, key=form.SAMPLE, label="Target")
known = watching.newest(store, sample)
if watching.under_way(store, known):
    watching.watch(store, known)  # nothing else is on the page, so that it is in sight
    st.stop()
watching.show(store, known)
if not known:
    watching.show_finding(store, sample)
if example.is_shown():  # nothing can be asked there
    st.stop()

with st.container(horizontal=True, gap="medium"):
    kind = form.choose_kind(known)
    chosen = model_picker.choose(store, key=form.MODELS, first=form.first_models(known))
    others = form.choose_methods(store, sample, chosen, known)
choice = form.choose_controls(store, sample, kind, others, known)
if not start_button.has_models(chosen) or choice is None:
    st.stop()
terms = form.choose_terms(known)

told = price.of(store, choice, chosen, terms)
price.warn(told)
if watching.has_investigated(store, known, choice, chosen, terms):
    st.markdown(plain(price.sentence(told.needs)))
else:
    start_button.offer(form.start(store, choice, told, chosen, terms))
price.show_steps(store, told.needs)
