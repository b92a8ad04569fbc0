"""What the runs found: the verdict on one of them, all others beside it, and comparisons."""

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.audit import published
from dcq.documents import chart_rows
from dcq.judging import comparisons, every_method, study
from dcq.judging.answer import conclusions_by_run
from dcq.judging.judged import JudgedResult
from dcq.quiz import protocol2
from dcq.quiz.results import quiz_row
from dcq.ui import (
    answer_view,
    downloads,
    glossary,
    links,
    method_results,
    notice,
    other_methods,
    others,
    page,
    range_view,
    repairs,
    studies,
)
from dcq.ui.judged_study import answers_of, changed_of, comparisons_of, findings_of
from dcq.ui.result_names import run_names
from dcq.ui.results import comparing, filters, kappa, reference, verdict

RUN, VIEW = "results_run", "results_view"
CHART, TABLE, ANSWERS = "Chart", "Table", "Answers"

store = page.start("Results", "Whether a model has seen a partition, and the evidence for it.")
paper = published.table1()

within = studies.choose(store)
repairs.watch(store)
findings = findings_of(store, within)
answers = answers_of(store, within)
concluded = conclusions_by_run(answers)
if not findings:
    studies.say_empty(store, within)
    for linked_answer in [answer_view.linked(answers, RUN, ()) or next(iter(answers), None)]:
        if linked_answer is not None:
            answer_view.show(store, linked_answer, key="results_answer", within=within)
    if len(answers) > 1:
        page.link("overview", "All models and benchmarks", icon=":material/grid_on:")
    other_methods.show(store, within, changed_of(store, within))
    others.show(store, key="results_others")
    st.subheader("Until then: what the paper found", anchor=False)
    reference.show_table1(paper)
    st.stop()

answer = st.container()  # the verdict on the run that is chosen below

with st.container(horizontal=True, vertical_alignment="center"):
    st.subheader("All results", anchor=False, width="stretch")
    studies.offer_new(store, within)
    page.link("overview", "Matrix", icon=":material/grid_on:")
    views = [CHART, TABLE, ANSWERS]
    view = links.choose_segment("View", views, key=VIEW, label_visibility="collapsed")
if not links.names_one_of(RUN, [finding.evidence.run for finding in findings]):
    st.session_state["results_every"] = True
offered = (
    findings_of(store, within, every_run=True) if links.switched("results_every") else findings
)
by_run = {finding.evidence.run: finding for finding in offered}
chosen = filters.choose([quiz_row(finding.evidence) for finding in offered], prefix="results")
if not chosen:
    st.info("No result matches the filters; remove one of them.", icon=":material/filter_alt:")
    st.stop()

# Verdicts come from the study; the filters only decide which are shown.
shown_findings = chart_rows.arrange([by_run[result.run] for result in chosen])
first = study.strongest(shown_findings)
names = run_names([quiz_row(finding.evidence) for finding in shown_findings])
if first is not None:
    names = {first.evidence.run: names[first.evidence.run]} | names
linked = answer_view.linked(answers, RUN, list(names))
links.take(RUN, names, "result")

charted = study.with_originals(shown_findings)
rows = chart_rows.forest_rows(charted, concluded)
if len(rows) and links.switched("results_paper"):
    settings = kappa.published_rows(paper)
    rows = pd.concat([rows, settings[settings["partition"].isin(rows["partition"])]])
figure = charts.kappa_forest(rows) if len(rows) else None
if view == TABLE:
    kappa.show_table(shown_findings, concluded, run_key=RUN)
elif view == ANSWERS:
    answer_view.show_all(answers, key="results_answers", run_key=RUN, runs=list(names))
elif figure is not None:
    published_too = kappa.published_rows(paper) if links.switched("results_paper") else None
    kappa.show_rulers(charted, concluded, published_too, run_key=RUN)
else:
    st.info("These quizzes have no original to find, so there is no chart of them.")


def shown_others() -> list[JudgedResult]:
    """The results of other methods: all, or those on the pairs whose quizzes the filters leave."""
    results = every_method.of_other_methods(store, within)
    pairs = {(result.model, result.partition) for result in chosen}
    return [
        result
        for result in results
        if len(chosen) == len(offered)
        or (result.evidence.model, result.evidence.partition) in pairs
    ]


ranges = study.ranges(store, within)
range_view.show(store, ranges, prefix="results_v2")
with st.container(horizontal=True, vertical_alignment="center"):
    glossary.offer(dict.fromkeys((*answer_view.TERMS, *kappa.TERMS)))
    with st.popover("Download", icon=":material/download:", type="tertiary"):
        downloads.offer_table(
            "Table",
            "dcq-results",
            lambda: every_method.tabulate(shown_findings, protocol2.by_run(ranges), shown_others()),
            key=f"{RUN}s",
        )
        downloads.offer_bundle(store, within, key="results_bundle")
        if figure is not None:
            downloads.offer_chart(
                "dcq-kappa",
                figure,
                key="results_forest",
                about=[quiz_row(finding.evidence) for finding in charted],
            )
        downloads.offer_report(store, within, key="results_report")
    st.toggle(
        "The paper's Table 1",
        key="results_paper",
        bind="query-params",
        help="The 28 settings published with the method. Those on partitions shown above are added "
        "to the chart.",
    )
if links.switched("results_paper"):
    reference.show_table1(paper)

all_changed = changed_of(store, within)
other_methods.show(store, within, all_changed)
others.show(store, key="results_others")
st.subheader("Comparing models and splits", anchor=False)
comparing.show(comparisons.among(comparisons_of(store, within), list(names)))

with answer:
    place = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        run = st.selectbox(
            "Run",
            list(names),
            format_func=names.__getitem__,
            key=RUN,
            on_change=notice.told(answer_view.unlink),
        )
        page.link("answers", "Its answers", icon=":material/list:", answers_run=run)
        run_evidence = by_run[run].evidence
        method_results.offer_its(
            every_method.of_other_methods(
                store, within, model=run_evidence.model, partition=run_evidence.partition
            )
        )
    links.put(RUN, run)
    finding = by_run[run]
    with place:
        run_answer = next(
            (candidate for candidate in answers if answer_view.is_about(candidate, run_evidence)),
            None,
        )
        own_answer = linked or run_answer
        if own_answer is not None:
            answer_view.show(store, own_answer, key="results_answer", within=within)
            st.subheader("The chosen run", anchor=False)
        change_note = all_changed.get(run, "")
        verdict.show(
            store,
            finding,
            concluded,
            change_note,
            part_of_answer=run_answer is not None,
            above=own_answer,
        )
    if study.with_originals([finding]) and finding.evidence.usable:
        with st.expander("What else could explain it"):
            verdict.show_evidence(store, finding)
