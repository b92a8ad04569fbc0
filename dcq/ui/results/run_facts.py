"""How a run was asked and what it cost, in a few lines."""

from __future__ import annotations

import streamlit as st

from dcq.asking import cost
from dcq.jobs.state import state_of
from dcq.judging.served import served
from dcq.quiz.results import Result
from dcq.store import Store, results, run_progress, runs
from dcq.store.runs import Plan
from dcq.ui import latency, notice, page
from dcq.ui.text import plain


def show(store: Store, result: Result) -> None:
    """State, outcomes, wording and parameters, tokens and cost of the run of ``result``."""
    run = runs.load(store, result.run)
    timed = results.latency(store, [result.run]).get(result.run)
    [progress] = run_progress.progress(store, [result.run])
    state = state_of(store, run.id, progress.event, progress.event_at)
    done, items = progress.done, progress.items
    if done < items or state.live:
        notice.info(f"{done:,} of {items:,} questions are answered so far ({state}).")
        page.go("quiz", "Watch or resume the run", quiz_all_runs="true")
    answered_by = served(store, run.id)
    if mismatch := answered_by.mismatch():
        notice.warning(mismatch, icon=":material/shuffle:")
    facts = {
        "Run": f"{run.id}, {run.at:%d %b %Y, %H:%M} UTC",
        "Endpoint": run.plan.base_url or "on this machine",
        "Served": answered_by.words(),
        "Prompt": f"{run.plan.prompt}, temperature {run.plan.temperature:g}, "
        f"at most {run.plan.max_tokens} tokens",
        "Tokens": f"{cost.bound(progress)}{progress.tokens_in:,} in, {progress.tokens_out:,} out",
        "Speed": latency.words(timed),
        "Cost": _cost(run.plan, cost.Cost.of(progress)),
        "Quiz": f"{result.quiz}, {items:,} questions",
    }
    for name, fact in facts.items():
        if fact:
            st.caption(f"**{name}** {plain(fact)}")
    without_letter = results.reasons(store, result.run)
    if not without_letter.empty:
        with st.expander(f"Why {int(without_letter['count'].sum()):,} replies gave no letter"):
            st.dataframe(
                without_letter,
                hide_index=True,
                alt="Outcomes without a letter, with their reasons and counts.",
            )


def _cost(plan: Plan, spent: cost.Cost | None) -> str:
    """What the run has cost, with the date of its prices."""
    words = cost.words(spent)
    if spent is None or not spent.most or plan.price_date is None:
        return words
    return f"{words}, prices of {plan.price_date:%d %b %Y}"
