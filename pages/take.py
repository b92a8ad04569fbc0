"""The quiz for a person: what people find is a control for what models find."""

import streamlit as st

from dcq.store import samples, sittings
from dcq.ui import notice, page, roles
from dcq.ui.take import asking, closing, opening

store = page.start(
    "Take the quiz",
    "Pick the original among four wordings, as models are asked to. What people find is a control "
    "for what models find.",
)
left, right = st.columns([4, 1])
with right:
    author = roles.ask_author()

named = st.query_params.get(opening.SITTING, "")
sitting = sittings.find(store, named) if named else None
with left:
    if named and sitting is None:
        notice.warning("There is no such sitting in this store; start one below.")
    elif sitting is not None and not author:
        notice.info("Enter your name, at the top right, to go on.", icon=":material/badge:")
    elif sitting is not None and sittings.person_key(sitting.person) != sittings.person_key(author):
        notice.warning(
            f"This sitting is {sitting.person}’s. Only {sitting.person} can go on with it and see "
            "it; start one of your own below.",
            icon=":material/lock:",
        )
        sitting = None
    elif not author:
        notice.info("Enter your name first, at the top right.", icon=":material/badge:")

if sitting is None or not author:
    with left:
        st.markdown(
            "Each question shows one text in four wordings: the original, and three that change "
            "single words. Your answers are saved as you give them; you can leave and come back. "
            "Nothing is given away before the end."
        )
    opening.show(store, author)
elif sitting.finished:
    closing.show(store, samples.load(store, sitting.sample_id), sitting)
else:
    asking.show(store, samples.load(store, sitting.sample_id), sitting, head=left)
