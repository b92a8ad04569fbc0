"""The first useful content of every page in a browser, beside an empty Streamlit page.

    python -m benchmarks.first_content [--visits 7]

Milliseconds from the start of the visit to the first frame with the page's heading and one more
element with text or a widget (the empty page has a heading and one line), and to the first with a
heading and three more; of a slide, whose words are no elements of Streamlit, its words. Medians of
several visits with a warm server and a warm cache, on a store with the bundled example, all by the
same Chromium in turn. The peers are empty Streamlit pages with Streamlit's own settings: the first
of an app for Overview, the second for all others, since at an address with a path Streamlit's
client looks for its server twice.
"""

from __future__ import annotations

import argparse
import tempfile
import textwrap
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks import read_options
from benchmarks.browser import open_browser, report, served
from dcq.files import bundle_import
from dcq.settings import DATA, ROOT
from dcq.store import Store

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
_EMPTY = """
    import streamlit as st

    def first():
        st.title("Empty")
        st.write("Nothing else.")

    def second():
        first()

    st.navigation([st.Page(first, default=True), st.Page(second)]).run()
"""
# Notes when the heading and each number of elements after it can first be read.
_WATCH = """
    counts => {
        window.seen = {};
        const read = element => element.checkVisibility() && element.getClientRects().length &&
            (element.innerText.trim() || element.querySelector('.js-plotly-plot, canvas, input'));
        const look = () => {
            const main = document.querySelector('[data-testid=stMain]');
            const parts = main && main.querySelector('.dcq-slide')
                ? '.dcq-slide :is(h1, p, footer span)' : '[data-testid=stElementContainer]';
            const there = !main || !main.querySelector('h1') ? 0 : [...main.querySelectorAll(
                parts)].filter(read).length - 1;
            for (const count of counts)
                if (there >= count) window.seen[count] ??= performance.now();
            if (counts.some(count => !window.seen[count])) requestAnimationFrame(look);
        };
        look();
    }
"""


def visit(page: Page, address: str, counts: Sequence[int], visits: int) -> list[list[float]]:
    """Milliseconds of each visit but the first, which fills the caches, for each of ``counts``."""
    times = []
    for _ in range(visits + 1):
        page.goto("about:blank")
        page.goto(address, wait_until="commit")
        page.evaluate(_WATCH, list(counts))
        page.wait_for_function(f"window.seen[{max(counts)}]", timeout=60_000)
        times.append([float(page.evaluate(f"window.seen[{count}]")) for count in counts])
        page.wait_for_timeout(700)  # the rest of the page is drawn too
    return [list(each) for each in zip(*times[1:], strict=True)]


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description="Time to the first useful content of each page.")
    parser.add_argument("--visits", type=int, default=7)
    parser.add_argument("--pages", nargs="*", default=PAGES, choices=PAGES)
    arguments = read_options(parser, visits=1, pages=["overview"])
    visits, names = arguments.visits, arguments.pages
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = Path(folder) / "dcq.duckdb"
        bundle_import.load(Store(store), DATA / "example.zip")
        empty = Path(folder) / "empty.py"
        empty.write_text(textwrap.dedent(_EMPTY))
        browser = open_browser(playwright)
        with served(empty, store, Path(folder)) as peer, served(ROOT / "app.py", store) as ours:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            least = {}
            for place in ("", "second"):
                [times] = visit(page, f"{peer}/{place}", [1], visits)
                least[place] = report(f"an empty page at /{place}", times)
            for name in names:
                place = "" if name == "overview" else name
                first, more = visit(page, f"{ours}/{place}", [1, 3], visits)
                peer_median = least["second" if place else ""]
                report(f"{name}, one element", first, peer_median)
                report(f"{name}, three", more, peer_median)
        browser.close()


if __name__ == "__main__":
    main()
