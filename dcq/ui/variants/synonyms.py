"""Synonyms for a word of the text being edited."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from dcq.errors import InputError
from dcq.records import fingerprint
from dcq.ui import notice
from dcq.ui.text import plain
from dcq.variants.word_choice import Word, put, words_with_synonyms


def show(
    text: str,
    *,
    protected: Sequence[str],
    language: str,
    key: str,
    on_choice: Callable[[str], None],
) -> None:
    """A popover that looks for them once it is opened. ``on_choice`` is called with the text in
    which the synonym chosen stands in all places of its word."""
    panel = st.popover(
        "Synonyms", icon=":material/dictionary:", key=f"{key}_synonyms", on_change="rerun"
    )
    if not panel.open:
        return
    with panel:
        try:
            with st.spinner("Looking for synonyms…"):
                words = _find(text, tuple(protected), language)
        except InputError as error:
            notice.caption(error)
            return
        if not words:
            st.caption("No word of this text has a synonym that fits here.")
            return
        at = st.selectbox(
            "Word",
            range(len(words)),
            format_func=lambda at: _name(words[at]),
            key=f"{key}_word",
        )
        # Another text is another choice: a synonym chosen does not stay chosen.
        pills = f"{key}_{fingerprint(text, str(at))}"
        st.pills(
            "Replace it by",
            range(len(words[at].synonyms)),
            format_func=lambda number: plain(words[at].synonyms[number]),
            key=pills,
            on_change=lambda: _choose(text, words[at], st.session_state[pills], on_choice),
        )
        st.caption(
            "From WordNet and dcq's own list, where the sentence keeps its meaning. The text "
            "becomes your draft; save it to have it checked."
        )


@st.cache_data(max_entries=64, show_spinner=False)
def _find(text: str, protected: tuple[str, ...], language: str) -> list[Word]:
    return words_with_synonyms(text, protected=protected, language=language)


def _name(word: Word) -> str:
    return word.word if word.places == 1 else f"{word.word} ({word.places} times)"


def _choose(text: str, word: Word, number: int | None, on_choice: Callable[[str], None]) -> None:
    if number is not None:
        on_choice(put(text, word, number))
