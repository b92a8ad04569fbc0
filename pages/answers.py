"""One run, answer by answer."""

import streamlit as st

from dcq.judging import study
from dcq.quiz.ablation import distribution
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.results import quiz_row
from dcq.store import results as answered
from dcq.ui import downloads, links, page, studies
from dcq.ui.judged_study import findings_of
from dcq.ui.result_names import run_names
from dcq.ui.results import answers, option_chart, run_details

RUN = "answers_run"

store = page.start("Answers", "What was asked, what came back, and how it was read.")
within = studies.choose(store)
# The finding first: it is what people come to look at.
ranked = study.by_strength(findings_of(store, within, every_run=True))
results = [quiz_row(finding.evidence) for finding in ranked]
if not results:
    studies.say_empty(store, within)
    st.stop()

by_run = {finding.evidence.run: finding for finding in ranked}
names = run_names(results)
links.recall(RUN)
with st.container(horizontal=True, vertical_alignment="bottom"):
    run = links.choose("Run", names, key=RUN, what="run")
    page.link("explorer", "Models side by side", icon=":material/grid_on:")
links.remember(RUN)
finding = by_run[run]
result = quiz_row(finding.evidence)

columns = st.container(horizontal=True, gap="medium")  # one below the other on a small screen
with columns.container(width=540):
    figure = option_chart.draw([result], prefix="answers")
with columns.container():
    run_details.show_run_facts(store, finding)
    with st.container(horizontal=True):
        with st.popover("Download this run", icon=":material/download:", type="tertiary"):
            downloads.offer_table(
                "Answers",
                f"dcq-answers-{result.run}",
                lambda: answered.answers(store, result.run),
                key="answers_answers",
            )
            downloads.offer_chart(
                f"dcq-options-{result.run}", figure, key="answers_bars", about=[result]
            )
        with st.popover("The chart as a table", icon=":material/table:", type="tertiary"):
            st.dataframe(distribution([result]), hide_index=True, alt="The number of each answer.")
        if result.kind not in WITHOUT_ORIGINAL:
            stands = run in {finding.evidence.run for finding in findings_of(store, within)}
            older = {} if stands else {"results_every": "true"}
            page.link(
                "results", "Its verdict", icon=":material/bar_chart:", results_run=run, **older
            )

answers.list_answers(store, result, prefix="answers")
run_details.show_consistency(store, result)
run_details.show_breakdown(store, result, results)
