"""One slide on the screen: large type, and nothing else in sight."""

from __future__ import annotations

import streamlit as st

from dcq import charts
from dcq.documents.deck.slides import Slide
from dcq.documents.drawing import alt_of, figure_of
from dcq.sections import Example, Exhibit
from dcq.ui.text import alignment, plain

LARGER = 1.4  # than on other pages
ALONE = 2.0  # of sentences that have the slide to themselves
TALLEST = 640  # pixels of a chart that is seen whole

# The buttons are there for whoever looks for them, with a mouse or with the Tab key.
_STYLE = f"""<style>
[data-testid="stHeader"] {{display: none}}
[data-testid="stMainBlockContainer"] {{padding: 2rem 4rem 1rem}}
.st-key-present_slide {{gap: 1.1rem}}
.st-key-present_slide h1 {{font-size: 3rem}}
.st-key-present_slide [data-testid="stMarkdownContainer"] > p,
.st-key-present_slide [data-testid="stTable"] * {{font-size: {LARGER}rem; line-height: 1.45}}
.st-key-present_words [data-testid="stMarkdownContainer"] > p {{font-size: {ALONE}rem}}
.st-key-present_slide [data-testid="stCaptionContainer"] > p {{font-size: 1.05rem}}
.st-key-present_controls {{opacity: 0}}
.st-key-present_controls:hover, .st-key-present_controls:focus-within {{opacity: 1}}
</style>"""


def show(slide: Slide) -> None:
    """The title, then sentences, and what there is to look at with its caption."""
    st.html(_STYLE)
    with st.container(key="present_slide"):
        st.title(plain(slide.title), anchor=False)
        alone = not (slide.reasons or slide.example or slide.exhibit)
        with st.container(key="present_words" if alone else None):
            for sentence in slide.sentences:
                st.markdown(plain(sentence))
        for about, reason in slide.reasons:
            st.markdown(f"**{plain(about)}** · {plain(reason)}")
        if slide.example is not None:
            _show_example(slide.example, revealed=slide.revealed)
        if slide.exhibit is not None:
            _show_exhibit(slide.exhibit)


def _show_example(example: Example, *, revealed: bool) -> None:
    for letter, text in example.options:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{letter}**", width="content")
            st.markdown(plain(text), text_alignment=alignment(text))
            if revealed and letter == example.original:
                st.badge("original", icon=":material/bookmark:", color="blue")
            if revealed and letter == example.chosen:
                st.badge("chosen", icon=":material/check:", color="orange")
    _caption(example.caption)


def _show_exhibit(exhibit: Exhibit) -> None:
    figure = figure_of(exhibit)
    if figure is not None:
        height = figure.layout.height or TALLEST
        st.plotly_chart(
            charts.enlarge(figure, max(1.0, min(LARGER, TALLEST / height))),
            key="present_chart",
            alt=alt_of(exhibit),
            config={"displayModeBar": False, "staticPlot": True},
        )
    else:
        st.table(exhibit.table.map(lambda cell: plain(str(cell))))
    _caption(exhibit.caption)


def _caption(lines: tuple[str, ...]) -> None:
    st.caption("\\\n".join(map(plain, lines)))
