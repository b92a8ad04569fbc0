"""The findings of a study as slides: arrow keys go forward and back."""

import streamlit as st

from dcq.ui import page, present, studies

st.set_page_config(initial_sidebar_state="collapsed")
store = page.start_without_heading("Present")
present.show(present.slides_of(store, studies.chosen(store)))
