"""An endpoint ready to be called; the embedded model runs for as long as it is needed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from dcq.models.embedded import EmbeddedServer
from dcq.models.endpoints import Endpoint
from dcq.models.presets import EMBEDDED


@contextmanager
def serve(endpoint: Endpoint) -> Iterator[Endpoint]:
    """The endpoint with its base URL; starts and stops the embedded model, leaves others alone.

    Concurrent users of the embedded model in this process share one server.
    """
    if endpoint.preset != EMBEDDED:
        yield endpoint
        return
    server = _shared.enter()
    try:
        yield replace(endpoint, base_url=server.base_url)
    finally:
        _shared.leave(server)


class _Shared:
    """The running server and how many use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users: dict[EmbeddedServer, int] = {}

    def enter(self) -> EmbeddedServer:
        with self._lock:
            server = next(
                (
                    known_embedded_server
                    for known_embedded_server in self._users
                    if known_embedded_server.pid
                ),
                None,
            )
            if server is None:  # none yet, or it died
                server = EmbeddedServer()
                server.start()
            self._users[server] = self._users.get(server, 0) + 1
            return server

    def leave(self, server: EmbeddedServer) -> None:
        with self._lock:
            self._users[server] -= 1
            if not self._users[server]:
                del self._users[server]
                server.stop()


_shared = _Shared()
