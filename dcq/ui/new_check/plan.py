"""What a check would find and take, and the button that starts it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dcq.errors import DcqError
from dcq.investigation.planned import PowerPlan, cases
from dcq.models import embedded
from dcq.models.presets import EMBEDDED
from dcq.store import Store, results, samples
from dcq.study import engine, running
from dcq.study.draft import Draft
from dcq.study.state import read_state
from dcq.ui import action, notice, page, plan_view
from dcq.ui.new_check import checks, trying
from dcq.ui.new_check.checks import SavedCheck
from dcq.ui.text import plain
from dcq.words import counted, usd_words


def offer(store: Store, draft: Draft) -> None:
    """The plan, its price, and the button; where it cannot start, why, and what would help."""
    why_not = ""
    plan: PowerPlan | None = None
    try:
        check = checks.read_draft(store, draft)
        if (now := checks.running_now(store, check.spec.name)) is not None:
            _refer(now)
            return
        for note in read_state(store, check.spec).notes:
            notice.caption(note)
        plan = _plan(
            str(store.path), check.key, (*results.state(store), *samples.state(store)), check
        )
        if plan.calls:
            engine.check_possible(plan)
    except DcqError as error:
        why_not = str(error)
    if plan is not None:
        _show(plan)
    if why_not:
        notice.warning(why_not, icon=":material/block:")

    def start() -> None:
        saved = checks.save(store, draft)
        checks.start(store, saved)
        st.query_params[checks.KEY] = saved.key

    action.button(
        "Start" if plan is None or plan.calls else "Show the conclusions",
        start,
        key="check_start",
        icon=":material/play_arrow:",
        kind="primary",
        why_not=why_not,
    )


def _refer(now: SavedCheck) -> None:
    """While the plan would change with each reply."""
    notice.info(
        f"A check of “{now.spec.name}” is under way. Wait until it has ended, or stop it.",
        icon=":material/hourglass_empty:",
    )
    page.link("new_check", "Watch it", **{checks.KEY: now.key})


def _show(plan: PowerPlan) -> None:
    if not plan.calls:
        st.markdown("Everything that this check needs was asked before.")
        return
    price = "free of charge" if plan.usd == 0 else usd_words(plan.usd)
    models = len({pair.model for pair in plan.pairs})
    facts = [f"**{counted(plan.calls, 'call')} to {counted(models, 'model')}**"]
    facts += filter(None, [trying.time_words(plan)])
    slow = sum(need.tokens_in for need in plan.needs if need.model == EMBEDDED and need.calls)
    st.markdown(
        " · ".join([*facts, plain(price)]) + f". {embedded.time_words(slow) if slow else ''}"
    )
    if any(pair.finds for pair in plan.pairs):
        plan_view.show_line(plan)
        st.caption(_fifth(plan))
    plan_view.offer_details(plan, key="check_outlook")


def _fifth(plan: PowerPlan) -> str:
    """What is found of a benchmark that was seen in a small part, by the least able pair."""
    pairs = len(plan.pairs) + len(plan.others)
    corrected = f", after correction for {counted(pairs, 'pair')}" if pairs > 1 else ""
    least = min(pair.power.fifth for pair in plan.pairs if pair.finds)
    return f"Finds a fifth seen in {cases(least)}{corrected}."


@st.cache_data(max_entries=16, show_spinner="Working out what this would find and cost…")
def _plan(path: str, key: str, state: tuple[int, ...], _check: SavedCheck) -> PowerPlan:
    """``key``, which says all that the check does, and ``state`` are only the cache key."""
    return running.plan_study(Store(Path(path)), _check.spec).plan
