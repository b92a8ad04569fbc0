"""A scorer for an endpoint in likelihood mode."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from dcq.models.endpoints import Endpoint
from dcq.models.hooks import NO_HOOKS, Hooks
from dcq.models.scorers.endpoint_scorer import EchoScorer
from dcq.models.scorers.likelihood import Scorer
from dcq.models.scorers.local import LocalScorer


@asynccontextmanager
async def open_scorer(
    endpoint: Endpoint,
    hooks: Hooks = NO_HOOKS,
) -> AsyncIterator[Scorer]:
    """The scorer of an endpoint, or of a model that runs in this process, which makes no calls for
    the ``hooks`` to hear of."""
    if not endpoint.base_url:
        yield LocalScorer(Path(endpoint.model))
        return
    async with EchoScorer(endpoint, hooks=hooks) as scorer:
        yield scorer
