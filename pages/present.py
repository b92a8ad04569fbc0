"""The findings of a study as slides: arrow keys go forward and back."""

import streamlit as st

from dcq.ui import links, page, present, studies

AT = "present_at"

st.set_page_config(initial_sidebar_state="collapsed")
store = page.start_bare("Present")
within = studies.choose(store)
shown = present.slides_of(store, within)
links.recall(AT)
at = present.place(AT, len(shown))
present.show(shown[at - 1])
present.controls(AT, at, len(shown))
links.remember(AT)
