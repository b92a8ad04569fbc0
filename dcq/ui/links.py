"""Choices in the address by their value, such as ``?dataset=ag_news&split=train``.

``bind="query-params"`` writes the label that a widget shows, which is long and may contain counts
that change. Where label and value differ, a page calls ``choose``, or ``take`` before its widget
and ``put`` after it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dcq.ui import notice
from dcq.ui.text import cut

# The number inputs that are bound to the address.
NUMBERS = {
    "answers_question",
    "ablation_question",
    "case_positions_question",
    "case_replies_question",
    "dataset_seed",
    "replication_at",
    "variants_at",
}
_MOST = 2**53 - 1  # the largest integer that a browser represents exactly
_LEFT = "links_left"


def drop_impossible_numbers() -> None:
    """Before the widgets: remove infinite and huge numbers from the address. Streamlit ignores
    every other value that a number input cannot have, but raises for these."""
    impossible = [key for key in NUMBERS if _is_impossible(st.query_params.get(key, ""))]
    context = get_script_run_ctx()
    if not impossible or context is None:
        return
    # Not through st.query_params: widgets would still get what the address held when the script
    # run began, and it refuses to delete a parameter that a widget is bound to.
    with context.session_state.query_params() as held:
        for key in impossible:
            held.remove_param(key)
        held.set_initial_query_params_from_current()


def _is_impossible(value: str) -> bool:
    try:
        number = float(value)
    except ValueError:
        return False
    return not math.isfinite(number) or abs(number) > _MOST


def take(key: str, options: Iterable[str], what: str = "") -> None:
    """Set the widget ``key`` from the address, unless the user has chosen already; to the first
    option if neither names one. Where the address names something that does not exist, a message
    says so and what kind of thing it is (``what``)."""
    options_by_name = {str(option): option for option in options}
    named = st.query_params.get(key)
    if what and named is not None and named not in options_by_name and key not in st.session_state:
        notice.info(
            f"The {what} that this link names is not among those shown here ({cut(named)}). What "
            "follows is another.",
            icon=":material/link_off:",
        )
    chosen = st.session_state.get(key, st.query_params.get(key))
    st.session_state[key] = options_by_name.get(chosen or "", next(iter(options_by_name.values())))


def names_one_of(key: str, options: Sequence[str]) -> bool:
    """Whether the address names one of the ``options``; also true if it names nothing, or the user
    has chosen already."""
    return key in st.session_state or st.query_params.get(key, options[0]) in options


def put(key: str, value: str) -> None:
    """Write the choice into the address."""
    if st.query_params.get(key) != value:
        st.query_params[key] = value


def choose(
    label: str,
    options: Mapping[str, str] | Iterable[str],
    *,
    key: str,
    what: str = "",
    where: DeltaGenerator | None = None,
    **look: Any,
) -> str:
    """A list to choose from, whose choice the address holds; ``options`` are values, with their
    names if they are a mapping. ``what`` is as in ``take``, ``where`` is the part of the page, and
    ``look`` is passed on to Streamlit's list."""
    if isinstance(options, Mapping):
        look = {"format_func": options.__getitem__} | look
    values = list(options)
    take(key, values, what)
    chosen: str = (where or st).selectbox(label, values, key=key, **look)
    put(key, chosen)
    return chosen


def choose_segment(label: str, options: Iterable[str], *, key: str, **look: Any) -> str:
    """As ``choose``, with all options side by side."""
    values = list(options)
    take(key, values)
    segment: str | None = st.segmented_control(label, values, required=True, key=key, **look)
    assert segment is not None  # noqa: S101  (a value is required)
    put(key, segment)
    return segment


def take_some(key: str, name: str, options: Sequence[str], usual: Sequence[str]) -> None:
    """Set the widget ``key``, of which several options can be chosen, from the parameter ``name``
    of the address, unless the user has chosen already; to the ``usual`` ones if it names none."""
    if key not in st.session_state:
        named = set(st.query_params.get_all(name))
        st.session_state[key] = [option for option in options if option in named] or list(usual)


def put_some(name: str, chosen: Sequence[str], usual: Sequence[str] = ()) -> None:
    """Write the chosen options into the address, unless they are the ``usual`` ones."""
    values = [] if set(chosen) == set(usual) else list(chosen)
    if st.query_params.get_all(name) != values:
        st.query_params[name] = values


def rename(name: str, new: Mapping[str, str]) -> None:
    """To be called before the widget that is bound to a parameter: replaces old names of options in
    an address by their ``new`` ones."""
    values = st.query_params.get_all(name)
    if any(value in new and new[value] != value for value in values):
        st.query_params[name] = [new.get(value, value) for value in values]


def forget(name: str) -> None:
    """Remove a choice from the address."""
    st.query_params.pop(name, None)


def number(key: str) -> int | None:
    """The user's choice of ``key`` in this tab, or the address's; None if that is no plain
    number."""
    text = str(st.session_state.get(key, st.query_params.get(key)))
    return int(text) if text.isdecimal() and len(text) < 10 else None


def switched(key: str) -> bool:
    """Whether the toggle ``key`` is on, which is bound to the address and drawn further down the
    page."""
    return bool(st.session_state.get(key, st.query_params.get(key) == "true"))


def recall(*keys: str) -> None:
    """To be called before the widgets ``keys``: restores each to its value when it was last on the
    screen, even if the user has visited another page or tab since, unless the address says
    otherwise."""
    left = st.session_state.setdefault(_LEFT, {})
    for key in keys:
        if key in left and key not in st.session_state and key not in st.query_params:
            st.session_state[key] = left[key]


def remember(*keys: str) -> None:
    """To be called after the widgets ``keys``: notes their values for ``recall``."""
    left = st.session_state.setdefault(_LEFT, {})
    left.update({key: st.session_state[key] for key in keys if key in st.session_state})
