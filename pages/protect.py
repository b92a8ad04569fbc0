"""Publish a benchmark by lot, plan what it finds, and check models with what was kept."""

import streamlit as st

from dcq.ui import page, sample_picker
from dcq.ui.protect import checking, planning, publishing

PUBLISH, PLAN, CHECK, SCORES = "Publish", "What it will find", "Check models", "Scores by others"

store = page.start(
    "Protect",
    "Publish one wording of each item, drawn by lot, and prove later that a model saw it: no "
    "control, no assumption, an exact p-value.",
)
publish, plan, check, scores = st.tabs(
    [PUBLISH, PLAN, CHECK, SCORES], key="protect_view", bind="query-params", on_change="rerun"
)

if publish.open:
    with publish:
        listed_samples = sample_picker.list_samples(store)
        if not listed_samples:
            st.info("There is no sample to protect yet.", icon=":material/dataset:")
            page.link("dataset", "Bring your items as a csv file")
        else:
            publishing.show(store, sample_picker.sample(listed_samples, key="protect_sample"))
            publishing.show_files(store)
            st.caption(
                "A benchmark that is out already cannot be protected backwards: write new wordings "
                "of its private items for the next version, and ask the quiz with controls about "
                "the old one."
            )

if plan.open:
    with plan:
        planning.show()

if check.open:
    with check:
        checking.show(store)

if scores.open:
    with scores:
        checking.show_scores()
