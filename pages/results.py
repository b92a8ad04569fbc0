"""What the runs found: the verdict on one of them, κ of all, and every answer behind it."""

import pandas as pd
import streamlit as st

from dcq.audit import published
from dcq.quiz import protocol2
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.report import comparisons, export, study
from dcq.report.ablation import distribution
from dcq.store import results as answered
from dcq.store.studies import EVERYTHING
from dcq.ui import downloads, links, page, studies
from dcq.ui.names import full_name
from dcq.ui.results import (
    answers,
    breakdown,
    comparing,
    consistency,
    filters,
    kappa,
    option_bars,
    range_view,
    reference,
    run_facts,
    verdict,
)
from dcq.ui.results.study import comparisons_of, findings_of

RUN = "results_run"

store = page.start("Results", "Whether a model has seen a partition, and the evidence for it.")
paper = published.table1()

within = studies.choose(store)
every = findings_of(store, within)
if not every:
    st.info(
        "No model has answered yet. Give a quiz to one; the embedded model needs no key."
        if within is EVERYTHING
        else "No model has answered a quiz of this study yet.",
        icon=":material/quiz:",
    )
    page.go("quiz", "Ask a model")
    st.subheader("Until then: what the paper found", anchor=False)
    reference.show_table1(paper)
    st.stop()

answer = st.container()  # the verdict on the run that the filters below select

st.subheader("κ of every model and partition", anchor=False)
offered = findings_of(store, within, every_run=True) if links.switched("results_every") else every
by_run = {finding.result.run: finding for finding in offered}
chosen = filters.choose([finding.result for finding in offered], prefix="results")
if not chosen:
    st.info("No result matches the filters; remove one of them.", icon=":material/filter_alt:")
    st.stop()

# Verdicts come from the whole store; the filters only decide which are shown.
shown = kappa.arrange([by_run[result.run] for result in chosen])
first = study.strongest(shown)
names = {finding.result.run: full_name(finding.result) for finding in shown}
if first is not None:
    names = {first.result.run: names[first.result.run]} | names
links.take(RUN, names)

charted = [finding for finding in shown if finding.result.kind not in WITHOUT_ORIGINAL]
rows = kappa.forest_rows(charted)
if len(rows) and links.switched("results_paper"):
    settings = kappa.published_rows(paper)
    rows = pd.concat([rows, settings[settings["partition"].isin(rows["partition"])]])
figure = kappa.draw_forest(rows, run_key=RUN) if len(rows) else None
kappa.show_table(shown, run_key=RUN)
ranges = protocol2.estimates(store)
range_view.show(store, ranges, prefix="results_v2")
with st.container(horizontal=True, vertical_alignment="center"):
    st.caption("A click on a mark or a row opens that run.", width="content")
    with st.popover("What is κ", icon=":material/help:", type="tertiary"):
        st.markdown(kappa.DEFINITION)
    with st.popover("Download", icon=":material/download:", type="tertiary"):
        downloads.offer_table(
            "Table",
            "dcq-results",
            lambda: export.tabulate(shown, protocol2.by_run(ranges)),
            key=f"{RUN}s",
        )
        if figure is not None:
            downloads.offer_chart(
                "dcq-kappa",
                figure,
                key="results_forest",
                about=[finding.result for finding in charted],
            )

if st.toggle(
    "The paper's Table 1",
    key="results_paper",
    bind="query-params",
    help="The 28 settings published with the method. Those on partitions shown above are added to "
    "the chart.",
):
    reference.show_table1(paper)

st.subheader("Comparing models and splits", anchor=False)
comparing.show(comparisons.among(comparisons_of(store, within), list(names)))

st.subheader("One run, answer by answer", anchor=False)
run = st.selectbox("Run", list(names), format_func=names.__getitem__, key=RUN)
links.put(RUN, run)
finding = by_run[run]
result = finding.result
beside = st.container(horizontal=True, gap="medium")  # one below the other on a small screen
with beside.container(width=540):
    figure = option_bars.draw([result], prefix="results")
with beside.container():
    run_facts.show(store, result)
    with st.popover("Download this run", icon=":material/download:", type="tertiary"):
        downloads.offer_table(
            "Answers",
            f"dcq-answers-{result.run}",
            lambda: answered.answers(store, result.run),
            key="results_answers",
        )
        downloads.offer_chart(
            f"dcq-options-{result.run}", figure, key="results_bars", about=[result]
        )
    with st.popover("The chart as a table", icon=":material/table:", type="tertiary"):
        st.dataframe(distribution([result]), hide_index=True, alt="The number of each answer.")
if result.kind not in WITHOUT_ORIGINAL and result.n:
    st.markdown("##### What else could explain it")
    verdict.show_evidence(store, finding)

consistency.show(store, result)
breakdown.show(store, result, [other.result for other in every])

st.markdown("##### Answers")
answers.list_answers(store, result, prefix="results")

with answer:
    verdict.show(store, finding, [other.result for other in every])
