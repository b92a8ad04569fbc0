"""Three questions on one page: what, who, how sure; and one button."""

import streamlit as st

from dcq.ui import example, page
from dcq.ui.new_check import checks, form, plan, progress, what

store = page.start(
    "New check",
    "Ask whether models have seen a benchmark: three questions and one button.",
)
if example.is_shown():
    st.info("Nothing can be asked in the example. Go back to your own store for that.")
    st.stop()
if key := checks.opened(arrived=page.arrived()):
    check = checks.named(store, key)
    if check is None:
        st.info("There is no check of this address.", icon=":material/link_off:")
    else:
        progress.show(store, check)
    if st.button("Start another check", key="check_another", icon=":material/add:"):
        checks.leave()
        st.rerun()
    st.stop()
progress.list_checks(store)

st.subheader("1 · What?", anchor=False)
benchmark = what.choose(store)
st.subheader("2 · Who?", anchor=False)
models = form.choose_models(store)
writer = form.choose_writer(store, benchmark, models) if benchmark else None
st.subheader("3 · How sure?", anchor=False)
size, budget = form.choose_size(benchmark.opened.row_count if benchmark else None)
st.divider()
if benchmark is None:
    st.info("Choose a benchmark first: drop a file, or type a name.", icon=":material/dataset:")
elif not models:
    st.info("Choose at least one model.", icon=":material/smart_toy:")
elif writer is None:
    st.info("Choose who writes the rewordings.", icon=":material/edit_note:")
else:
    plan.offer(store, form.draft(store, benchmark, models, writer, size, budget))
page.link("investigate", "Choose everything yourself", icon=":material/tune:")
