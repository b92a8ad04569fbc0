"""Verdicts and comparisons, cached."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dcq.judging import changes, snapshot, study
from dcq.judging.answer import Answer, Concluded, Pair, conclusions_by_run, word_of
from dcq.judging.answers import ORDER, answers
from dcq.judging.comparisons import ComparedResults
from dcq.judging.judged import JudgedResult, Ruling
from dcq.judging.matrix import Matrix, matrix
from dcq.judging.study import JudgedStudy
from dcq.naming import is_meant
from dcq.store import Store, answer_plans, conclusions, overlaps, studies
from dcq.store.studies import EVERYTHING, Study
from dcq.ui.text import plain

_judged_here: set[tuple[str, Study]] = set()


def findings_of(
    store: Store, within: Study = EVERYTHING, *, every_run: bool = False
) -> tuple[JudgedResult, ...]:
    """As ``dcq.judging.study.findings``; computed again only after a relevant write, or another
    cut-off of the user's own."""
    return _judge(str(store.path), snapshot.state(store), within, every_run)


def answers_of(store: Store, within: Study = EVERYTHING) -> tuple[Answer, ...]:
    """As ``dcq.judging.answers.answers``; computed again only after a relevant write."""
    return _answer(str(store.path), _state_of_answers(store), within)


def _state_of_answers(store: Store) -> tuple[int, ...]:
    return (
        *snapshot.state(store),
        len(answer_plans.listing(store)),
        len(overlaps.runs_of(store)),
    )


def matrix_of(store: Store, within: Study = EVERYTHING) -> Matrix:
    """As ``dcq.judging.matrix.matrix``, of all results; computed again only after a relevant
    write."""
    return _arrange(str(store.path), _state_of_answers(store), within)


def since_of(
    store: Store, within: Study, moment: datetime
) -> tuple[tuple[Answer, Ruling | None], ...]:
    """As ``dcq.judging.changes.since``; computed again only after a relevant write."""
    return _since(str(store.path), _state_of_answers(store), within, moment)


def in_other_studies(store: Store, within: Study, answers: Iterable[Answer]) -> dict[Pair, str]:
    """The pairs of a study, its ``answers``, that are also in another one, which a person has
    saved, with what that concluded last, as a sentence."""
    said: dict[Pair, list[str]] = defaultdict(list)
    pairs = [answer.pair for answer in answers]
    for other in studies.listing(store):
        if other.name == within.name:
            continue
        last = {
            (entry.model, entry.partition_id): entry for entry in conclusions.newest(store, other)
        }
        for model, partition in pairs:
            named = other.models is None or is_meant(model, other.models)
            if named and other.takes(partition, is_control=False):
                entry = last.get((model, partition))
                ruling = f": {word_of(entry.ruling)}" if entry else ""
                said[model, partition].append(f"Also in the study “{other.name}”{ruling}.")
    return {pair: " ".join(sentences) for pair, sentences in said.items()}


def changed_of(store: Store, within: Study = EVERYTHING) -> dict[str, str]:
    """As ``dcq.judging.changes.sentences``."""
    return changes.sentences(store, within, answers_of(store, within))


def show_last(store: Store, within: Study = EVERYTHING) -> DeltaGenerator:
    """A place in which the last conclusion that was kept stands while this process judges a study
    for the first time, with its date; whoever has judged it empties the place."""
    place = st.empty()
    if (str(store.path), within) not in _judged_here:
        kept = conclusions.newest(store, within)
        if kept:
            first = min(
                kept,
                key=lambda entry: (
                    ORDER.index(Ruling(entry.ruling)),
                    2.0 if entry.p_value is None else entry.p_value,
                ),
            )
            with place.container():
                st.markdown(f"#### {plain(first.sentence)}")
                st.caption(
                    f"This was the conclusion on {first.made_at:%d %b %Y, %H:%M} UTC. All results "
                    "are being judged again."
                )
    return place


def concluded_of(store: Store, within: Study = EVERYTHING) -> Concluded:
    """The conclusion on the model and partition of each run."""
    return conclusions_by_run(answers_of(store, within))


def comparisons_of(store: Store, within: Study = EVERYTHING) -> tuple[ComparedResults, ...]:
    """As ``dcq.judging.comparisons.comparisons``; computed again only after a relevant write."""
    return _compare(str(store.path), snapshot.state(store), within)


def judged_of(store: Store, within: Study = EVERYTHING) -> JudgedStudy:
    """As ``dcq.judging.study.judged``; computed again only after a relevant write."""
    return _judge_all(str(store.path), snapshot.state(store), within)


# Not copied for each session, as everything in them is frozen. ``state`` is read before the rest,
# so a write in the meantime makes the next call compute them again.
@st.cache_resource(max_entries=8, show_spinner="Computing the verdicts…")
def _judge(
    path: str, state: tuple[int, ...], within: Study, every_run: bool
) -> tuple[JudgedResult, ...]:
    """``state`` is only part of the cache key."""
    return tuple(study.findings(Store(path), within, every_run=every_run))


@st.cache_resource(max_entries=4, show_spinner="Computing the verdicts…")
def _judge_all(path: str, state: tuple[int, ...], within: Study) -> JudgedStudy:
    """``state`` is only part of the cache key."""
    return study.judged(Store(path), within)


@st.cache_resource(max_entries=8, show_spinner="Computing the answers…")
def _answer(path: str, state: tuple[int, ...], within: Study) -> tuple[Answer, ...]:
    """``state`` is only part of the cache key."""
    store = Store(path)
    found = answers(store, within)
    changes.keep(store, within, found)
    _judged_here.add((path, within))
    return tuple(found)


@st.cache_resource(max_entries=8, show_spinner="Arranging the matrix…")
def _arrange(path: str, state: tuple[int, ...], within: Study) -> Matrix:
    """``state`` is only part of the cache key."""
    store = Store(path)
    return matrix(store, study.findings(store, within), _answer(path, state, within), within)


@st.cache_resource(max_entries=8, show_spinner="Reading earlier conclusions…")
def _since(
    path: str, state: tuple[int, ...], within: Study, moment: datetime
) -> tuple[tuple[Answer, Ruling | None], ...]:
    """``state`` is only part of the cache key."""
    return tuple(changes.since(Store(path), _answer(path, state, within), moment))


@st.cache_resource(max_entries=4, show_spinner="Comparing the answers…")
def _compare(path: str, state: tuple[int, ...], within: Study) -> tuple[ComparedResults, ...]:
    """``state`` is only part of the cache key."""
    return tuple(study.comparisons(Store(path), within))
