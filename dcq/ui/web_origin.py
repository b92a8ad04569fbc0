"""Protects the app from other web pages, and tells whether other machines can reach it.

A browser lets any page open a WebSocket to any address. Streamlit refuses foreign pages, but treats
every page of this machine as its own (``localhost`` with any port), so another local program's page
could press the buttons here.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st
from streamlit import config


def foreign() -> str | None:
    """The address of the page that controls this session, if it is not the app's own; else None.

    A page is the app's own if its host is the one it connects to or, when set explicitly, that of
    ``browser.serverAddress`` (a proxy may leave the port out), or if it is listed in
    ``server.corsAllowedOrigins``. Clients other than browsers send no origin and are not stopped
    here.
    """
    origin = st.context.headers.get("Origin")
    if origin is None:
        return None
    page = urlsplit(origin)
    named = config.get_option("browser.serverAddress")
    is_own = (
        page.netloc == st.context.headers.get("Host")
        or origin in config.get_option("server.corsAllowedOrigins")
        or (config.is_manually_set("browser.serverAddress") and page.hostname == named)
    )
    return None if is_own else origin


def open_to_others() -> bool:
    """Whether other machines reach this app: it listens on more than this machine's own address, or
    has a name among browsers, as behind a web server."""
    names = [config.get_option("server.address")]
    if config.is_manually_set("browser.serverAddress"):
        names.append(config.get_option("browser.serverAddress"))
    return not all(name and _is_here(name) for name in names)


def _is_here(name: str) -> bool:
    try:
        return name.lower() == "localhost" or ip_address(name).is_loopback
    except ValueError:  # the name of a machine
        return False
