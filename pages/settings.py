"""What is set up on this machine, and a test call."""

import asyncio
import time
from collections.abc import Sequence

import streamlit as st

from dcq import settings
from dcq.asking import calls
from dcq.documents import doctor
from dcq.models.endpoints import resolve
from dcq.places import ENV_FILE
from dcq.ui import action, copies, model_picker, notice, page, roles, web_origin
from dcq.ui.text import plain

store = page.start("Settings", "What is installed, reachable and set. Keys are never shown.")

CHECKED = "settings_checked"  # whether the providers' endpoints are reachable, once checked
READY = {True: "✓ yes", False: "– no", None: "not checked"}

if not roles.shared() and web_origin.open_to_others():
    st.warning(
        "Other machines reach this app, and nobody signs in: whoever opens it may do everything "
        "here, also spend with your keys and replace the store. Set up sign-in and roles, as "
        "docs/sharing.md says, or let the app listen on 127.0.0.1 alone.",
        icon=":material/lock_open:",
    )
with st.spinner("Checking this machine…"):
    parts = doctor.machine(store)
missing = [check.name for check in parts if not check.ok and not check.extra]
headline = st.container()


def show(title: str, checks: Sequence[doctor.SetupCheck]) -> None:
    """A table of checks."""
    notice.caption(title)
    st.table(  # not a dataframe: its cells wrap, so that what to do can be read on a small screen
        [
            {
                "part": check.name,
                "ready": READY[check.ok],
                "what was found": plain(check.detail),
            }
            for check in checks
        ],
        hide_index=True,
        border="horizontal",
        alt=f"{title}: whether each part is ready, and what was found.",
    )


show("On this machine", parts)
if st.button("Check again", icon=":material/refresh:", key="settings_again"):
    st.rerun()
table = st.container()


def check_connections() -> None:
    """Try the endpoint of each provider that is set up."""
    with st.spinner("Connecting…"):
        st.session_state[CHECKED] = doctor.providers(connect=True)


if action.pressed(
    "Check the connections",
    icon=":material/lan:",
    key="settings_connect",
    tip="Opens a connection to each provider that is set up, without sending anything.",
):
    action.attempt(check_connections)
others = st.session_state.get(CHECKED) or doctor.providers(connect=False)
with table:
    show("Providers", others)
with headline:
    ready = (
        f"Not ready here: {', '.join(missing)}"
        if missing
        else "Everything on this machine is ready"
    )
    usable = sum(check.ok is True for check in others)
    reached = f"{usable or 'no'} other provider{'s' if usable != 1 else ''} reachable"
    st.markdown(f"#### {ready}{f'; {reached}' if CHECKED in st.session_state else ''}")

st.subheader("Test call", anchor=False)
st.caption("Sends one short prompt to a model. With a paid model this costs a fraction of a cent.")
name, go = st.columns([3, 1], vertical_alignment="bottom")
model = name.text_input("Model", value=model_picker.first_model(), key="settings_model")


async def call() -> str:
    """Ask one question whose answer is a letter."""
    endpoint = resolve(model, settings.load())
    async with calls.asking(endpoint, temperature=0.0, max_tokens=5) as ask:
        return (await ask("Answer with the letter A and nothing else.")).text or ""


def try_model() -> None:
    """Call the model and show what it replied."""
    model_picker.check(store, model)
    began = time.monotonic()
    with st.spinner("Waiting for the reply…"):
        reply = asyncio.run(call())
    seconds = time.monotonic() - began
    if reply.strip():
        notice.success(f"Replied in {seconds:.1f} s.")
        st.text(reply)
    else:
        notice.warning(f"It replied in {seconds:.1f} s, with no text.")


with go:
    called = action.pressed("Call", icon=":material/send:", key="settings_call", width="stretch")
if called:
    action.attempt(try_model)

copies.show(store)

st.subheader("Keys", anchor=False)
st.markdown(
    f"Set a key in the environment, or in the file `{ENV_FILE}`, and start the app again. "
    "It is read when a model is asked and is neither stored nor shown."
)
with st.expander("Providers and how to name a model"):
    model_picker.explain()
