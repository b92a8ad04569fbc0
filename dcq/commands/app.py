"""The app, from the command line."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from dcq.places import APP


def app(
    streamlit: Annotated[
        list[str] | None,
        typer.Argument(
            help="Options of Streamlit's own, after `--`, such as -- --server.baseUrlPath quiz."
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Where it listens; left out, 8501 or the next free."),
    ] = None,
    headless: Annotated[
        bool | None,
        typer.Option(help="Open no browser; left out, one opens where there is a desktop."),
    ] = None,
) -> None:
    """Open the app, on this machine only, until Ctrl-C."""
    words = ["run", str(APP)]
    if port is not None:
        words += ["--server.port", str(port)]
    if headless is not None:
        words += ["--server.headless", str(headless).lower()]
    words += streamlit or []
    # In place of this process, so that signals and the exit code are Streamlit's own. Without -P
    # modules of the current folder would go before those that are installed.
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-P", "-m", "streamlit", *words])  # noqa: S606  (our own interpreter; what a person gave is one argument each)
