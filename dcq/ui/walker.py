"""Navigation through a list, one at a time: by number, or to the previous and next."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import streamlit as st

from dcq.ui import notice


def walk(
    numbers: Sequence[int],
    total: int,
    *,
    what: str,
    key: str,
    names: str,
    in_address: bool = True,
) -> int:
    """Draw the navigation into the surrounding row, and return the number that is open.
    ``numbers``: those that can be open, ascending and at least one, of 1 to ``total``. ``what`` is
    numbered: "Instance". ``key`` holds the open number, which is set to the next that can be open;
    the keys of the buttons begin with ``names``."""
    if key in st.session_state and st.session_state[key] not in numbers:
        st.session_state[key] = numbers[_place(numbers, st.session_state[key])]
    number = st.number_input(
        f"{what}, of {total:,}",
        min_value=numbers[0],
        max_value=numbers[-1],
        key=key,
        bind="query-params" if in_address else None,
        label_visibility="collapsed",
        width=110,
    )
    st.caption(f"of {total:,}", width="content")
    st.button(
        "Previous",
        key=f"{names}_previous",
        shortcut="K",  # an arrow would turn the tab that was just clicked
        disabled=number <= numbers[0],
        on_click=notice.told(_step),
        args=(key, numbers, -1),
    )
    st.button(
        "Next",
        key=f"{names}_next",
        shortcut="J",
        disabled=number >= numbers[-1],
        on_click=notice.told(_step),
        args=(key, numbers, 1),
    )
    return numbers[_place(numbers, number)]


def _step(key: str, numbers: Sequence[int], by: int) -> None:
    """In a callback, from where the reader is now: keys may be faster than the page."""
    place = _place(numbers, st.session_state.get(key, numbers[0])) + by
    st.session_state[key] = numbers[min(max(0, place), len(numbers) - 1)]


def _place(numbers: Sequence[int], number: int) -> int:
    """Where a number is or, where it is left out, the next one."""
    return min(bisect_left(numbers, number), len(numbers) - 1)
