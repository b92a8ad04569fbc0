"""The certificates by which an endpoint proves its identity."""

from __future__ import annotations

import functools
import ssl


@functools.cache
def authorities(*, trust_env: bool) -> ssl.SSLContext:
    """The certificate authorities that the library trusts, and with ``trust_env`` those that the
    environment names. They are shared by all clients of this process, because reading them takes 20
    ms."""
    import httpx2  # takes long, and who asks nothing needs none

    return httpx2.create_ssl_context(trust_env=trust_env)
