"""Controls that are not there yet, made or drawn by one click: bundled texts, and the placebo."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dcq.asking.options import Terms
from dcq.errors import DcqError
from dcq.evidence.controls import MANY
from dcq.investigation import more_controls
from dcq.store import Store, variants
from dcq.store.samples import ListedSample, StoredSample
from dcq.ui import action, links, notice, page, people
from dcq.ui import terms as limits
from dcq.ui.roles import Role
from dcq.ui.text import plain
from dcq.ui.variants import writing
from dcq.variants import offline, placebo_writing
from dcq.variants.placebo_writing import Writer

CONTROLS = "investigate_controls"


def show_writing(store: Store, target: StoredSample, fitting: Sequence[ListedSample]) -> bool:
    """The target or its placebo while variants of it are written, or where that stopped short;
    returns whether they are being written."""
    made = _placebo_of(target, fitting)
    for sample_id in (target.id, *([made.id] if made else [])):
        if writing.show_state(store, sample_id):
            st.caption("Then this page goes on by itself.")
            return True
    return False


def show(
    store: Store, target: StoredSample, fitting: Sequence[ListedSample], row: DeltaGenerator
) -> None:
    """Bundled controls of the target's task that are not drawn yet, in ``row`` beside the picker;
    where there are none, and few in the store, a placebo; where nothing fits at all, bundled
    controls of another task too."""
    task, language = target.partition.task, target.partition.language
    pairs = more_controls.bundled(store, task, language)
    if not fitting:
        notice.info(
            f"The store has no control of this task and language ({task}, {language}), and without "
            "one there is no verdict.",
            icon=":material/science:",
        )
    if pairs:
        with row:
            _offer_bundled(store, pairs, "", first=not fitting)
    elif len(fitting) < MANY and _placebo_of(target, fitting) is None:
        _offer_placebo(store, target, first=not fitting)
    if not fitting and not pairs and (others := more_controls.nearest(store, target)):
        _offer_bundled(store, others, " of another task", first=False)


def _placebo_of(target: StoredSample, fitting: Sequence[ListedSample]) -> ListedSample | None:
    return next((one for one in fitting if one.placebo_of == target.id), None)


def _offer_bundled(
    store: Store, pairs: Sequence[tuple[str, str]], other: str, *, first: bool
) -> None:
    """``other`` ends the label of controls that do not fit; of others it is empty."""
    noun = "control" if len(pairs) == 1 else "controls"

    def draw() -> None:
        drawn = more_controls.draw_bundled(store, pairs, author=people.known_author())
        if other:  # they are not chosen by themselves
            st.query_params[CONTROLS] = drawn
        else:
            links.forget(CONTROLS)

    action.button(
        f"Draw {len(pairs)} bundled {noun}{other}",
        draw,
        key="investigate_draw",
        icon=":material/add:",
        kind="primary" if first else "secondary",
        role=Role.ANNOTATOR,
        tip="Texts that come with dcq, with their variants, and that no model has seen."
        + (" Against these a finding stays inconclusive: they show habits only." if other else ""),
    )


def _offer_placebo(store: Store, target: StoredSample, *, first: bool) -> None:
    """One button that makes the placebo and has it worded by the writer of the target, with what
    that costs; a link where that writer cannot write it."""
    if not variants.current(store, target.id):
        page.go("variants", "Write the variants of the sample first", variants_sample=target.id)
        return
    writer = placebo_writing.writer_of(store, target.id)
    if writer is None or (writer.model is None and offline.unavailable(target.partition.language)):
        if first:
            page.go("variants", "Make a placebo of the sample", variants_sample=target.id)
        return
    terms = Terms()
    with st.container(gap="xsmall"):
        st.caption(
            "A placebo is a control made of the sample itself: one variant of each instance plays "
            "the original, and new variants of it are written "
            + plain(f"by {writer.model or 'the offline generator'}. ")
            + _cost(store, target, writer)
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if writer.model is not None:
                budget = limits.choose_budget(
                    st.container(), "Budget of the writing, USD", key="investigate_placebo_budget"
                )
                terms = Terms(budget_usd=budget)

            def start() -> None:
                placebo_writing.start(store, target.id, writer, terms, author=people.known_author())
                links.forget(CONTROLS)

            action.button(
                "Make a placebo and have it worded",
                start,
                key="investigate_placebo",
                icon=":material/balance:",
                kind="primary" if first else "secondary",
                role=Role.ANNOTATOR if writer.model is None else Role.RUNNER,
            )


def _cost(store: Store, target: StoredSample, writer: Writer) -> str:
    if writer.model is None:
        return "This is free of charge and takes seconds."
    try:
        found = placebo_writing.estimate(store, target.id, writer)
    except DcqError as error:
        return plain(str(error))
    return f"{writing.say_cost(found)}, more if replies lack variants."
