"""The main result so far, and what to do next."""

import streamlit as st

from dcq.documents import chart_rows
from dcq.investigation import walk
from dcq.judging import study
from dcq.judging.answer import conclusions_by_run
from dcq.models import embedded
from dcq.records import PartitionRole
from dcq.store import quizzes, samples
from dcq.ui import (
    answer_view,
    example,
    first_visit,
    glossary,
    method_results,
    notice,
    other_methods,
    page,
    rulers,
    studies,
)
from dcq.ui import others as sent
from dcq.ui.judged_study import answers_of, findings_of, show_last
from dcq.ui.quiz.runs import any_live
from dcq.ui.results import verdict

store = page.start(
    "Has the model seen the benchmark?",
    "Show a model four near-identical wordings of a benchmark instance and ask which one is the "
    "original. A model that picks it more often than on texts that it cannot have seen has "
    "probably seen it.",
)

within = studies.choose(store)
last_conclusion = show_last(store, within)
findings = findings_of(store, within)
other_results = method_results.other_results(store, within)
scored = study.with_originals(findings)
listed_samples = samples.listing(store)

answers = answers_of(store, within)
last_conclusion.empty()
concluded = conclusions_by_run(answers)
if answers:
    answer_view.show_short(answers[0])
    answer_view.show_methods(answers[0])
first = study.strongest(
    [
        finding
        for finding in scored
        if not answers or answer_view.is_about(answers[0], finding.evidence)
    ]
)
if first is not None:
    if answers:
        st.subheader("What the quiz found", anchor=False)
    verdict.show_short(first, concluded, part_of_answer=bool(answers))
    others = [
        finding for finding in study.beside(first, study.by_strength(scored)) if finding.verdict
    ]
    if len(others) > 1:
        st.markdown("**Every model on this partition**")
        rulers.show(chart_rows.ruler_rows(others, concluded), key="overview_rulers")
elif other_results.results:
    of_answer = [entry.judged for entry in answers[0].methods if entry.judged] if answers else []
    shown_result = [*of_answer, *other_results.results][0]
    other_methods.show_result(shown_result, concluded, part_of_answer=bool(answers))
elif not listed_samples:
    notice.info(
        "Nothing has been asked yet. See first what a finding looks like; then choose a dataset "
        "and ask. "
        + (
            "The bundled control texts need no key and no network."
            if embedded.missing()
            else "The bundled control texts and the embedded model need no key and no network."
        ),
        icon=":material/waving_hand:",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        example.offer()
        page.link("dataset", "Choose a dataset")
    first_visit.draw_walk()
    first_visit.offer_item()
elif findings:
    st.info(
        "A quiz without originals has been asked; it shows which letters the model prefers. Next, "
        "ask one with the original.",
        icon=":material/quiz:",
    )
    page.link("quiz", "Ask a model")
elif any(sample.role is not PartitionRole.CONTROL for sample in listed_samples):
    st.info(
        "There is a sample, but no model has been asked yet. Ask about it and its controls in one "
        "go.",
        icon=":material/troubleshoot:",
    )
    page.link_button("investigate", "Investigate", key="overview_investigate")
else:
    st.info("There is a control, but no model has been asked yet.", icon=":material/quiz:")
    page.link("quiz", "Ask a model")
if len(answers) > 1:
    st.subheader(f"All {len(answers)} answers", anchor=False)
    answer_view.show_all(answers, key="overview_answers")
if answers:
    glossary.offer(answer_view.TERMS)
method_results.offer(other_results)
sent.show(store, key="overview_others")
if walk.EXCLUSIVE.any_under_way(store):
    page.link(
        "investigate", "An investigation is in progress: watch it", icon=":material/play_arrow:"
    )
elif any_live(store):
    page.link("quiz", "A run is in progress: watch it", icon=":material/play_arrow:")

if listed_samples or findings or other_results.results:
    of_study = {
        sample.id: sample.with_variants == sample.n
        for sample in listed_samples
        if within.takes(sample.partition, is_control=sample.role is PartitionRole.CONTROL)
    }
    first_visit.show_counts(
        within.name,
        samples=len(of_study),
        ready=sum(of_study.values()),
        quizzes=int(quizzes.listing(store)["sample"].isin(list(of_study)).sum()),
        results=len(findings) + len(other_results.results),
    )

with st.expander("How the method works, and what it does not show"):
    st.markdown(
        """
- **The quiz.** Three rewordings of an instance change words only: same sentence, same meaning. Only
  the wording distinguishes the original from them.
- **κ** is the score above guessing: 0 is what guessing gives, 1 is always the original.
- **Position.** Models prefer some letters, so the original is put in the slot that the model
  chooses least often, or in each slot in turn.
- **What it does not show by itself.** A score above chance may only mean that the original reads
  more naturally than its rewordings. Ask the same model about the bundled control texts, which no
  model has seen, before you believe a number.
"""
    )
