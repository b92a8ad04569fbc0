"""Choosing a kind of quiz and the slot of the original, and the resulting slot for each model."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.quiz import build
from dcq.quiz.placing import Places, place_originals
from dcq.records import LETTERS, QuizKind
from dcq.store import Store, run_progress
from dcq.ui.result_names import kind_name
from dcq.ui.text import plain

_KEY, _FOLLOWED = "quiz_kind", "quiz_kind_followed"


def choose_kind(kinds: Sequence[QuizKind], proposed: QuizKind) -> QuizKind:
    """A picker for the kind of quiz. It follows ``proposed`` until the user chooses another kind;
    the address keeps that choice."""
    named = {str(kind): kind for kind in kinds}
    asked = st.session_state.get(_KEY)
    if asked is None:
        asked = st.query_params.get(_KEY, "").lower()
    elif asked == st.session_state.get(_FOLLOWED):
        asked = str(proposed)
    if asked not in named:
        asked = str(proposed)
    st.session_state[_KEY], st.session_state[_FOLLOWED] = asked, str(proposed)
    chosen = st.segmented_control(
        "Kind",
        list(named),
        required=True,
        format_func=lambda kind: kind_name(named[kind]),
        key=_KEY,
    )
    if chosen == str(proposed):
        st.query_params.pop(_KEY, None)
    elif st.query_params.get(_KEY) != chosen:
        st.query_params[_KEY] = str(chosen)
    return named[str(chosen)]


OWN = "Each model's own"


def choose_slots(kind: QuizKind, *, key: str) -> str | None:
    """The letter for the original, or None for the slot that each model itself chose least. None,
    and nothing is drawn, if the quiz has no single slot for the original."""
    if kind not in build.PLACED:
        return None
    chosen = st.segmented_control(
        "Slot of the original",
        [OWN, *LETTERS[: build.SLOTS]],
        default=OWN,
        required=True,
        key=key,
        bind="query-params",
        help="Each model's own: the slot that it chose least in its own modified quiz (for a BCQ, "
        "one that its own BDQ shows not to be preferred). Other samples are asked at the same "
        "slot, so that they can be compared.",
    )
    return None if chosen == OWN else chosen


def of_preview(
    store: Store, sample_id: str, kind: QuizKind, letter: str | None
) -> tuple[str | None, str | None]:
    """For the preview: the slot of the original for the first model chosen, and the id of the bdq
    whose variants it uses."""
    chosen = [*st.session_state.get("quiz_models", []), run_progress.last_model(store)]
    models = [model for model in chosen if model][:1]
    places = place_originals(store, sample_id, [], kind, models, letter=letter)
    return next(((place.letter, place.bdq) for place in places.values()), (letter, None))


def explain(places: Places, sample_id: str) -> None:
    """The reason for each model's slot, one line each."""
    reasons = [place.why for (sample, _), place in places.items() if sample == sample_id]
    for reason in dict.fromkeys(filter(None, reasons)):
        st.caption(plain(reason))
