"""What is set up on this machine, and a test call."""

import asyncio
import time

import streamlit as st

from dcq import settings
from dcq.errors import DcqError
from dcq.models.endpoints import resolve
from dcq.runs import calls, doctor
from dcq.ui import models, page, roles
from dcq.ui.text import plain

shelf = page.start("Settings", "What is installed, reachable and set. Keys are never shown.")

with st.spinner("Looking around…"):
    checks = doctor.examine(shelf)
parts = [check for check in checks if not check.provider]
missing = [check.name for check in parts if not check.ok and not check.extra]
providers = sum(check.ok for check in checks if check.provider)
st.markdown(
    "#### "
    + (
        f"Not ready here: {', '.join(missing)}"
        if missing
        else "Everything on this machine is ready"
    )
    + f"; {providers or 'no'} other provider{'s' if providers != 1 else ''} set up"
)
for title, shown in (
    ("On this machine", parts),
    ("Providers", [check for check in checks if check.provider]),
):
    st.caption(title)
    st.table(  # not a dataframe: its cells wrap, so that what to do can be read on a small screen
        [
            {
                "part": check.name,
                "ready": "✓ yes" if check.ok else "– no",
                "what was found": plain(check.detail),
            }
            for check in shown
        ],
        hide_index=True,
        border="horizontal",
        alt=f"{title}: whether each part is ready, and what was found.",
    )
if st.button("Look again", icon=":material/refresh:", key="settings_again"):
    st.rerun()

st.subheader("Test call", anchor=False)
st.caption("Sends one short prompt to a model. With a paid model this costs a fraction of a cent.")
name, go = st.columns([3, 1], vertical_alignment="bottom")
model = name.text_input("Model", value="embedded", key="settings_model")
lack = roles.lacks(roles.Role.RUNNER)
if go.button(
    "Call",
    icon=":material/send:",
    key="settings_call",
    width="stretch",
    disabled=bool(lack),
    help=lack,
):

    async def call() -> str:
        """One question whose answer is a letter."""
        endpoint = resolve(model, settings.load())
        async with calls.asking(endpoint, temperature=0.0, max_tokens=5) as ask:
            return (await ask("Answer with the letter A and nothing else.")).text or ""

    began = time.monotonic()
    try:
        roles.require(roles.Role.RUNNER)
        with st.spinner("Waiting for the reply…"):
            reply = asyncio.run(call())
    except DcqError as error:
        st.error(str(error), icon=":material/error:")
    else:
        st.success(f"Replied in {time.monotonic() - began:.1f} s.", icon=":material/check:")
        st.text(reply)

st.subheader("Keys", anchor=False)
st.markdown(
    "Set a key in the environment, or in a file `.env` beside `app.py`, and start the app again. "
    "It is read when a model is asked and is neither stored nor shown."
)
with st.expander("Providers and how to name a model"):
    models.explain()
