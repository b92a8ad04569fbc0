"""All models and benchmarks of a study, the case of the only pair, or how to begin."""

import streamlit as st

from dcq.investigation import walk
from dcq.judging import study
from dcq.models import embedded
from dcq.records import PartitionRole
from dcq.store import quizzes, samples
from dcq.ui import (
    case,
    example,
    first_visit,
    method_results,
    notice,
    other_methods,
    page,
    studies,
)
from dcq.ui import others as sent
from dcq.ui.judged_study import answers_of, findings_of, show_last
from dcq.ui.overview import view
from dcq.ui.quiz.runs import any_live
from dcq.ui.results import verdict

store = page.start("Has the model seen the benchmark?", None)

within = studies.choose(store, st.container())
last_conclusion = show_last(store, within)
findings = findings_of(store, within)
other_results = method_results.other_results(store, within)
answers = answers_of(store, within)
last_conclusion.empty()
listed_samples = samples.listing(store)

if not answers:
    st.markdown(
        "Show a model four near-identical wordings of a benchmark instance and ask which one is "
        "the original. A model that picks it more often than on texts that it cannot have seen has "
        "probably seen it."
    )
first = study.strongest(study.with_originals(findings))
if len(answers) > 1:
    view.show(store, answers, within)
elif answers:
    case.show(store, answers[0], within)
elif first is not None:
    verdict.show_short(first, {})
elif other_results.results:
    other_methods.show_result(other_results.results[0], {})
elif not listed_samples:
    notice.info(
        "Nothing has been asked yet. See first what a finding looks like; then start a check of "
        "your own. "
        + (
            "The bundled control texts need no key and no network."
            if embedded.missing()
            else "The bundled control texts and the embedded model need no key and no network."
        ),
        icon=":material/waving_hand:",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        example.offer()
        page.link_button(
            "new_check", "New check", key="overview_new_check", icon=":material/add_circle:"
        )
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
