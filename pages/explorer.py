"""All instances of a partition under all models: who picked what, and what changed sides."""

import streamlit as st

from dcq.judging import explorer
from dcq.ui import others, page, studies
from dcq.ui.judged_study import judged_of
from dcq.ui.results import explorer as explorer_view

store = page.start(
    "Explorer",
    "Which instances each model picked, completed or ranked first, and where they differ.",
)
within = studies.choose(store)
snapshot = judged_of(store, within).snapshot
if not explorer.partitions(snapshot):
    studies.say_empty(store, within)
    others.show(store, key="explorer_others")
    st.stop()
explorer_view.show(store, within, snapshot)
others.show(store, key="explorer_others")
