"""Going through slides: which one is shown, and the buttons, which the arrow keys press.

One slide on the screen: large type, and nothing else in sight."""

from __future__ import annotations

import streamlit as st

from dcq import charts
from dcq.documents import deck
from dcq.documents.deck import slides
from dcq.documents.deck.slides import Slide
from dcq.documents.exhibit_charts import alt_of, figure_of
from dcq.models import cutoffs
from dcq.sections import Example, Exhibit
from dcq.store import Store, overlaps, replications, results, score_sets
from dcq.store.studies import Study
from dcq.ui import links, page
from dcq.ui.text import alignment, plain


def slides_of(store: Store, within: Study) -> list[Slide]:
    """The slides of a study, made again only after something was written that they rest on."""
    state = (
        *results.state(store),
        *replications.state(store),
        len(overlaps.runs_of(store)),
        score_sets.state(store),
    )
    return _slides(str(store.path), (*state, *cutoffs.state()), within)


def place(key: str, count: int) -> int:
    """Which of ``count`` slides is shown, from 1: as chosen, as the address says, or the first."""
    at = min(max(links.number(key) or 1, 1), count)
    st.session_state[key] = at
    links.put(key, str(at))
    return at


def controls(key: str, at: int, count: int) -> None:
    """Buttons for the slides before and after, which stay unseen until they are looked for."""
    with st.container(
        horizontal=True,
        horizontal_alignment="center",
        vertical_alignment="center",
        key="present_controls",
    ):
        for label, shortcut, to in (("Back", "Left", at - 1), ("Forward", "Right", at + 1)):
            st.button(
                label,
                key=f"{key}_{label}",
                shortcut=shortcut,
                disabled=not 1 <= to <= count,
                on_click=st.session_state.__setitem__,
                args=(key, to),
            )
        st.caption(f"{at} of {count}", width="content")
        page.go("results", "Leave", icon=":material/close:")


@st.cache_resource(max_entries=4, show_spinner="Making the slides…")
def _slides(path: str, state: tuple[int, ...], within: Study) -> list[Slide]:
    """``state`` is only part of the cache key."""
    return slides.slides(deck.build(Store(path), within))


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
