"""What the runs came to: κ of every model and partition, and every answer behind it."""

import pandas as pd
import streamlit as st

from dcq.exchange import export, published
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.records import Role
from dcq.runs import protocol2, results
from dcq.runs.ablation import distribution
from dcq.runs.judged import judge
from dcq.runs.summary import summarise
from dcq.store import results as answered
from dcq.ui import (
    answers,
    downloads,
    filters,
    kappa,
    links,
    option_bars,
    page,
    reference,
    run_facts,
    verdict,
)
from dcq.ui.names import full_name
from dcq.ui.text import plain

RUN = "results_run"

shelf = page.start("Results", "How often each model picks the original, and what explains it.")
paper = published.table1()

found = results.table(shelf)
if not found:
    st.info(
        "No model has answered yet. Put a quiz to one; the embedded model needs no key.",
        icon=":material/quiz:",
    )
    page.go("quiz", "Ask a model")
    st.subheader("Until then: what the paper found", anchor=False)
    reference.show_table1(paper)
    st.stop()

answer = st.container()  # the sentence; which run it is about, the filters below decide

st.subheader("κ of every model and partition", anchor=False)
if links.switched("results_every"):
    found = results.table(shelf, every_run=True)
shown = filters.choose(found, prefix="results")
if not shown:
    st.info(
        "The filters let no result through; take one of them back.", icon=":material/filter_alt:"
    )
    st.stop()

shown = kappa.arrange(shown)
scored = [result for result in shown if result.kind not in WITHOUT_ORIGINAL]
newest_first = sorted(
    shown,
    key=lambda r: (r.finished, r.kappa_fixed is not None, r.role != Role.CONTROL, r.at),
    reverse=True,
)
names = {result.run: full_name(result) for result in newest_first}
links.take(RUN, names)

judged = {found.result.run: found for found in judge(shelf, shown)}
rows = kappa.forest_rows(scored, {run: found.verdict for run, found in judged.items()})
if len(rows) and links.switched("results_paper"):
    settings = kappa.published_rows(paper)
    rows = pd.concat([rows, settings[settings["partition"].isin(rows["partition"])]])
figure = kappa.draw_forest(rows, run_key=RUN) if len(rows) else None
kappa.show_table(shown, run_key=RUN)
for estimate in protocol2.estimates(shelf):
    st.caption(plain(protocol2.tell(estimate)))
with st.container(horizontal=True, vertical_alignment="center"):
    st.caption("A click on a mark or a row opens that run below.", width="content")
    with st.popover("What is κ", icon=":material/help:", type="tertiary"):
        st.markdown(kappa.DEFINITION)
    with st.popover("Download", icon=":material/download:", type="tertiary"):
        downloads.offer_table(
            "Table", "dcq-results", lambda: export.tabulate(list(judged.values())), key=f"{RUN}s"
        )
        if figure is not None:
            downloads.offer_chart("dcq-kappa", figure, key="results_forest")

if st.toggle(
    "The paper's Table 1",
    key="results_paper",
    bind="query-params",
    help="The 28 settings published with the method; those of partitions above join them there.",
):
    reference.show_table1(paper)

st.subheader("One run, answer by answer", anchor=False)
run = st.selectbox("Run", list(names), format_func=names.__getitem__, key=RUN)
links.put(RUN, run)
result = next(result for result in shown if result.run == run)
beside = st.container(horizontal=True, gap="medium")  # one below the other on a small screen
with beside.container(width=540):
    figure = option_bars.draw([result], prefix="results")
with beside.container():
    run_facts.show(shelf, result)
    with st.popover("Download this run", icon=":material/download:", type="tertiary"):
        downloads.offer_table(
            "Answers",
            f"dcq-answers-{result.run}",
            lambda: answered.answers(shelf, result.run),
            key="results_answers",
        )
        downloads.offer_chart(f"dcq-options-{result.run}", figure, key="results_bars")
    with st.popover("The chart as a table", icon=":material/table:", type="tertiary"):
        st.dataframe(distribution([result]), hide_index=True, alt="Answers and their counts.")
answers.list_answers(shelf, result, prefix="results")

if result.kappa_fixed is not None:
    st.subheader("What else could explain it", anchor=False)
    verdict.show_evidence(shelf, judged[run])

summary = summarise(result, found)
with answer:
    st.markdown(f"#### {plain(summary.headline)}")
    if summary.context:
        st.markdown(plain(" ".join(summary.context)))
    verdict.show_ruling(judged[run])
