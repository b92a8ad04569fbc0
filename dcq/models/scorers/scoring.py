"""A scorer for an endpoint in likelihood mode."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from dcq.models.endpoints import Endpoint, split_mode
from dcq.models.hooks import NO_HOOKS, Hooks
from dcq.models.presets import EMBEDDED
from dcq.models.scorable import GGUF
from dcq.models.scorers.child import LLAMA_CPP, NUMPY
from dcq.models.scorers.child_scorer import ChildScorer
from dcq.models.scorers.endpoint_scorer import EchoScorer
from dcq.models.scorers.folder import FolderScorer
from dcq.models.scorers.likelihood import Scorer


@asynccontextmanager
async def open_scorer(
    endpoint: Endpoint,
    hooks: Hooks = NO_HOOKS,
) -> AsyncIterator[Scorer]:
    """The scorer of an endpoint, or of a model on this machine, which makes no calls for the
    ``hooks`` to hear of."""
    path = Path(endpoint.model)
    if endpoint.base_url:
        async with EchoScorer(endpoint, hooks=hooks) as scorer:
            yield scorer
    elif path.suffix == GGUF:
        embedded = split_mode(endpoint.name)[0] == EMBEDDED
        with closing(ChildScorer(NUMPY if embedded else LLAMA_CPP, path)) as local:
            yield local
    else:
        yield FolderScorer(path)
