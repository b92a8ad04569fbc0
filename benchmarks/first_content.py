"""The first useful content of every page in a browser, beside an empty Streamlit page.

    python -m benchmarks.first_content [--visits 7]

Milliseconds from the start of the visit to the first frame in which the page's heading and two more
elements with text or a chart are on the screen; on the empty page, its heading and its one line.
Medians of several visits with a warm server and a warm cache, on the store that comes with dcq, all
visited by the same Chromium in turn. The empty page is served with our settings and a sidebar of as
many links, and with neither (the peer).
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import textwrap
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.browser import open_browser, report, served
from dcq.settings import DATA, ROOT

_EMPTY = """
    import streamlit as st

    st.title("Empty")
    st.write("Nothing else.")
"""
# Notes when the heading and `more` elements after it can be read.
_WATCH = """
    more => {
        const read = element => element.checkVisibility() && element.getClientRects().length &&
            (element.innerText.trim() || element.querySelector('.js-plotly-plot, canvas, input'));
        const look = () => {
            const main = document.querySelector('[data-testid=stMain]');
            const there = main && main.querySelector('h1') && [...main.querySelectorAll(
                '[data-testid=stElementContainer]')].filter(read).length > more;
            if (there) window.firstContent = performance.now();
            else requestAnimationFrame(look);
        };
        look();
    }
"""


def visit(page: Page, address: str, more: int, visits: int) -> list[float]:
    """Milliseconds of each visit but the first, which fills the caches."""
    taken = []
    for _ in range(visits + 1):
        page.goto("about:blank")
        page.goto(address, wait_until="commit")
        page.evaluate(_WATCH, more)
        taken.append(
            float(page.wait_for_function("window.firstContent", timeout=60_000).json_value())
        )
        page.wait_for_timeout(700)  # the rest of the page is drawn too
    return taken[1:]


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description="Time to the first useful content of each page.")
    parser.add_argument("--visits", type=int, default=7)
    visits = parser.parse_args().visits
    names = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = Path(folder) / "dcq.duckdb"
        shutil.copy(DATA / "dcq.duckdb", store)
        empty = Path(folder) / "empty.py"
        empty.write_text(textwrap.dedent(_EMPTY))
        browser = open_browser(playwright)
        with served(empty, store, Path(folder)) as peer, served(ROOT / "app.py", store) as ours:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            least = report("empty page (the peer)", visit(page, peer, 1, visits))
            for name in names:
                address = ours if name == "overview" else f"{ours}/{name}"
                report(name, visit(page, address, 2, visits), least)
            report("empty page, once more", visit(page, peer, 1, visits), least)
        browser.close()


if __name__ == "__main__":
    main()
