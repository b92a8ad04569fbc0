"""One call a model, to see which version its endpoint serves now."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dcq.asking.calls import asking, write_texts
from dcq.errors import EndpointError
from dcq.models import prices
from dcq.models.endpoints import Endpoint, model_itself
from dcq.models.scorers.likelihood import ScoredText
from dcq.records import Mode
from dcq.study.state import ServedVersion

PROMPT = "Reply with the letter A."
MOST_TOKENS = 5  # of a reply, as in the quiz


@dataclass(frozen=True)
class Probed:
    """The ``versions`` that replied, by the name that conclusions have; what the calls came to,
    ``usd`` None where a price is unknown; and, by model, why one did not reply."""

    versions: Mapping[str, ServedVersion]
    calls: int
    usd: float | None
    failed: Mapping[str, str]


def price(endpoints: Sequence[Endpoint]) -> float | None:
    """The most that probing costs in USD; None where a price is unknown."""
    tokens = prices.estimate_tokens(PROMPT)
    costs = [
        0.0 if each.free else prices.cost(each.name, tokens, MOST_TOKENS) for each in endpoints
    ]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def probe(endpoints: Sequence[Endpoint]) -> Probed:
    """Ask each model once, all at the same time. A model that does not reply is told, and no
    error."""
    return asyncio.run(_probe_all(endpoints))


async def _probe_all(endpoints: Sequence[Endpoint]) -> Probed:
    ended = await asyncio.gather(*map(_probe_one, endpoints))
    versions: dict[str, ServedVersion] = {}
    failed: dict[str, str] = {}
    costs: list[float | None] = []
    calls = 0
    for endpoint, (found, made, cost) in zip(endpoints, ended, strict=True):
        calls += made
        costs.append(cost)
        if isinstance(found, ServedVersion):
            versions.setdefault(model_itself(endpoint.name), found)
        else:
            failed[endpoint.name] = found
    known = [cost for cost in costs if cost is not None]
    return Probed(versions, calls, sum(known) if len(known) == len(costs) else None, failed)


async def _probe_one(endpoint: Endpoint) -> tuple[ServedVersion | str, int, float | None]:
    """What one model says it is, or why it did not reply; its calls, and what they cost."""
    scored = endpoint.mode is Mode.LIKELIHOOD
    prompt = write_texts([ScoredText(PROMPT)]) if scored else PROMPT
    try:
        async with asking(endpoint, temperature=0, max_tokens=MOST_TOKENS) as ask:
            reply = await ask(prompt)
    except EndpointError as error:
        return str(error), error.calls, _cost(endpoint, error.tokens_in, error.tokens_out)
    found = ServedVersion(reply.served_model, reply.fingerprint)
    return found, reply.attempts, _cost(endpoint, reply.tokens_in, reply.tokens_out)


def _cost(endpoint: Endpoint, tokens_in: int | None, tokens_out: int | None) -> float | None:
    if endpoint.free:
        return 0.0
    return prices.cost(endpoint.name, tokens_in or 0, tokens_out or 0)
