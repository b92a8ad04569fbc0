"""The frame of every page: navigation, title, store, and styles that the theme in
``.streamlit/config.toml`` cannot express."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import NoReturn, ParamSpec

import streamlit as st

from dcq import settings
from dcq.charts.template import INK
from dcq.errors import DcqError, StoreError
from dcq.investigation.stored_replies import read_stored_replies
from dcq.models import cutoffs, prices
from dcq.store import Store
from dcq.ui import example, links, notice, roles, web_origin

_BUILT, _TITLE, _ARRIVED = "page_navigation_built", "page_title", "page_arrived"


@dataclass(frozen=True)
class _Page:
    """A page: its file and address, what it is called, and in which ``entry`` of the sidebar it
    is."""

    name: str
    title: str
    icon: str
    entry: str
    help: str | None = None
    listed: bool = True  # in the row of links; another page leads to it where it is not


# Pages with one entry are a row of links above each of them; the first is where the entry leads.
_MATRIX, _CHECK, _LIBRARY = "Matrix", "New check", "Library"
_PAGES = (
    _Page("overview", "Matrix", ":material/grid_on:", _MATRIX, "All models and benchmarks."),
    _Page("case", "Case", ":material/grid_on:", _MATRIX, listed=False),
    _Page(
        "results",
        "Results",
        ":material/bar_chart:",
        _MATRIX,
        "All results of a method: the κ table beside the paper's, option distributions.",
    ),
    _Page(
        "explorer",
        "Explorer",
        ":material/apps:",
        _MATRIX,
        "All instances under all models: where two models disagree.",
    ),
    _Page("answers", "Answers", ":material/list:", _MATRIX, "What was sent, and what came back."),
    _Page(
        "ablation",
        "Ablation",
        ":material/compare_arrows:",
        _MATRIX,
        "Is a position chosen because the original stands there?",
    ),
    _Page(
        "new_check", "New check", ":material/add_circle:", _CHECK, "Three questions, one button."
    ),
    _Page(
        "investigate",
        "Investigate",
        ":material/troubleshoot:",
        _CHECK,
        "A target, its controls and models, chosen by yourself.",
    ),
    _Page("quiz", "Quiz", ":material/quiz:", _CHECK, "Which of four wordings is the original?"),
    _Page(
        "replication",
        "Replication",
        ":material/content_copy:",
        _CHECK,
        "Can the model write the rest of an instance?",
    ),
    _Page(
        "likelihood",
        "Likelihood",
        ":material/stacked_line_chart:",
        _CHECK,
        "Does the model find the original likelier than its rewordings?",
    ),
    _Page(
        "variants",
        "Variants",
        ":material/edit_note:",
        "Annotate",
        "Read rewordings beside their original, and decide.",
    ),
    _Page(
        "take",
        "Take the quiz",
        ":material/person_check:",
        "Take the quiz",
        "What people find is a control for what models find.",
    ),
    _Page("present", "Present", ":material/slideshow:", "Present"),
    _Page(
        "dataset",
        "Dataset",
        ":material/dataset:",
        _LIBRARY,
        "Benchmarks and controls, and the samples that were drawn.",
    ),
    _Page("audit", "Audit", ":material/fact_check:", _LIBRARY, "Files that others published."),
    _Page(
        "protect",
        "Protect",
        ":material/shield_lock:",
        _LIBRARY,
        "For authors: publish a benchmark that can prove later that it was seen.",
    ),
    _Page(
        "overlap",
        "Overlap",
        ":material/travel_explore:",
        _LIBRARY,
        "Is the text on the web or in a corpus?",
    ),
    _Page(
        "effect",
        "Effect",
        ":material/trending_down:",
        _LIBRARY,
        "What the contamination did to the score.",
    ),
    _Page("settings", "Settings", ":material/settings:", "Settings"),
    _Page("method", "The method", ":material/menu_book:", "Method"),
)


_opened: set[Path] = set()  # the stores that this process has opened
_P = ParamSpec("_P")


def run() -> None:
    """Draw the page that the browser asked for."""
    with _errors_said():
        navigation().run()


def fragment(draw: Callable[_P, None]) -> Callable[_P, None]:
    """``draw`` as a part of a page that is drawn again alone, where nothing else would say what the
    store cannot do."""

    @wraps(draw)
    def drawn(*args: _P.args, **kwargs: _P.kwargs) -> None:
        with _errors_said():
            draw(*args, **kwargs)

    return st.fragment(drawn)


@contextmanager
def _errors_said() -> Iterator[None]:
    """An error that nobody expected at this place, such as a store that another program took in the
    middle of a page, is told in its sentence where the page had come to."""
    try:
        yield
    except DcqError as error:
        notice.error(error)


def entry_of(title: str) -> str:
    """The entry of the sidebar that the page of a title is behind."""
    return next(page.entry for page in _PAGES if page.title == title)


def is_beside_others(title: str) -> bool:
    """Whether the page of a title is one of several behind its entry."""
    entry = entry_of(title)
    return sum(page.entry == entry and page.listed for page in _PAGES) > 1


def navigation() -> st.Page:
    """Build the navigation and return the page that the browser asked for.

    Each page keeps its address, whichever entry of the sidebar it is behind. The links are drawn
    here: Streamlit's own list would have an entry for each page.
    """
    st.session_state[_BUILT] = True
    # A local file: for a Streamlit icon, such as those of the pages, browsers would fetch a picture
    # from another host. Here, because a cold server may have begun without app.py.
    st.set_page_config(page_title="dcq", page_icon=settings.DATA / "icon.svg", layout="wide")
    new_pages = {
        page: st.Page(
            f"pages/{page.name}.py",
            title=page.title,
            icon=page.icon,
            url_path=page.name if number else None,
            default=not number,
        )
        for number, page in enumerate(_PAGES)
    }
    shown_page = st.navigation(list(new_pages.values()), position="hidden")
    here = next(
        (page for page, new_page in new_pages.items() if new_page.url_path == shown_page.url_path),
        _PAGES[0],
    )
    with st.sidebar.container(gap="xxsmall", key="page_navigation"):
        for entry in dict.fromkeys(page.entry for page in _PAGES):
            first = next(page for page in _PAGES if page.entry == entry)
            # Streamlit marks the page that is shown; one behind an entry is marked by its letters.
            is_behind = here.entry == entry and here is not first
            label = f"**{entry}**" if is_behind else entry
            st.page_link(new_pages[first], label=label, icon=first.icon)
    siblings = [page for page in _PAGES if page.entry == here.entry and page.listed]
    if len(siblings) > 1:
        with st.container(horizontal=True, gap="xsmall", key="page_beside"):
            for page in siblings:
                st.page_link(new_pages[page], icon=page.icon, help=page.help, width="content")
    adjust()
    return shown_page


def start(title: str, lead: str | None) -> Store:
    """Open a page: its heading, one sentence on what it is for, and the store. Without a ``lead``
    the heading is as wide as its words, to stand in a row.

    On a cold server Streamlit runs ``pages/name.py`` without ``app.py``; then the navigation is
    built here and the script starts again inside it.
    """
    _admit(title)
    st.title(title, anchor=False, width="stretch" if lead else "content")
    if lead:
        st.markdown(lead)
    if example.is_shown():
        example.show_notice()
    return open_store()


def start_without_heading(title: str) -> Store:
    """As ``start``, for a page with a heading of its own."""
    _admit(title)
    if example.is_shown():
        example.show_short_notice()
    return open_store()


def _admit(title: str) -> None:
    if stranger := web_origin.foreign():
        notice.error(f"The page {stranger} does not belong to this app and may not use it.")
        st.stop()
    if _BUILT not in st.session_state:
        navigation()
        st.rerun()
    try:
        settings.load()
        prices.read()
        cutoffs.read_own()
    except DcqError as error:
        _end(error)
    roles.admit()
    links.drop_impossible_numbers()
    example.keep()
    st.session_state[_ARRIVED] = st.session_state.get(_TITLE) != title
    st.session_state[_TITLE] = title


def arrived() -> bool:
    """After ``start``: whether the user has just come to this page."""
    return bool(st.session_state[_ARRIVED])


def open_store() -> Store:
    """The store that the settings name, or the example's while that is shown; if it cannot be
    opened, shows why and ends the page."""
    try:
        store = example.open_store() if example.is_shown() else Store(settings.load().store)
        if store.path in _opened and not store.path.exists():  # not silently begun anew
            raise StoreError(f"The store {store.path} is gone; put it back or start the app again.")
        with store.read():
            pass
        if changed := read_stored_replies(store):
            notice.toast(changed, icon=":material/refresh:")
    except DcqError as error:
        _end(error)
    _opened.add(store.path)
    return store


def _end(error: DcqError) -> NoReturn:
    notice.error(error)
    st.stop()


def link(name: str, label: str, *, icon: str | None = None, **choices: str) -> None:
    """A link to another page, for empty states and next steps; ``choices`` are passed to it in the
    address."""
    st.page_link(
        f"pages/{name}.py",
        label=label,
        icon=icon or ":material/arrow_forward:",
        query_params=choices or None,
    )


def link_button(
    name: str, label: str, *, key: str, icon: str | None = None, **choices: str
) -> None:
    """As ``link``, for the one step that comes next: a primary button."""
    if st.button(
        label, type="primary", key=key, icon=icon or ":material/arrow_forward:", width="content"
    ):
        switch_to(name, **choices)


def switch_to(name: str, **choices: str) -> NoReturn:
    """Go to another page at once, with ``choices`` in its address."""
    st.switch_page(f"pages/{name}.py", query_params=choices)


# These follow a change of theme by themselves: Streamlit runs no page for it.
# In the dark theme one accent cannot be the background of white letters and a letter on the page,
# both with a contrast of 4.5: the accent is dark enough for the first, and a tab, an option of a
# choice and the value of a slider keep the text colour, whether chosen or not.
# So does what a chart draws in INK. Streamlit swaps colours of a figure for the theme's only once.
_INK = ", ".join(str(part) for part in bytes.fromhex(INK[1:]))  # as browsers write it
_FOLLOWING = f"""<style>
[role="tab"]:not([aria-disabled]), [data-testid="stButtonGroup"] button:not(:disabled),
[data-testid="stSliderThumbValue"] {{color: inherit !important}}
[data-testid="stPlotlyChart"] [style*="fill: rgb({_INK})"] {{fill: currentColor !important}}
[data-testid="stPlotlyChart"] [style*="stroke: rgb({_INK})"] {{stroke: currentColor !important}}
</style>"""

# A table of words that is wider than a small screen scrolls, and not the page.
_TABLES = """<style>
[data-testid="stMarkdownContainer"] table {display: block; overflow-x: auto; max-width: 100%}
</style>"""

# Small letters keep the line height of large ones, a third of which a record needs to be in sight
# as a whole with what its checks found.
_DENSE = """<style>
.st-key-variants_original p, .st-key-variants_options p {line-height: 1.35}
</style>"""


def adjust() -> None:
    """Add the styles of all pages; called once a page, with its navigation."""
    _add(_FOLLOWING + _TABLES)


def dense_records() -> None:
    """Add the styles of the page Variants."""
    _add(_DENSE)


def _add(style: str) -> None:
    """Below the links, where an element more moves nothing. A style alone would be no element of
    the page but take the place of a toast, which a run of the whole page then removes."""
    st.sidebar.html(f"{style}<span></span>")
