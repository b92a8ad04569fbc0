"""Several models' answers to the same questions: a list, and one instance with all choices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from dcq.quiz import side_by_side
from dcq.quiz.results import Result
from dcq.quiz.side_by_side import Choices, InstanceChoices, InstanceFilter
from dcq.store import Store, results
from dcq.ui import links
from dcq.ui.diff import mark_changes
from dcq.ui.results.filters import LINE, choose_page
from dcq.ui.text import alignment, cut, plain

MODELS, AT = "answers_models", "answers_line"
_SHOWN = "answers_shown"


def show(store: Store, found: Sequence[Result], result: Result) -> None:
    """The models that answered the questions of ``result``, side by side; ``found`` are the results
    to choose from."""
    similar_results = {one.run: one for one in side_by_side.alike(found, result)}
    key = f"{MODELS}_{'_'.join(similar_results)}"
    links.take_some(key, MODELS, list(similar_results), list(similar_results))
    chosen = st.multiselect(
        "Models", list(similar_results), format_func=lambda run: similar_results[run].model, key=key
    )
    links.put_some(MODELS, chosen, list(similar_results))
    if len(chosen) < 2:
        st.info(
            "Choose two models or more. They need to have answered the same sample with the same "
            "kind of quiz.",
            icon=":material/compare_arrows:",
        )
        return
    compared = [similar_results[run] for run in chosen]
    lines = _lines(str(store.path), results.state(store), tuple(compared))
    counts = {shown: sum(line.is_shown(shown) for line in lines) for shown in InstanceFilter}
    links.take(_SHOWN, InstanceFilter)
    shown = st.segmented_control(
        "Instances shown",
        list(InstanceFilter),
        format_func=lambda one: f"{one} · {counts[one]:,}",
        required=True,
        key=_SHOWN,
    )
    links.put(_SHOWN, shown or InstanceFilter.ALL)
    listed_lines = [line for line in lines if line.is_shown(shown or InstanceFilter.ALL)]
    if not listed_lines:
        st.caption("No instance of this kind.")
        return
    left, right = st.columns([2, 3], gap="medium")
    with left:
        line = _list(listed_lines, compared)
    with right:
        _open(store, compared, line)


def _list(listed_lines: Sequence[InstanceChoices], compared: Sequence[Result]) -> InstanceChoices:
    """The list, and buttons to the line before and after; returns the line that is open."""
    numbers = [line.number for line in listed_lines]
    at = links.number(AT)
    number = at if at in numbers else numbers[0]
    st.session_state[AT] = number
    links.put(AT, str(number))
    place = numbers.index(number)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        for label, key, to in (("Previous", "K", place - 1), ("Next", "J", place + 1)):
            st.button(
                label,
                key=f"{AT}_{label}",
                shortcut=key,
                disabled=not 0 <= to < len(numbers),
                on_click=st.session_state.__setitem__,
                args=(AT, numbers[to] if 0 <= to < len(numbers) else number),
            )
        st.caption(f"{place + 1:,} of {len(numbers):,}", width="content")
    slot = st.container()
    page = choose_page(len(listed_lines), place, key=f"{AT}_page_{len(listed_lines)}")
    key = (
        f"{AT}_list_{'_'.join(result.run for result in compared)}_{len(listed_lines)}_{page.start}"
    )
    slot.dataframe(
        pd.DataFrame(
            [
                {
                    "No.": line.number,
                    **{one.model: _words(line.choices.get(one.run)) for one in compared},
                    "Instance": cut(line.text, 80),
                }
                for line in listed_lines[page]
            ]
        ),
        hide_index=True,
        height=LINE * (len(listed_lines[page]) + 1) + 3,
        key=key,
        on_select=partial(_choose, key, numbers[page]),
        selection_mode="single-cell",  # the arrow keys go from row to row
        column_config={
            "No.": st.column_config.NumberColumn(width=50),
            **{one.model: st.column_config.TextColumn(width=90) for one in compared},
        },
        alt="Instances with each model's choice.",
    )
    return listed_lines[place]


def _choose(key: str, numbers: Sequence[int]) -> None:
    cells = st.session_state[key].selection.cells
    if cells and cells[0][0] < len(numbers):
        st.session_state[AT] = numbers[cells[0][0]]


def _words(choices: Choices | None) -> str:
    """``✓ D``, ``✗ B``, ``–``; ``3 of 4`` in a rotated quiz."""
    if choices is None or not choices.answers:
        return "–"
    if len(choices.letters) > 1:
        return f"{choices.found} of {choices.answers}"
    return f"{'✓' if choices.found else '✗'} {choices.letters}"


def _open(store: Store, compared: Sequence[Result], line: InstanceChoices) -> None:
    """The wordings of an instance, each with the models that chose it."""
    options = side_by_side.options(store, compared, line)
    original = options[0].text
    for option in options:
        with st.container(border=True, gap="xsmall"):
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
                if option.is_original:
                    st.badge("original", icon=":material/bookmark:", color="blue")
                for result in compared:
                    times = option.chosen.get(result.run, 0)
                    if times:
                        more = f" ({times} ×)" if times > 1 else ""
                        st.badge(
                            plain(f"{result.model}{more}"),
                            icon=":material/check:" if option.is_original else ":material/close:",
                            color="orange" if option.is_original else "gray",
                        )
                if not option.chosen and not option.is_original:
                    st.caption("chosen by none")
            st.markdown(
                plain(option.text) if option.is_original else mark_changes(original, option.text),
                text_alignment=alignment(option.text),
            )
    silent = [one.model for one in compared if _is_silent(line.choices.get(one.run))]
    if silent:
        st.caption(plain(f"No answer: {', '.join(silent)}."))


def _is_silent(choices: Choices | None) -> bool:
    return choices is None or not choices.answers


@st.cache_resource(max_entries=4, show_spinner="Reading the answers…")
def _lines(
    path: str, state: tuple[int, ...], compared: tuple[Result, ...]
) -> list[InstanceChoices]:
    """``state`` is only part of the cache key."""
    return side_by_side.lines(Store(path), compared)
