"""The texts that a method showed of an instance, each with the results that chose it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from dcq.detection import ChosenText
from dcq.ui.diff import mark_changes
from dcq.ui.text import alignment, plain


def show(texts: Sequence[ChosenText], names: Mapping[str, str]) -> None:
    """``texts`` with the original first, each with the results that chose it; ``names`` are those
    of results, by run."""
    original = texts[0].text
    for text in texts:
        with st.container(border=True, gap="xsmall"):
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
                if text.is_original:
                    st.badge("original", icon=":material/bookmark:", color="blue")
                for run, times in text.by.items():
                    more = f" ({times} ×)" if times > 1 else ""
                    st.badge(
                        plain(f"{names[run]}{more}"),
                        icon=":material/check:" if text.is_original else ":material/close:",
                        color="orange" if text.is_original else "gray",
                    )
                if not text.by and not text.is_original:
                    st.caption("chosen by none")
            st.markdown(
                plain(text.text) if text.is_original else mark_changes(original, text.text),
                text_alignment=alignment(text.text),
            )
