"""An app in a process of its own and a Chromium that visits it, for what is measured there."""

from __future__ import annotations

import os
import shutil
import socket
import statistics
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, Popen
from sys import executable

from playwright.sync_api import Browser, Playwright

from dcq.settings import ROOT


@contextmanager
def served(script: Path, store: Path, settings: Path = ROOT) -> Iterator[str]:
    """The address of an app in a process of its own, with the Streamlit settings of a folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["run", str(script), "--server.headless", "true", "--server.port", str(port)]
    environment = os.environ | {"DCQ_STORE": str(store), "DCQ_AUTHOR": "Ada"}
    app = Popen(
        [executable, "-m", "streamlit", *words, "--server.fileWatcherType", "none"],
        cwd=settings, env=environment, stdout=DEVNULL, stderr=DEVNULL,
    )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).close()  # noqa: S310  (our own address)
                break
            except OSError:
                time.sleep(0.2)
        yield address
    finally:
        app.terminate()
        app.wait(60)


def open_browser(playwright: Playwright) -> Browser:
    """The Chromium of this machine."""
    return playwright.chromium.launch(
        executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
    )


def report(name: str, times: Sequence[float], peer: float | None = None) -> float:
    """Print the median in milliseconds, and its share of the peer's."""
    median = statistics.median(times)
    comparison = f", {median / peer:.2f} x the peer" if peer else ""
    print(f"{name:32} {median:6.0f} ms (least {min(times):.0f}, most {max(times):.0f}{comparison})")
    return median
