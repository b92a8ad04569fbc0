from __future__ import annotations

import pytest

from dcq import settings
from dcq.models.endpoints import resolve
from dcq.records import Kind
from dcq.runs import freeze, prepare
from dcq.runs.calls import asking
from dcq.runs.worker import Ended, work
from dcq.store import Store, runs


@pytest.fixture
def quiz_id(fresh_store: Store, sample_id: str) -> str:
    return freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="D").quiz


async def take(store: Store, quiz_id: str, model: str, **plan: object) -> tuple[str, Ended]:
    """Plan a run and work it off against the provider; returns its id and how it ended."""
    endpoint = resolve(model, settings.load())
    run_id = prepare.plan_run(store, quiz_id, endpoint, **plan)  # type: ignore[arg-type]  # passed on
    return run_id, await go_on(store, run_id)


async def go_on(store: Store, run_id: str) -> Ended:
    """Work on a planned run."""
    plan = runs.load(store, run_id).plan
    endpoint = resolve(plan.model, settings.load())
    async with asking(
        endpoint, temperature=plan.temperature, max_tokens=plan.max_tokens, concurrency=4
    ) as ask:
        return await work(store, run_id, ask)
