"""The start page: for an empty store the walk as a drawing and a question to try at once, else how
far the walk has come."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from dcq.records import LETTERS
from dcq.settings import DATA
from dcq.ui import notice, page
from dcq.ui.text import plain
from dcq.words import listed

ITEM = DATA / "first_item.json"  # of data/example.zip, where tests find it again
_CHOSEN = "first_item_chosen"
# The page, its icon, and what comes of the step.
_STEPS = (
    ("dataset", ":material/dataset:", "Dataset", "A sample of a benchmark"),
    ("variants", ":material/edit_note:", "Variants", "Near-identical rewordings"),
    ("investigate", ":material/troubleshoot:", "Ask", "Which wording is the original?"),
    ("results", ":material/bar_chart:", "Results", "More than on unseen text?"),
    ("present", ":material/slideshow:", "Present", "Slides and a report"),
)


def draw_walk() -> None:
    """The steps from left to right, each with a link; one below the other on a small screen."""
    widths = [6, 1] * (len(_STEPS) - 1) + [6]
    columns = iter(st.columns(widths, gap="xxsmall", vertical_alignment="center"))
    for number, (name, icon, label, comes) in enumerate(_STEPS):
        if number:
            next(columns).markdown(":gray[:material/arrow_forward:]", text_alignment="center")
        with next(columns).container(border=True, gap="xxsmall", height=128):
            page.link(name, label, icon=icon)
            notice.caption(comes)


def offer_item() -> None:
    """One question of a quiz; whoever answers it sees what two models answered."""
    item: dict[str, Any] = json.loads(ITEM.read_text("utf-8"))
    options, original = item["options"], int(item["original"])
    chosen = st.session_state.get(_CHOSEN)
    st.subheader("Try one: which of these is the original?", anchor=False)
    columns = st.columns(2) * 2
    for place, (letter, text) in enumerate(zip(LETTERS, options, strict=False)):
        with columns[place].container(border=True, gap="xsmall"):
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
                if chosen is None:
                    st.button(
                        letter,
                        key=f"first_item_{letter}",
                        on_click=st.session_state.__setitem__,
                        args=(_CHOSEN, place),
                    )
                else:
                    st.markdown(f"**{letter}**", width="content")
                    _badges(item, place, chosen)
            st.markdown(plain(text))
    if chosen is not None:
        named = [model for model, picked in item["picked"].items() if picked == original]
        st.markdown(
            f"{'Right' if chosen == original else 'No'}: **{LETTERS[original]}** is the original. "
            "You can only guess; so can a model that has not seen the text. "
            f"{plain(listed(named))} was trained on it, and picked it. One text is no evidence; "
            "a quiz asks about a hundred."
        )


def _badges(item: dict[str, Any], place: int, chosen: int) -> None:
    if place == item["original"]:
        st.badge("original", icon=":material/bookmark:", color="blue")
    if place == chosen:
        st.badge("your choice", icon=":material/person:", color="gray")
    for model, picked in item["picked"].items():
        if picked == place:
            st.badge(plain(model), icon=":material/smart_toy:", color="orange")


def show_counts(study: str, *, samples: int, ready: int, quizzes: int, results: int) -> None:
    """How many samples, samples with all variants, quizzes and results the ``study`` has; the whole
    store where its name is empty."""
    steps = (
        ("Samples drawn", samples, "dataset", "Datasets"),
        ("With all variants", ready, "variants", "Annotate"),
        ("Quizzes made", quizzes, "quiz", "Quizzes"),
        ("Results", results, "results", "Results"),
    )
    st.subheader(f"Steps of “{plain(study)}”" if study else "Steps", anchor=False)
    # Four side by side; where there is no room for four, two columns of two.
    with st.container(horizontal=True):
        for pair in (steps[:2], steps[2:]):
            with st.container(horizontal=True):
                for label, value, name, link in pair:
                    with st.container(border=True):
                        st.metric(label, value)
                        page.link(name, link)
