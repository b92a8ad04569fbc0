"""The slides of a study: the browser draws them from data and moves through them itself, so that a
key shows the next one without a run of the page."""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st

from dcq.documents import deck
from dcq.documents.deck import slides
from dcq.documents.pictures import source
from dcq.models import cutoffs
from dcq.store import Store, replications, score_sets
from dcq.store.studies import Study
from dcq.ui import example, page

KEY = "present_slides"


def slides_of(store: Store, within: Study) -> list[dict[str, Any]]:
    """The slides of a study, made again only after a relevant write."""
    with store.hold():
        state = (*replications.state(store), score_sets.state(store))
    return _slides(str(store.path), (*state, *cutoffs.state()), within)


@st.cache_resource(max_entries=4, show_spinner="Making the slides…")
def _slides(path: str, state: tuple[int, ...], within: Study) -> list[dict[str, Any]]:
    """``state`` is only part of the cache key."""
    return slides.documents(slides.slides(deck.build(Store(path), within)))


@cache
def _stage() -> Any:
    return st.components.v2.component(
        "dcq_present",
        js="\n".join(map(source, ("pictures.js", "slides.js", "present.js"))),
        css="\n".join(map(source, ("pictures.css", "slides.css"))),
        isolate_styles=False,  # every rule is of a class of ours
    )


def show(slides: list[dict[str, Any]]) -> None:
    """The slides on top of everything else, until they are closed; those of the example say so."""
    if example.is_shown():
        prefix = f"{example.SHORTLY} · "
        slides = [slide | {"source": prefix + slide["source"]} for slide in slides]
    heard = _stage()(key=KEY, data={"slides": slides}, on_left_change=lambda: None)
    if heard.left:
        page.switch_to("results")
