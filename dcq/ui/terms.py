"""How much is asked and within which limits: the inputs between the models and the button."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from dcq import settings
from dcq.asking.prepare import MOST_CALLS, Terms
from dcq.errors import DcqError
from dcq.models import batch
from dcq.models.endpoints import resolve
from dcq.ui.text import plain

PILOT = 10  # instances
_PILOT, _ALL = f"Pilot of {PILOT}", "All"
_NOW, _BATCH = "Now", "By batch, half price"


@dataclass(frozen=True)
class Chosen:
    """What the user chose for the runs that are about to start."""

    terms: Terms
    reuse: bool
    by_batch: bool


def choose(
    models: Sequence[str],
    *,
    page: str,
    batches: bool = True,
    early: bool = False,
    whole: str | None = None,
) -> Chosen:
    """The inputs, whose keys begin with ``page``; those that do not apply to ``models`` are not
    shown. ``batches`` offers asking by batch, ``early`` shows the switch for planned looks,
    ``whole`` says why there can be none."""
    without = [model for model in models if not (batches and _has_batches(model))]
    batched = bool(models) and not without
    row = st.container(
        horizontal=True, gap="medium", vertical_alignment="bottom"
    )  # wraps where labels would be cut off
    share = row.segmented_control(
        "How many",
        [_PILOT, _ALL],
        default=_ALL,
        required=True,
        key=f"{page}_share",
        persist_state="page",
        help="A pilot asks the first ten instances; the run can go on to all of them later.",
    )
    when = _NOW
    if batched:
        when = row.segmented_control(
            "When",
            [_NOW, _BATCH],
            default=_NOW,
            required=True,
            key=f"{page}_when",
            persist_state="page",
            help="OpenAI's Batch API answers within a day, usually sooner, at half the list price.",
        )
    budget = row.number_input(
        "Budget a run, USD",
        min_value=0.01,
        value=None,
        step=1.0,
        placeholder="no limit",
        key=f"{page}_budget",
        persist_state="page",
        width=260,
        help="Asking stops before a call could exceed it. Needs a model whose price is known.",
    )
    if batches and without and len(without) < len(models):
        noun = "has" if len(without) == 1 else "have"
        st.caption(
            f"Asking by batch, at half price, needs a provider with batches: "
            f"{plain(', '.join(without))} {noun} none."
        )
    with row.popover("More", icon=":material/tune:"):
        left, right = st.columns(2)
        calls = left.number_input(
            "Calls a run, at most",
            min_value=1,
            max_value=MOST_CALLS,
            value=None,
            placeholder="no limit",
            key=f"{page}_max_calls",
            persist_state="page",
            help="Calls that failed and were made again count as well.",
        )
        concurrency = right.number_input(
            "Calls in flight",
            min_value=1,
            max_value=256,
            value=None,
            placeholder="as the endpoint allows",
            key=f"{page}_concurrency",
            persist_state="page",
            help="Asking slows down by itself when the endpoint reports too many requests.",
        )
        reuse = st.toggle(
            "Reuse answers stored for identical requests",
            key=f"{page}_reuse",
            persist_state="page",
            help="Same model, prompt and parameters. They cost nothing, and each records the run "
            "it comes from. Leave this off to see whether the model gives the same answers again.",
        )
    if early and (share == _PILOT or when == _BATCH or reuse):
        whole = "Early looks need all instances, asked now and without stored answers."
    sequential, futility = _looks(whole) if early else (False, False)
    return Chosen(
        Terms(PILOT if share == _PILOT else None, budget, calls, concurrency, sequential, futility),
        reuse,
        when == _BATCH,
    )


def _looks(whole: str | None) -> tuple[bool, bool]:
    """Whether a run may end early for efficacy (the partition was seen), and for futility."""
    row = st.container(horizontal=True, gap="medium", vertical_alignment="center")
    seen = row.toggle(
        "Look early, and stop once contamination shows",
        key="quiz_sequential",
        disabled=bool(whole),
        help="The looks are planned before the first call, each with its own threshold, so that "
        "the overall error rate is that of a single test. A seen partition takes about half the "
        "calls.",
    )
    if whole:
        row.caption(plain(whole))
        return False, False
    futile = seen and row.toggle(
        "Also stop if nothing is likely to be found",
        key="quiz_futility",
        help="Saves calls on unseen partitions, but misses a few more that were seen.",
    )
    return seen, futile


def _has_batches(model: str) -> bool:
    try:
        batch.check(resolve(model, settings.load()))
    except DcqError:
        return False
    return True
