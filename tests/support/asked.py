"""Quizzes put to the test provider, for tests that start where the answers are in."""

from __future__ import annotations

import asyncio

from dcq import settings
from dcq.models.endpoints import resolve
from dcq.models.pace import Pace
from dcq.records import Kind
from dcq.runs import freeze, prepare
from dcq.runs.calls import asking
from dcq.runs.worker import work
from dcq.store import Store, runs


def ask(store: Store, sample_id: str, kind: Kind, model: str, *, slot: str | None = None) -> str:
    """Freeze a quiz of ``kind``, put all of it to ``model`` and return the run's id."""
    letter = slot or ("D" if kind is Kind.STANDARD else None)
    quiz = freeze.freeze(store, sample_id, kind, slot=letter).quiz
    endpoint = resolve(model, settings.load())
    run = prepare.plan_run(store, quiz, endpoint)
    asyncio.run(_work(store, run))
    return run


async def _work(store: Store, run: str) -> None:
    plan = runs.load(store, run).plan
    endpoint = resolve(plan.model, settings.load())
    async with asking(
        endpoint, temperature=plan.temperature, max_tokens=plan.max_tokens, pace=Pace(8)
    ) as ask_one:
        await work(store, run, ask_one)
