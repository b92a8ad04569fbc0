"""A scorer for an endpoint in likelihood mode."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from dcq.models.client import OnCall, Retry
from dcq.models.endpoint_scorer import EchoScorer
from dcq.models.endpoints import Endpoint
from dcq.models.likelihood import Scorer
from dcq.models.local import LocalScorer
from dcq.models.pace import Pace
from dcq.models.waiting import Check, go_on


@asynccontextmanager
async def open_scorer(
    endpoint: Endpoint,
    *,
    pace: Pace | None = None,
    check: Check = go_on,
    on_call: OnCall | None = None,
    on_retry: Callable[[Retry], None] | None = None,
) -> AsyncIterator[Scorer]:
    """The scorer of an endpoint, or of a model that runs in this process. ``pace``,
    ``check``, ``on_call`` and ``on_retry`` are as in ``Client``."""
    if not endpoint.base_url:
        yield LocalScorer(Path(endpoint.model))
        return
    async with EchoScorer(
        endpoint, pace=pace, check=check, on_call=on_call, on_retry=on_retry
    ) as scorer:
        yield scorer
