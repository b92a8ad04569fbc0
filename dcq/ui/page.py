"""The frame of every page: navigation, title, store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import streamlit as st

from dcq import settings
from dcq.errors import DcqError
from dcq.store import Store
from dcq.ui import roles

_BUILT = "page_navigation_built"


@dataclass(frozen=True)
class _Page:
    name: str
    title: str
    icon: str
    section: str
    default: bool = False


# One list: the order of the sidebar is the order of the work.
_PAGES = (
    _Page("overview", "Overview", ":material/home:", "", default=True),
    _Page("dataset", "Dataset", ":material/dataset:", "Prepare"),
    _Page("variants", "Variants", ":material/edit_note:", "Prepare"),
    _Page("quiz", "Quiz", ":material/quiz:", "Ask"),
    _Page("results", "Results", ":material/bar_chart:", "Read"),
    _Page("ablation", "Ablation", ":material/compare_arrows:", "Read"),
    _Page("audit", "Audit", ":material/fact_check:", "Read"),
    _Page("settings", "Settings", ":material/settings:", "Set up"),
)


def navigation() -> st.Page:
    """Build the navigation and return the page that the browser asked for."""
    st.session_state[_BUILT] = True
    sections: dict[str, list[st.Page]] = {}
    for page in _PAGES:
        sections.setdefault(page.section, []).append(
            st.Page(
                f"pages/{page.name}.py",
                title=page.title,
                icon=page.icon,
                url_path=None if page.default else page.name,
                default=page.default,
            )
        )
    return st.navigation(sections)


def start(title: str, lead: str) -> Store:
    """Open a page: its heading, one sentence on what it is for, and the store.

    On a cold server Streamlit runs ``pages/name.py`` without ``app.py``; then the navigation is
    built here and the script starts again inside it.
    """
    if _BUILT not in st.session_state:
        navigation()
        st.rerun()
    try:
        settings.load()
    except DcqError as error:
        _end(error)
    roles.admit()
    st.title(title, anchor=False)
    st.markdown(lead)
    return store()


def store() -> Store:
    """The store that the settings name; if it cannot be opened, says why and ends the page."""
    shelf = Store(settings.load().store)
    try:
        with shelf.read():
            pass
    except DcqError as error:
        _end(error)
    return shelf


def _end(error: DcqError) -> NoReturn:
    st.error(str(error), icon=":material/error:")
    st.stop()


def go(name: str, label: str, *, icon: str | None = None, **choices: str) -> None:
    """A link to another page, for empty states and next steps; ``choices`` are made there, each
    under its key in the address."""
    st.page_link(
        f"pages/{name}.py",
        label=label,
        icon=icon or ":material/arrow_forward:",
        query_params=choices or None,
    )
