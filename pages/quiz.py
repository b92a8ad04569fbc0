"""Freeze a quiz and put it to models."""

import pandas as pd
import streamlit as st

from dcq.errors import DcqError
from dcq.quiz import build
from dcq.quiz.build import slot_letter
from dcq.records import LETTERS, Kind
from dcq.runs import freeze, launch, preview
from dcq.store import samples
from dcq.ui import leakage, models, page, pick, questions, roles, runs, terms
from dcq.ui.text import plain

WHAT_FOR = {
    Kind.MODIFIED: "Four variants, the original absent: shows which letter the model likes least. "
    "Take it first.",
    Kind.STANDARD: "The original and three variants: the paper's quiz, with the original in the "
    "slot that the model likes least.",
    Kind.ROTATED: "The original once in each of the four slots, four calls an instance: a liking "
    "for a letter cancels out.",
    Kind.BDQ: "Four variants and a fifth option, none of these: shows which letters the model does "
    "not prefer. The first half of protocol v2.",
    Kind.BCQ: "As the bdq, with the original in a slot that the model does not prefer: one quiz "
    "for each such slot gives the minimum and maximum of protocol v2.",
}

FIVE = (Kind.BDQ, Kind.BCQ)

shelf = page.start("Quiz", "Freeze the questions, see what asking costs, and watch the answers.")

# Runs that are going on come first; finished ones step behind the next question. What was started
# on this visit shows below its button, where the eyes are.
live, body, past = st.container(), st.container(), st.container()
if "quiz_models" not in st.session_state:  # a widget's state ends with the visit
    st.session_state["quiz_started"] = False
with live if runs.any_live(shelf) and not st.session_state["quiz_started"] else past:
    runs.watch(shelf)

with body:
    listed = samples.listing(shelf)
    if listed.empty:
        st.info("There is no sample to make questions from yet.", icon=":material/dataset:")
        page.go("dataset", "Choose a dataset")
        st.stop()

    st.subheader("Questions", anchor=False)
    sample = pick.sample(listed, key="quiz_sample")
    kind = st.segmented_control(
        "Kind",
        list(WHAT_FOR),
        default=Kind.STANDARD,
        required=True,
        format_func=lambda k: str(k).upper() if k in FIVE else str(k).capitalize(),
        key="quiz_kind",
        bind="query-params",
    )
    st.caption(WHAT_FOR[kind])

    slot = None
    if kind in build.PLACED:
        try:
            ask_where = freeze.propose if kind is Kind.STANDARD else freeze.propose_shunned
            proposed, why = ask_where(shelf, sample)
        except DcqError:
            proposed, why = build.DEFAULT_SLOT, "Take the BDQ first: it tells which slots to use."
        slot = st.segmented_control(
            "Slot of the original",
            list(LETTERS[:4]),
            default=slot_letter(proposed),
            required=True,
            key=f"quiz_slot_{sample}_{proposed}",
        )
        st.caption(why)

    try:
        shown = questions.preview_of(shelf, sample, kind, slot)
    except DcqError as error:
        st.warning(str(error), icon=":material/edit_note:")
        page.go("variants", "Write the variants")
        st.stop()

    with st.expander(
        f"{shown.questions} questions from {shown.instances} instances: see the first"
    ):
        st.code(shown.first_prompt, language=None, wrap_lines=True)
    for sentence in shown.notes:
        st.caption(sentence)
    leakage.show(shelf, sample, shown.baselines)

    st.subheader("Models", anchor=False)
    chosen = models.choose(shelf, key="quiz_models")
    others = pick.others(listed, sample, key="quiz_others")
    wanted = terms.choose(chosen)
    if not chosen:
        st.info("Choose one model or more to see what asking takes.", icon=":material/smart_toy:")
        st.stop()

    asked = [sample, *others]
    estimates = pd.DataFrame(
        preview.estimates(shelf, asked, kind, chosen, wanted.terms, by_batch=wanted.by_batch)
    )
    st.dataframe(
        estimates,
        hide_index=True,
        key="quiz_estimates",
        alt="What asking each model takes: calls, tokens and cost.",
        column_order=[
            *(["partition"] if others else []),
            *("model", "calls", "cost", "tokens_in", "tokens_out"),
        ],
        column_config={
            "partition": "Partition",
            "model": st.column_config.TextColumn("Model", width=230),
            "calls": st.column_config.NumberColumn("Calls", width=65, format="localized"),
            "tokens_in": st.column_config.NumberColumn("Tokens in, about", format="localized"),
            "tokens_out": st.column_config.NumberColumn("Tokens out, at most", format="localized"),
            "cost": st.column_config.TextColumn(
                "Cost, about", help="List prices with their date stand in data/prices.toml."
            ),
        },
    )
    if len(estimates) > 1:
        st.caption(preview.total(estimates))

    if wanted.reuse:
        st.caption("Stored answers are taken first, so fewer calls may be made, and less spent.")
    unready = preview.unready(estimates)
    for sentence in unready:
        st.warning(plain(sentence), icon=":material/block:")

    count = len(estimates)
    lack = roles.lacks(roles.Role.RUNNER) or " ".join(unready) or None
    if st.button(
        f"Start {count} runs" if count > 1 else "Ask the model",
        type="primary",
        icon=":material/play_arrow:",
        key="quiz_start",
        disabled=bool(lack),
        help=lack and plain(lack),
    ):
        try:
            roles.require(roles.Role.RUNNER)
            frozen = [
                freeze.freeze(shelf, one, kind, slot=slot if one == sample else None).quiz
                for one in asked
            ]
            launch.begin(
                shelf,
                frozen,
                chosen,
                wanted.terms,
                reuse=wanted.reuse,
                by_batch=wanted.by_batch,
            )
        except DcqError as error:
            st.error(str(error), icon=":material/error:")
        else:
            st.session_state["quiz_started"] = True
            st.rerun()
