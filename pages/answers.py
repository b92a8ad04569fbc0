"""One run answer by answer, or several models side by side on the same questions."""

import streamlit as st

from dcq.quiz.ablation import distribution
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.store import results as answered
from dcq.ui import downloads, links, page, studies
from dcq.ui.judged_study import findings_of
from dcq.ui.result_names import full_name
from dcq.ui.results import answers, option_bars, run_details, side_by_side

RUN, VIEW = "answers_run", "answers_view"
ONE, SEVERAL = "One run", "Models side by side"

store = page.start("Answers", "What was asked, what came back, and how it was read.")
within = studies.choose(store)
found = {one.result.run: one for one in findings_of(store, within, every_run=True)}
every = [finding.result for finding in found.values()]
if not every:
    studies.say_empty(store, within)
    st.stop()

by_run = {result.run: result for result in every}
names = {result.run: full_name(result) for result in every}
links.recall(RUN, VIEW)
links.take(RUN, names)
with st.container(horizontal=True, vertical_alignment="bottom"):
    run = st.selectbox("Run", list(names), format_func=names.__getitem__, key=RUN)
    view = st.segmented_control(
        "View",
        [ONE, SEVERAL],
        default=ONE,
        required=True,
        key=VIEW,
        bind="query-params",
        label_visibility="collapsed",
    )
links.put(RUN, run)
links.remember(RUN, VIEW)
result = by_run[run]
if view == SEVERAL:
    side_by_side.show(store, every, result)
    st.stop()

beside = st.container(horizontal=True, gap="medium")  # one below the other on a small screen
with beside.container(width=540):
    figure = option_bars.draw([result], prefix="answers")
with beside.container():
    run_details.show_run_facts(store, found[run])
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
            stands = run in {finding.result.run for finding in findings_of(store, within)}
            older = {} if stands else {"results_every": "true"}
            page.go("results", "Its verdict", icon=":material/bar_chart:", results_run=run, **older)

answers.list_answers(store, result, prefix="answers")
run_details.show_consistency(store, result)
run_details.show_breakdown(store, result, every)
