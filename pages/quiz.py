"""Freeze a quiz and give it to models."""

import pandas as pd
import streamlit as st

from dcq.errors import DcqError
from dcq.models import embedded
from dcq.models.presets import EMBEDDED
from dcq.quiz import build, freeze, placing, preview, sequential
from dcq.records import Kind
from dcq.store import samples
from dcq.ui import leakage, models, names, notice, page, pick, roles, terms
from dcq.ui.quiz import kinds, questions, runs, slots, whole_v2
from dcq.ui.text import plain

WHAT_FOR = {
    Kind.MODIFIED: "Four variants, the original absent: shows which letter the model chooses "
    "least. Start with this one.",
    Kind.STANDARD: "The original and three variants: the paper's quiz, with the original in the "
    "slot that the model chooses least.",
    Kind.ROTATED: "The original once in each of the four slots, four calls per instance: a "
    "preference for a letter cancels out.",
    Kind.BDQ: "Four variants and a fifth option, none of these: shows which letters the model does "
    "not prefer. The first half of protocol v2.",
    Kind.BCQ: "Like the BDQ, with the original in a slot that the model does not prefer. One quiz "
    "per such slot gives the minimum and maximum of protocol v2.",
}

STARTED = "quiz_started"  # ids of the runs started on this visit, while they are shown

store = page.start("Quiz", "Freeze the questions, see what asking costs, and watch the answers.")

if page.arrived():
    st.session_state[STARTED] = []
if started := st.session_state[STARTED]:
    # Nothing else is on the page, so that they are visible whatever the scroll position.
    runs.watch(store, started)
    st.button(
        "Ask another quiz",
        icon=":material/add:",
        key="quiz_another",
        on_click=st.session_state.update,
        args=({STARTED: []},),
    )
    st.stop()

# Live runs come first; finished ones go below the form.
live, body, past = st.container(), st.container(), st.container()
with live if runs.any_live(store) else past:
    runs.watch(store)

with body:
    listed = samples.listing(store)
    if not listed:
        st.info("There is no sample to make questions from yet.", icon=":material/dataset:")
        page.go("dataset", "Choose a dataset")
        st.stop()

    sample = pick.sample(listed, key="quiz_sample")
    choices = st.container(horizontal=True, gap="medium")
    with choices:
        kind = kinds.choose(list(WHAT_FOR), freeze.propose_kind(store, sample))
    notice.caption(WHAT_FOR[kind])

    with choices:
        letter = slots.choose(kind, key=f"quiz_slot_{sample}")

    try:
        at, bdq = slots.of_preview(store, sample, kind, letter)
        shown = questions.preview_of(store, sample, kind, at, bdq)
    except DcqError as error:
        notice.warning(error, icon=":material/edit_note:")
        page.go("variants", "Write the variants")
        st.stop()

    questions.explain(sample, shown)
    leakage.warn(shown.baselines)

    chosen = models.choose(store, key="quiz_models")
    others = pick.others(listed, sample, key="quiz_others")
    places = placing.place_originals(store, sample, others, kind, chosen, letter=letter)
    wanted = terms.choose(
        chosen,
        page="quiz",
        early=bool(chosen) and kind in sequential.KINDS,
        whole=sequential.lacks(store, ((*key, place.slot) for key, place in places.items()), kind),
    )
    if not chosen:
        st.info("Choose at least one model to see what asking costs.", icon=":material/smart_toy:")
        st.stop()

    slots.explain(places, sample)
    estimates = pd.DataFrame(
        preview.estimates(store, places, kind, wanted.terms, by_batch=wanted.by_batch)
    )
    estimates["partition"] = estimates["partition"].map(names.listed_partitions(listed))
    st.dataframe(
        estimates,
        hide_index=True,
        key="quiz_estimates",
        alt="What asking each model costs: calls, tokens and money.",
        column_order=[
            *(["partition"] if others else []),
            "model",
            *(["slot"] if kind in build.PLACED else []),
            *("calls", "cost", "tokens_in", "tokens_out"),
        ],
        column_config={
            "partition": "Partition",
            "model": st.column_config.TextColumn("Model", width=230),
            "slot": st.column_config.TextColumn("Original at", width=90),
            "calls": st.column_config.NumberColumn("Calls", width=65, format="localized"),
            "tokens_in": st.column_config.NumberColumn("Tokens in, about", format="localized"),
            "tokens_out": st.column_config.NumberColumn("Tokens out, at most", format="localized"),
            "cost": st.column_config.TextColumn("Cost, about", help=preview.price_words(chosen)),
        },
    )
    if len(estimates) > 1:
        notice.caption(preview.total(estimates))
    slow = int(estimates.loc[estimates["model"] == EMBEDDED, "tokens_in"].sum())
    if slow:
        notice.caption(embedded.time_words(slow))

    if kind in names.PROTOCOL_2 and whole_v2.offer(store, sample, chosen, wanted.terms):
        st.rerun()

    if wanted.reuse:
        st.caption("Stored answers are used first, so the run may make fewer calls and cost less.")
    unready = preview.unready(estimates)
    for sentence in unready:
        notice.warning(sentence, icon=":material/block:")

    count = len(estimates)
    lack = roles.lacks(roles.Role.RUNNER) or " ".join(unready) or None
    if st.button(
        f"Start {count} runs" if count > 1 else "Ask the model",
        type="secondary" if kind in names.PROTOCOL_2 else "primary",
        icon=":material/play_arrow:",
        key="quiz_start",
        disabled=bool(lack),
        help=lack and plain(lack),
    ):
        try:
            roles.require(roles.Role.RUNNER)
            begun = placing.begin(store, places, kind, wanted)
        except DcqError as error:
            notice.error(error)
        else:
            st.session_state[STARTED] = begun
            st.rerun()

    with st.expander(
        f"{shown.questions} questions from {shown.instances} instances: see the first"
    ):
        st.code(shown.first_prompt, language=None, wrap_lines=True)
    leakage.show(store, sample, shown.baselines)
