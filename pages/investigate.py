"""A target, its controls and models: one plan for the whole walk, to the verdict."""

import streamlit as st

from dcq.records import Role
from dcq.store import samples
from dcq.ui import ask, models, page, pick
from dcq.ui.investigate import form, outcome, price, watching
from dcq.ui.text import plain

store = page.start(
    "Investigate",
    "Everything that a verdict needs, asked with one button.",
)

listed = samples.listing(store)
targets = watching.first([one for one in listed if one.role is not Role.CONTROL], store)
if not targets:
    st.info(
        "There is no sample of a target yet: a benchmark that a model may have seen."
        if listed
        else "There is no sample yet. Draw one of a benchmark that a model may have seen.",
        icon=":material/dataset:",
    )
    page.go("dataset", "Choose a dataset")
    st.stop()

sample = pick.sample(targets, key=form.SAMPLE, label="Target")
known = watching.newest(store, sample)
if watching.under_way(store, known):
    watching.watch(store, known)  # nothing else is on the page, so that it is in sight
    st.stop()
outcome.show(store, known)

with st.container(horizontal=True, gap="medium"):
    kind = form.choose_kind(known)
    others = form.choose_methods(known)
    chosen = models.choose(store, key=form.MODELS, first=form.first_models(known))
choice = form.choose_controls(store, sample, kind, others, known)
if not ask.has_models(chosen) or choice is None:
    st.stop()
terms = form.choose_terms(known)

told = price.of(store, choice, chosen, terms)
price.warn(told)
if outcome.is_done(store, known, choice, chosen, terms):
    st.markdown(plain(price.sentence(told.needs)))
else:
    ask.offer(form.start(store, choice, told, chosen, terms))
price.show_steps(store, told.needs)
