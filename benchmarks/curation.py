"""Opening a record and accepting one, in a browser, beside a bare Streamlit page with one button.

    python -m benchmarks.curation [--instances 10000] [--steps 30]

Milliseconds on the clock from the key press to the next text on the screen, medians of several
presses, both apps served by this machine and visited by the same Chromium in turn. The bare page is
served twice, with Streamlit's own settings (the peer) and with ours.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import statistics
import tempfile
import textwrap
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, Popen
from sys import executable

from playwright.sync_api import Page, sync_playwright

from dcq.settings import ROOT
from dcq.store import Store, samples
from tests.conftest import small_sample

_BARE = """
    import streamlit as st

    st.session_state.setdefault("count", 0)

    def count():
        st.session_state.count += 1

    st.button("Next", shortcut="Right", on_click=count)
    st.markdown(f"number {st.session_state.count} of presses")
"""
# From a key press to the first frame that shows the text.
_TIMED = """
    ([key, text]) => new Promise((done, failed) => {
        const begin = performance.now();
        setTimeout(() => failed(new Error(`${text} did not appear`)), 30_000);
        const look = () => [...document.querySelectorAll('[data-testid=stMarkdownContainer]')]
            .some(shown => shown.textContent.includes(text))
                ? done(performance.now() - begin) : requestAnimationFrame(look);
        const code = key.length === 1 ? `Key${key.toUpperCase()}` : key;
        const options = {key, code, bubbles: true};
        document.body.dispatchEvent(new KeyboardEvent('keydown', options));
        document.body.dispatchEvent(new KeyboardEvent('keyup', options));
        look();
    })
"""


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


def press(page: Page, key: str, text: str, steps: int, first: int) -> list[float]:
    """Milliseconds of each of ``steps`` presses; the text after the n-th has the number n."""
    taken = []
    for step in range(first, first + steps):
        taken.append(float(page.evaluate(_TIMED, [key, text.format(step)])))
        page.wait_for_timeout(400)  # a person reads; what comes after the text is drawn too
    return taken


def press_bare(page: Page, address: str, steps: int) -> list[float]:
    """Milliseconds of each press on the bare page."""
    page.goto(address)
    page.get_by_text("number 0 of presses").wait_for()
    page.wait_for_timeout(2_000)  # shortcuts are heard a moment after the page is there
    return press(page, "ArrowRight", "number {} of presses", steps, 1)


def report(name: str, taken: list[float], peer: float | None = None) -> float:
    """Print the median, and its share of the peer's."""
    median = statistics.median(taken)
    beside = f", {median / peer:.2f} x the peer" if peer else ""
    print(f"{name:32} {median:6.0f} ms (least {min(taken):.0f}, most {max(taken):.0f}{beside})")
    return median


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description="Latency of the curation of variants.")
    parser.add_argument("--instances", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=30)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = Path(folder) / "dcq.duckdb"
        samples.save(Store(store), small_sample(given.instances))
        bare = Path(folder) / "bare.py"
        bare.write_text(textwrap.dedent(_BARE))
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        steps = given.steps
        with (
            served(bare, store, Path(folder)) as peer,
            served(bare, store) as same,
            served(ROOT / "app.py", store) as ours,
        ):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            least = report("bare page (the peer)", press_bare(page, peer, steps))
            report("bare page, our settings", press_bare(page, same, steps), least)
            page.goto(f"{ours}/variants")
            page.locator(".st-key-variants_original").wait_for(timeout=120_000)
            page.wait_for_timeout(2_000)
            text = "number {} of rivers"
            report("open the next record", press(page, "j", text, steps, 1), least)
            report("accept the rest and go on", press(page, "a", text, steps, steps + 1), least)
        browser.close()


if __name__ == "__main__":
    main()
