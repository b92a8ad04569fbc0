"""Where the original goes: the choice on the quiz page, and the resulting slot for each model."""

from __future__ import annotations

import streamlit as st

from dcq.quiz import build
from dcq.quiz.placing import Places, place_originals
from dcq.records import LETTERS, Kind
from dcq.store import Store, run_progress
from dcq.ui.text import plain

OWN = "Each model's own"


def choose(kind: Kind, *, key: str) -> str | None:
    """A letter, or None for the slot that each model itself chose least. None, and nothing shown,
    if the quiz has no single slot for the original."""
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
    store: Store, sample_id: str, kind: Kind, letter: str | None
) -> tuple[str | None, str | None]:
    """For the preview: the slot of the original for the first model chosen, and the id of the bdq
    whose variants it uses."""
    chosen = [*st.session_state.get("quiz_models", []), run_progress.last_model(store)]
    models = [model for model in chosen if model][:1]
    places = place_originals(store, sample_id, [], kind, models, letter=letter)
    return next(((place.letter, place.bdq) for place in places.values()), (letter, None))


def explain(places: Places, sample_id: str) -> None:
    """Why each model has its slot, one line each."""
    reasons = [place.why for (sample, _), place in places.items() if sample == sample_id]
    for why in dict.fromkeys(filter(None, reasons)):
        st.caption(plain(why))
