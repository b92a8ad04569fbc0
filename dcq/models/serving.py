"""An endpoint that is ready to be called: the embedded model runs for as long as it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from dcq.models.embedded import EmbeddedServer
from dcq.models.endpoints import EMBEDDED, Endpoint


@contextmanager
def serve(endpoint: Endpoint) -> Iterator[Endpoint]:
    """The endpoint with its base URL; starts and stops the embedded model, leaves others alone."""
    if endpoint.preset != EMBEDDED:
        yield endpoint
        return
    with EmbeddedServer() as server:
        yield replace(endpoint, base_url=server.base_url)
