"""``streamlit run app.py`` in processes of their own, forked from one that has the imports done.

As ``tests/support/commands.py`` does it for ``python -m dcq``, which is also how such an app starts
its own. Both starts are tried where a test file says so (``cold_start``), and that of the app in
``tests/browser/test_installed.py``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from dcq.jobs import process
from dcq.settings import ROOT
from tests.support import commands

# What a server imports as it starts, and a page as it is first drawn.
_IMPORTS = (
    *("streamlit.web.cli", "streamlit.web.bootstrap", "streamlit.web.server.starlette"),
    *("streamlit.web.server.starlette.starlette_agent_routes", "streamlit.hello.streamlit_app"),
    *("uvicorn", "uvicorn.lifespan.on", "uvicorn.protocols.http.h11_impl"),
    *("uvicorn.protocols.websockets.websockets_sansio_impl", "anyio._backends._asyncio"),
    *("starlette.middleware.sessions", "starlette.staticfiles", "starlette.websockets"),
    *("streamlit.watcher.polling_path_watcher", "streamlit.material_icon_names"),
    *("streamlit.runtime.scriptrunner.magic_funcs", "streamlit.dataframe.lazy_df_adapters"),
    *("streamlit.web.server.app_discovery", "streamlit.web.skills", "starlette.applications"),
    *("starlette.middleware.body_limit", "starlette.middleware.errors", "packaging.tags"),
    *("uvicorn.protocols.http.auto", "pysbd", "pyarrow.vendored.version"),
    *("plotly.graph_objects", "pandas", "duckdb", "pyarrow.pandas_compat", "PIL.ImageFile"),
)
_OURS = ("charts", "documents", "ui")  # what pages import, with all that lies below


class AppServer(Protocol):
    """A process with the app in it."""

    def running(self) -> bool:
        """Whether it has not ended."""

    def end(self) -> None:
        """Stop it as a service manager would, and wait until it has ended."""


class Cold:
    """The app in a new Python, as a person starts it."""

    def __init__(self, port: int, environment: Mapping[str, str], log: Path) -> None:
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "streamlit", *_words(port)],
                cwd=ROOT,
                env=environment,
                stdout=output,
                stderr=output,
            )

    def running(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        self._process.terminate()
        self._process.wait(60)  # a busy machine takes its time


class Forked:
    """The app in a process that has its imports done."""

    def __init__(self, port: int, environment: Mapping[str, str], log: Path) -> None:
        commands.begin(preload())
        words = [commands.place(), *_words(port)]
        self._process = commands.fork(
            _serve, words, environment, str(log), str(log), preload(), daemon=False
        )

    def running(self) -> bool:
        return self._process.is_alive()

    def end(self) -> None:
        self._process.terminate()
        self._process.join(60)


def preload() -> list[str]:
    """Names of the modules that every page needs, ours and others'."""
    ours = [path for folder in _OURS for path in (ROOT / "dcq" / folder).rglob("*.py")]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in ours]
    imported = sorted(name.removesuffix(".__init__") for name in names)
    return [*_IMPORTS, *imported, *commands.PRELOADED, "tests.support.app_warm"]


def _words(port: int) -> list[str]:
    return [
        "run", "app.py", "--server.headless", "true", "--server.port", str(port),
        "--server.fileWatcherType", "none",
    ]  # fmt: skip


def _serve(words: list[str]) -> None:
    from streamlit.web import cli

    place, *words = words
    commands.be_sibling(place)
    process.spawn = commands.spawn
    os.chdir(ROOT)
    sys.argv = ["streamlit", *words]
    cli.main()
