"""Checks by lot with a fake provider."""

from __future__ import annotations

import asyncio

from dcq.asking.options import NO_TERMS, Options, Terms
from dcq.asking.plan import RunJob, ask_rest, plan_pairs
from dcq.protect.check import OpenCheck
from dcq.protect.published import rows
from dcq.protect.secret import Secret
from dcq.store import Store
from tests.support.provider import FakeProvider


def ask(
    store: Store, opened: OpenCheck, model: str, terms: Terms = NO_TERMS, run: str | None = None
) -> str:
    """Put the sheet to a model, or what is left of a run, and open the lots."""

    async def asked() -> str:
        subject = opened.subject(store, opened.sample)
        endpoint = opened.method.endpoint(model)
        planned = (
            run or (await plan_pairs(store, opened.method, [(subject, endpoint)], terms))[0][0]
        )
        await ask_rest(store, RunJob(planned, endpoint, opened.method), Options(terms))
        return planned

    found = asyncio.run(asked())
    opened.conclude(store, found)
    return found


def teach(provider: FakeProvider, secret: Secret) -> None:
    provider.seen = tuple(row["text"] for row in rows(secret))
