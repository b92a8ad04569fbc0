"""Is the slot chosen because the original is in it? Modified against standard quiz, paired."""

import streamlit as st

from dcq.judging import study
from dcq.quiz import ablation, results
from dcq.store.studies import EVERYTHING
from dcq.ui import downloads, glossary, method_results, page
from dcq.ui.judged_study import findings_of
from dcq.ui.results import ablation_view, answers, option_chart, reference

PREFIX = "ablation"

store = page.start(
    "Ablation", "Is a slot chosen for the original in it, or would it be chosen anyway?"
)
place_of = {
    finding.evidence.run: place
    for place, finding in enumerate(study.by_strength(findings_of(store, every_run=True)))
}
pairs = sorted(
    ablation.pair(results.table(store, every_run=True)),
    key=lambda pair: (not pair.complete, place_of.get(pair.main_run.run, len(place_of))),
)
if not pairs:
    st.info(
        "There is nothing to compare yet. Give one model the modified quiz, which has no original, "
        "and then the standard quiz of the same sample.",
        icon=":material/compare_arrows:",
    )
    method_results.offer(method_results.other_results(store, EVERYTHING))
    page.link("quiz", "Ask a model")
    st.subheader("Until then: what the paper found", anchor=False)
    reference.show_figure3()
    st.stop()

top = st.container()  # filled in once the pair is chosen below
pair = ablation_view.choose(pairs, prefix=PREFIX)
pair_results = [run for run in (pair.without, pair.having) if run is not None]
with top:
    if pair.complete:
        ablation_view.answer(pair, ablation.compare(store, pair))
    else:
        ablation_view.ask_for_the_other(pair)

figure = option_chart.draw(pair_results, prefix=PREFIX, kind_key="ablation_kind")
with st.container(horizontal=True, vertical_alignment="center"):
    st.caption("A click on a bar lists its instances.", width="content")
    with st.popover("How to read this", icon=":material/help:", type="tertiary"):
        st.markdown(
            "Faded bars: four variants and no original, so they show which slots the model prefers "
            "anyway. Solid bars: the original is in the marked slot. The shares and the difference "
            "above count the instances that have a reply in both; McNemar's exact test uses those "
            "where the choice of the slot changed."
        )
    glossary.offer(
        ("Without the original", "With the original", "Difference by the original", "McNemar's p")
    )
    with st.popover("Download", icon=":material/download:", type="tertiary"):
        downloads.offer_table(
            "Chart",
            "dcq-ablation",
            lambda: ablation.distribution(pair_results),
            key="ablation_table",
        )
        downloads.offer_chart("dcq-ablation", figure, key="ablation_chart", about=pair_results)

with st.expander("The chart as a table"):
    st.dataframe(
        ablation.distribution(pair_results),
        hide_index=True,
        alt="Quiz, answer and count of each bar.",
    )
if st.toggle("The paper's Figure 3", key="ablation_paper", bind="query-params"):
    reference.show_figure3()

st.subheader("The answers", anchor=False)
answers.list_answers(store, ablation_view.choose_run(pair, prefix=PREFIX), prefix=PREFIX)
