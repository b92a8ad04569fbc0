"""What proves who an endpoint is."""

from __future__ import annotations

import functools
import ssl

import httpx2


@functools.cache
def authorities(*, trust_env: bool) -> ssl.SSLContext:
    """The certificates that the library trusts, and with ``trust_env`` those that the environment
    names: for all clients of this process, because to read them takes each 20 ms."""
    return httpx2.create_ssl_context(trust_env=trust_env)
