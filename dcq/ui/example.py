"""The example investigation: a store of its own, which a visit can switch to and back from.

It is made from the bundle that comes with dcq when it is first opened, in a temporary folder, and
is deleted when the app's process ends: nothing of it is ever in the user's store, so it does not
join the family over which verdicts are corrected. Nobody can change it: ``dcq.ui.roles`` gives
nobody a role there.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import streamlit as st

from dcq.errors import InputError, StoreError
from dcq.settings import DATA
from dcq.store import Store

BUNDLE = DATA / "example.zip"
KEY = "example"  # in the address and in the session
READ_ONLY = "The example cannot be changed; go back to your own store for that."
SHORTLY = "An example, not a finding about a released model"
_SAYS = (
    f"**{SHORTLY}.** SmolLM2-135M, a small model, was "
    "trained on purpose on the texts of *Reviews*, each twice. Beside it stand the model before "
    "that, and a quiz whose rewordings give the originals away."
)


def is_shown() -> bool:
    """Whether the user looks at the example, by a button or by the address."""
    return bool(st.session_state.get(KEY, st.query_params.get(KEY) == "true"))


def keep() -> None:
    """Keep the example on the page that is drawn, because links between pages do not name it."""
    if is_shown():
        st.session_state[KEY] = True
        st.query_params[KEY] = "true"


@st.cache_resource(
    show_spinner="Opening the example and computing its verdicts again…",
    validate=lambda store: store.path.exists(),  # systems clear temporary folders away
)
def open_store() -> Store:
    """The example's store. Raises DcqError where it cannot be made."""
    from dcq.files import bundle_import  # takes a while to import

    if not BUNDLE.is_file():
        raise InputError("The bundled file example.zip is missing; restore the data folder.")
    try:
        folder = tempfile.mkdtemp(prefix="dcq-example-")
    except OSError as error:
        raise StoreError(
            f"The example needs a temporary folder ({error.strerror}); set TMPDIR to a place that "
            "can be written."
        ) from error
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    store = Store(Path(folder) / "example.duckdb")
    bundle_import.load(store, BUNDLE)
    return store


def offer() -> None:
    """The button that opens the example, for an empty store."""
    if st.button(
        "See an example finding",
        icon=":material/science:",
        key="example_open",
        help="A model that was trained on a partition on purpose. Nothing of it gets into your "
        "store.",
    ):
        _go(to_example=True)


def show_notice() -> None:
    """A notice above everything else that this is the example, with the way back."""
    with st.container(border=True):
        what, back = st.columns([3, 1], vertical_alignment="center")
        what.markdown(f":material/science: {_SAYS}")
        if back.button(
            "Back to your own store",
            icon=":material/arrow_back:",
            key="example_close",
            width="stretch",
        ):
            _go(to_example=False)


def show_short_notice() -> None:
    """A short notice that this is the example."""
    st.caption(f":material/science: {SHORTLY}")


def _go(*, to_example: bool) -> None:
    """Go to the first page of the other store, and drop the choices, which do not apply there."""
    st.session_state.clear()
    if to_example:
        st.session_state[KEY] = True
    st.switch_page("pages/overview.py", query_params={KEY: "true"} if to_example else None)
