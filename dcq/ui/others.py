"""What others sent, beside one's own results: named with the sender, taken in or back, asked again
as one's own."""

from __future__ import annotations

import streamlit as st

from dcq.judging.answer import as_sent
from dcq.store import Store, sources
from dcq.store.sources import SentConclusion, Source
from dcq.ui import action, notice, page, roles
from dcq.ui.text import plain

_TAKEN_IN = "Their replies count in your studies, and every conclusion that rests on them says so."
_BESIDE = "Their replies do not count in your studies."


def show(store: Store, *, key: str, partition: str | None = None) -> None:
    """A section for each sender, closed at first; nothing where nobody sent anything. With a
    ``partition``, only what is about it."""
    for source in sources.listing(store):
        found = [
            outcome
            for outcome in sources.outcomes(store, source.id)
            if partition in {None, outcome.partition}
        ]
        if partition is None or found:
            _show(store, source, found, key)


def offer_again(store: Store, run: str, *, key: str) -> None:
    """The button that makes the questions of a run of others one's own, and goes where they are
    asked: with one's own model and key, never at an address that others chose."""
    if action.pressed("Ask again as your own", icon=":material/replay:", key=key, kind="tertiary"):
        action.attempt(lambda: _ask_again(store, run))


def _ask_again(store: Store, run: str) -> None:
    from dcq.files import others  # takes a while to import

    question = others.copy_questions(store, run)
    page.switch_to("quiz", quiz_sample=question.sample)


def _show(store: Store, source: Source, found: list[SentConclusion], key: str) -> None:
    with st.expander(plain(f"From others: {source.who}"), icon=":material/inbox:"):
        by = f" by {source.author}" if source.author else ""
        study = f" · study “{source.study}”" if source.study else ""
        notice.caption(f"Imported {source.at:%d %b %Y}{by}{study}. {_state(source)}")
        for i, outcome in enumerate(found):
            st.markdown(plain(as_sent(outcome.ruling, outcome.sentence)))
            for run in outcome.runs[:1]:
                offer_again(store, run, key=f"{key}_again_{source.id[:12]}_{i}")
        _offer_taking(store, source, key)


def _state(source: Source) -> str:
    if source.taking is None:
        return _BESIDE
    who = f" by {source.taking.author}" if source.taking.author else ""
    when = f"{source.taking.at:%d %b %Y}"
    what = "in" if source.taken else "back"
    return f"Taken {what}{who} on {when}. {_TAKEN_IN if source.taken else _BESIDE}"


def _offer_taking(store: Store, source: Source, key: str) -> None:
    from dcq.files import others  # takes a while to import

    author = roles.known_author()
    if source.taken:
        action.button(
            "Take it back out of your studies",
            lambda: others.take_back(store, source.id, author),
            key=f"{key}_back_{source.id[:12]}",
            icon=":material/undo:",
        )
    else:
        action.button(
            "Take all of it into your studies",
            lambda: others.take_in(store, source.id, author),
            key=f"{key}_in_{source.id[:12]}",
            icon=":material/input:",
        )
