"""Models that answer the questions of ``accepted_sample``, and runs of them."""

from __future__ import annotations

import asyncio
import re

from dcq.asking.options import NO_TERMS, Terms
from dcq.asking.plan import RunJob, carry_out, plan
from dcq.asking.task import Ended
from dcq.effect.method import METHOD
from dcq.effect.questions import freeze
from dcq.store import Store
from tests.support.accepted_sample import LABELS, accept, saved
from tests.support.behaviours import Behaviour, ChatRequest, FakeReply, Outcome, ServerState


def answers(*, originals: float = 1.0, rewordings: float = 1.0) -> Behaviour:
    """Right on this share of the originals and of the rewordings, by their numbers."""

    async def behave(call: ChatRequest, server: ServerState) -> Outcome:
        found = re.search(r"number (\d+) is (\w+)", call.prompt)
        assert found is not None
        number = int(found[1])
        share = originals if found[2] == "long" else rewordings
        wrong = int((number + 1) * share) == int(number * share)
        return FakeReply(LABELS[(number + wrong) % 2])

    return behave


def accepted(
    store: Store,
    n: int = 6,
    labels: tuple[str | None, ...] = LABELS,
    *,
    first: int = 0,
    key: str = "rivers",
) -> str:
    """A sample whose rewordings are accepted; its texts are numbered from ``first``."""
    sample_id = saved(store, n, labels, first=first, key=key)
    accept(store, sample_id)
    return sample_id


def ask(
    store: Store, subject: str, model: str, terms: Terms = NO_TERMS, *, resume: bool = False
) -> tuple[str, Ended]:
    """The run of a subject by a model, asked to its end, and how it ended."""

    async def one() -> tuple[str, Ended]:
        endpoint = METHOD.endpoint(model)
        [(run_id, _)] = await plan(store, METHOD, [subject], [endpoint], terms, resume=resume)
        return run_id, await carry_out(store, RunJob(run_id, endpoint, METHOD))

    return asyncio.run(one())


def scored(store: Store, model: str, *references: str, n: int = 6) -> str:
    """A run on a sample of its own by a model that is a reference if it is named again."""
    return ask(store, freeze(store, accepted(store, n), references), model)[0]
