"""A scorer that is ready to be used, for an endpoint in likelihood mode."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from dcq.models.echo import EchoScorer
from dcq.models.endpoints import Endpoint
from dcq.models.likelihood import Scorer
from dcq.models.local import LocalScorer
from dcq.models.pace import Pace


@asynccontextmanager
async def open_scorer(endpoint: Endpoint, concurrency: int | None = None) -> AsyncIterator[Scorer]:
    """The scorer of an endpoint, or of a model that runs in this process. ``concurrency`` is how
    many calls may be in flight at most."""
    if not endpoint.base_url:
        yield LocalScorer(Path(endpoint.model))
        return
    async with EchoScorer(endpoint, pace=Pace(concurrency or endpoint.concurrency)) as scorer:
        yield scorer
