"""What the runs came to: κ of every model and partition, and every answer behind it."""

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.exchange import export, published
from dcq.records import Kind
from dcq.runs import results
from dcq.runs.ablation import distribution
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
    rows = kappa.published_rows(paper)
    st.plotly_chart(
        charts.kappa_forest(rows),
        key="results_paper_forest",
        alt=charts.describe_kappa_forest(rows),
    )
    reference.explain_table1(paper)
    st.stop()

answer = st.container()  # the sentence; which run it is about, the filters below decide

st.subheader("κ of every model and partition", anchor=False)
if st.session_state.get("results_every", st.query_params.get("results_every") == "true"):
    found = results.table(shelf, every_run=True)
shown = filters.choose(found, prefix="results")
if not shown:
    st.info(
        "The filters let no result through; take one of them back.", icon=":material/filter_alt:"
    )
    st.stop()

names = {result.run: full_name(result) for result in shown}
scored = [result for result in shown if result.kind is not Kind.MODIFIED]
newest = max(scored or shown, key=lambda result: result.at)
links.take(RUN, names)
if RUN not in st.session_state:
    st.session_state[RUN] = newest.run

rows = kappa.forest_rows(scored)
if st.session_state["results_paper"]:
    rows = pd.concat([rows, kappa.published_rows(paper)])
figure = kappa.draw_forest(rows, run_key=RUN) if len(rows) else None
if st.session_state["results_paper"]:
    reference.explain_table1(paper)
kappa.show_table(shown, run_key=RUN)
with st.container(horizontal=True, vertical_alignment="center"):
    st.caption("A click on a mark or a row opens that run below.", width="content")
    with st.popover("What is κ", icon=":material/help:", type="tertiary"):
        st.markdown(kappa.DEFINITION)
    with st.popover("Download", icon=":material/download:", type="tertiary"):
        downloads.offer_table("Table", "dcq-results", lambda: export.tabulate(shown), key=f"{RUN}s")
        if figure is not None:
            downloads.offer_chart("dcq-kappa", figure, key="results_forest")

st.subheader("One run, answer by answer", anchor=False)
run = st.selectbox("Run", list(names), format_func=names.__getitem__, key=RUN)
links.put(RUN, run)
result = next(result for result in shown if result.run == run)
bars, facts = st.columns([5, 3], gap="large")
with bars:
    figure = option_bars.draw([result], prefix="results")
with facts:
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

summary = summarise(result, results.table(shelf, model=result.model, every_run=True))
with answer:
    st.markdown(f"#### {plain(summary.headline)}")
    if summary.context:
        st.markdown(plain(" ".join(summary.context)))
