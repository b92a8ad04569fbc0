"""Is a server listening at an address? Opens a connection without sending anything."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit


def reachable(url: str, *, seconds: float = 1.5) -> bool:
    """True if the host and port of ``url`` accept a connection within ``seconds``."""
    parts = urlsplit(url)
    port = parts.port or (80 if parts.scheme == "http" else 443)
    if not parts.hostname:
        return False
    try:
        with socket.create_connection((parts.hostname, port), timeout=seconds):
            return True
    except OSError:
        return False
