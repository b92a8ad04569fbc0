"""Opening a record and accepting one, in a browser, beside a bare Streamlit page with one button.

    python -m benchmarks.curation [--instances 10000] [--steps 30]

Milliseconds on the clock from the key press to the next text on the screen, medians of several
presses, both apps served by this machine and visited by the same Chromium in turn. The bare page is
served twice, with Streamlit's own settings (the peer) and with ours.
"""

from __future__ import annotations

import argparse
import tempfile
import textwrap
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks import read_options
from benchmarks.browser import open_browser, report, served
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


def press(page: Page, key: str, text: str, steps: int, first: int) -> list[float]:
    """Milliseconds of each of ``steps`` presses; the text after the n-th has the number n."""
    times = []
    for step in range(first, first + steps):
        times.append(float(page.evaluate(_TIMED, [key, text.format(step)])))
        page.wait_for_timeout(400)  # a person reads; what comes after the text is drawn too
    return times


def press_bare(page: Page, address: str, steps: int) -> list[float]:
    """Milliseconds of each press on the bare page."""
    page.goto(address)
    page.get_by_text("number 0 of presses").wait_for()
    page.wait_for_timeout(2_000)  # shortcuts are heard a moment after the page is there
    return press(page, "ArrowRight", "number {} of presses", steps, 1)


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description="Latency of the curation of variants.")
    parser.add_argument("--instances", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=30)
    arguments = read_options(parser, instances=20, steps=2)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = Path(folder) / "dcq.duckdb"
        samples.save(Store(store), small_sample(arguments.instances))
        bare = Path(folder) / "bare.py"
        bare.write_text(textwrap.dedent(_BARE))
        browser = open_browser(playwright)
        steps = arguments.steps
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
