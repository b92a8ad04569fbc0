"""Freeze a quiz and give it to models."""

import pandas as pd
import streamlit as st

from dcq.errors import DcqError
from dcq.models import embedded
from dcq.models.presets import EMBEDDED
from dcq.quiz import build, freeze, placing, preview, sequential
from dcq.records import QuizKind
from dcq.store import samples
from dcq.ui import (
    leakage,
    model_picker,
    notice,
    page,
    result_names,
    run_limits,
    run_panel,
    sample_picker,
    start_button,
)
from dcq.ui.quiz import quiz_form, runs

WHAT_FOR = {
    QuizKind.MODIFIED: "Four variants, the original absent: shows which letter the model "
    "chooses least. Start with this one.",
    QuizKind.STANDARD: "The original and three variants: the paper's quiz, with the original in "
    "the slot that the model chooses least.",
    QuizKind.ROTATED: "The original once in each of the four slots, four calls per instance: a "
    "preference for a letter cancels out.",
    QuizKind.BDQ: "The bias detector: four variants and a fifth option, none of these, "
    "show which letters the model does not prefer. The first half of protocol v2.",
    QuizKind.BCQ: "The bias compensator: like the BDQ, with the original in a slot that the "
    "model does not prefer. One quiz per such slot gives the minimum and maximum of protocol v2.",
}

store = page.start(
    "Quiz",
    "Make the questions, which then never change, see what asking costs, and watch the answers.",
)

if page.arrived():
    run_panel.forget("quiz")

with run_panel.show(store, runs.panel()):
    listed_samples = samples.listing(store)
    if not listed_samples:
        st.info("There is no sample to make questions from yet.", icon=":material/dataset:")
        page.link("dataset", "Choose a dataset")
        st.stop()

    sample = sample_picker.sample(listed_samples, key="quiz_sample")
    choices = st.container(horizontal=True, gap="medium")
    with choices:
        kind = quiz_form.choose_kind(list(WHAT_FOR), freeze.propose_kind(store, sample))
    notice.caption(WHAT_FOR[kind])

    with choices:
        letter = quiz_form.choose_slots(kind, key=f"quiz_slot_{sample}")

    try:
        at, bdq = quiz_form.of_preview(store, sample, kind, letter)
        quiz_preview = leakage.preview_of(store, sample, kind, at, bdq)
    except DcqError as error:
        notice.warning(error, icon=":material/edit_note:")
        page.link("variants", "Write the variants")
        st.stop()

    leakage.explain(sample, quiz_preview)
    leakage.warn(quiz_preview.baselines)

    chosen = model_picker.choose(store, key="quiz_models")
    others = sample_picker.choose_others(listed_samples, sample, key="quiz_others")
    places = placing.place_originals(store, sample, others, kind, chosen, letter=letter)
    run_options = run_limits.choose(
        chosen,
        page="quiz",
        early=bool(chosen) and kind in sequential.KINDS,
        why_no_looks=sequential.why_not(
            store, ((*key, place.slot) for key, place in places.items()), kind
        ),
    )
    if not start_button.has_models(chosen):
        st.stop()

    quiz_form.explain(places, sample)
    estimates = pd.DataFrame(
        preview.estimates(store, places, kind, run_options.terms, by_batch=run_options.by_batch)
    )
    estimates["partition"] = estimates["partition"].map(
        result_names.listed_partitions(listed_samples)
    )
    start_button.show_price(
        estimates,
        {
            **({"partition": "Partition"} if others else {}),
            "model": st.column_config.TextColumn("Model", width=230),
            **(
                {"slot": st.column_config.TextColumn("Original at", width=90)}
                if kind in build.PLACED
                else {}
            ),
        },
        key="quiz_estimates",
        alt="What asking each model costs: calls, tokens and money.",
        models=chosen,
    )
    if len(estimates) > 1:
        notice.caption(preview.total(estimates))
    slow = int(estimates.loc[estimates["model"] == EMBEDDED, "tokens_in"].sum())
    if slow:
        notice.caption(embedded.time_words(slow))

    if kind in result_names.PROTOCOL_2:
        runs.offer(store, sample, chosen, run_options.terms)

    count = len(estimates)
    reused = "Stored answers are used first, so the run may make fewer calls and cost less."
    start_button.offer(
        start_button.Start(
            panel="quiz",
            key="quiz_start",
            label=f"Ask in {count} runs" if count > 1 else "Ask the model",
            begin=lambda: placing.begin(store, places, kind, run_options),
            remarks=[reused] if run_options.reuse else [],
            obstacles=preview.unready(estimates),
            kind="secondary" if kind in result_names.PROTOCOL_2 else "primary",
        )
    )

    with st.expander(
        f"{quiz_preview.questions} questions from {quiz_preview.instances} instances: see the first"
    ):
        st.code(quiz_preview.first_prompt, language=None, wrap_lines=True)
    leakage.show(store, sample, quiz_preview.baselines)
