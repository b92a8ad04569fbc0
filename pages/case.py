"""One model and one benchmark: what is concluded, and all that it rests on."""

import streamlit as st

from dcq.ui import answer_view, case, links, notice, page, studies
from dcq.ui.judged_study import answers_of
from dcq.ui.text import plain
from dcq.words import model_titles

store = page.start_without_heading("Case")

within = studies.choose(store)
answers = answers_of(store, within)
page.link("overview", "All models and benchmarks", icon=":material/arrow_back:")
if not answers:
    st.title("No conclusion yet", anchor=False)
    notice.info(
        "No model has been asked in this study. Choose another study, or ask a model.",
        icon=":material/quiz:",
    )
    page.link("investigate", "Ask a model")
    st.stop()
by_id = {answer.id: answer for answer in answers}
before = st.session_state.get(answer_view.CASE)
named = st.query_params.get(answer_view.CASE, before if before in by_id else answers[0].id)
if named not in by_id:
    st.title("No such case", anchor=False)
    notice.info(
        "This study has no model and benchmark of this address. Choose another study, or a cell of "
        "the matrix.",
        icon=":material/link_off:",
    )
    st.stop()
answer = by_id[named]
st.session_state[answer_view.CASE] = named
links.put(answer_view.CASE, named)
name = model_titles(answer.model for answer in answers)[answer.model]
st.title(plain(f"{name} × {answer.place}"), anchor=False)
case.show(store, answer, within)
