"""The inputs for how much is asked and within which limits."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dcq import settings
from dcq.asking.options import MOST_CALLS, Options, Terms
from dcq.errors import DcqError
from dcq.models import batch
from dcq.models.endpoints import resolve
from dcq.ui import roles
from dcq.ui.text import plain

PILOT = 10  # instances
_PILOT, _ALL = f"Pilot of {PILOT}", "All"
_NOW, _BATCH = "Now", "By batch, half price"


def choose(
    models: Sequence[str],
    *,
    page: str,
    batches: bool = True,
    early: bool = False,
    why_no_looks: str | None = None,
) -> Options:
    """The inputs, whose keys begin with ``page``; those that do not apply to ``models`` are not
    shown. ``batches`` offers asking by batch, ``early`` shows the switch for planned looks,
    ``why_no_looks`` is the reason why no looks can be planned."""
    without = [model for model in models if not (batches and _has_batches(model))]
    batched = bool(models) and not without
    row = st.container(
        horizontal=True, gap="medium", vertical_alignment="bottom"
    )  # wraps where labels would be cut off
    limit = choose_limit(row, key=f"{page}_share")
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
    budget = choose_budget(row, "Budget a run, USD", key=f"{page}_budget")
    if batches and without and len(without) < len(models):
        noun = "has" if len(without) == 1 else "have"
        st.caption(
            f"Asking by batch, at half price, needs a provider with batches: "
            f"{plain(', '.join(without))} {noun} none."
        )
    with row.popover("More", icon=":material/tune:"):
        left, right = st.columns(2)
        calls = choose_calls(left, "Calls a run, at most", key=f"{page}_max_calls")
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
    if early and (limit is not None or when == _BATCH or reuse):
        why_no_looks = "Early looks need all instances, asked now and without stored answers."
    sequential, futility = _looks(why_no_looks) if early else (False, False)
    terms = Terms(limit, budget, calls, concurrency, sequential, futility)
    return Options(terms, reuse, when == _BATCH, author=roles.known_author())


def choose_limit(row: DeltaGenerator, *, key: str, pilot: bool = False) -> int | None:
    """A choice between a pilot and all instances; returns the limit. ``pilot``: what is selected
    first."""
    share = row.segmented_control(
        "How many",
        [_PILOT, _ALL],
        default=_PILOT if pilot else _ALL,
        required=True,
        key=key,
        persist_state="page",
        help="A pilot asks the first ten instances; the run can go on to all of them later.",
    )
    return PILOT if share == _PILOT else None


def choose_budget(
    row: DeltaGenerator, label: str, *, key: str, first: float | None = None
) -> float | None:
    """A budget in USD, None for no limit."""
    return row.number_input(
        label,
        min_value=min(0.01, first) if first else 0.01,
        value=first,
        step=1.0,
        placeholder="no limit",
        key=key,
        persist_state="page",
        width=260,
        help="Asking stops before a call could exceed it. Needs a model whose price is known.",
    )


def choose_calls(where: DeltaGenerator, label: str, *, key: str) -> int | None:
    """A cap on calls, None for no limit."""
    return where.number_input(
        label,
        min_value=1,
        max_value=MOST_CALLS,
        value=None,
        placeholder="no limit",
        key=key,
        persist_state="page",
        help="Calls that failed and were made again count as well.",
    )


def _looks(why_not: str | None) -> tuple[bool, bool]:
    """Whether a run may end early for efficacy (the partition was seen), and for futility."""
    row = st.container(horizontal=True, gap="medium", vertical_alignment="center")
    seen = row.toggle(
        "Look early, and stop once contamination shows",
        key="quiz_sequential",
        disabled=bool(why_not),
        help="The looks are planned before the first call, each with its own threshold, so that "
        "the overall error rate is that of a single test. A seen partition takes about half the "
        "calls.",
    )
    if why_not:
        row.caption(plain(why_not))
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
