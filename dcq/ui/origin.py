"""Which web pages may drive the app: its own.

A browser lets any page open a WebSocket to any address. Streamlit refuses foreign pages, but takes
every page of this machine for its own (``localhost`` with any port), and so would let another
program's page, or one opened from it, press the buttons here.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st
from streamlit import config


def foreign() -> str | None:
    """The address of the page that drives this session, where it is not the app's own; else None.

    A page is the app's own if it has the address that it connects to, the name in
    ``browser.serverAddress`` (a proxy may leave the port out), or is listed in
    ``server.corsAllowedOrigins``. What is no browser sends no origin, and is not stopped here.
    """
    origin = st.context.headers.get("Origin")
    if origin is None:
        return None
    page = urlsplit(origin)
    named = config.get_option("browser.serverAddress")
    own = (
        page.netloc == st.context.headers.get("Host")
        or origin in config.get_option("server.corsAllowedOrigins")
        or (config.is_manually_set("browser.serverAddress") and page.hostname == named)
    )
    return None if own else origin
