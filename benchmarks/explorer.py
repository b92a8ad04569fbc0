"""The explorer in a browser: milliseconds to draw it, to reorder, to filter and to open one.

    python -m benchmarks.explorer [--instances 10000] [--models 20] [--steps 5]

On the clock of the browser: from the request to the picture (the first time with the judging of the
whole store, then on a server that has judged), and from a click to what it changes on the screen.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Locator, Page, Position, expect, sync_playwright

from benchmarks import read_options
from benchmarks.browser import open_browser, report, served
from benchmarks.material import fill_runs
from dcq.settings import ROOT
from dcq.store import Store

_PICTURE = "[data-testid=stPlotlyChart] .heatmaplayer image"
_WHERE = re.compile(r"^[\d,]+ of [\d,]+$")
_PATIENCE = 60_000  # milliseconds
_ORDERS = {"By length": "shortest first", "Most recalled": "most often first"}


def draw(page: Page, address: str) -> float:
    """Milliseconds from the request to the picture."""
    began = time.perf_counter()
    page.goto(f"{address}/explorer")
    page.locator(_PICTURE).first.wait_for(timeout=300_000)
    return 1000 * (time.perf_counter() - began)


def reorder(page: Page, to: str) -> float:
    """Milliseconds from a click on an order to its picture."""
    began = time.perf_counter()
    page.get_by_role("radio", name=to).click()
    page.locator(".xtitle", has_text=_ORDERS[to]).first.wait_for(timeout=_PATIENCE)
    return 1000 * (time.perf_counter() - began)


def where(page: Page) -> Locator:
    """The words under the picture that say which instance of how many is open."""
    return page.locator("[data-testid=stCaptionContainer]").filter(has_text=_WHERE)


def narrow(page: Page, to: str) -> float:
    """Milliseconds from a click on a filter to its list."""
    before = where(page).first.inner_text()
    began = time.perf_counter()
    page.get_by_role("radio", name=re.compile(f"^{to}")).click()
    expect(where(page).first).not_to_have_text(before, timeout=_PATIENCE)
    return 1000 * (time.perf_counter() - began)


def open_one(page: Page, at: float) -> float:
    """Milliseconds from a click on the picture, ``at`` a share of its width, to the instance."""
    picture = page.locator("[data-testid=stPlotlyChart] .nsewdrag").first
    picture.scroll_into_view_if_needed()
    size = picture.bounding_box()
    assert size is not None
    place: Position = {"x": at * size["width"], "y": size["height"] / 2}
    before = where(page).first.inner_text()
    picture.hover(position=place)
    page.locator(".hoverlayer .hovertext").first.wait_for(timeout=_PATIENCE)
    began = time.perf_counter()
    picture.click(position=place)
    expect(where(page).first).not_to_have_text(before, timeout=_PATIENCE)
    return 1000 * (time.perf_counter() - began)


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description="Latency of the explorer.")
    parser.add_argument("--instances", type=int, default=10_000)
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--steps", type=int, default=5)
    arguments = read_options(parser, instances=30, models=3, steps=1)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = Path(folder) / "dcq.duckdb"
        fill_runs(
            Store(store),
            partitions=2,  # a control and a target
            items=arguments.instances,
            models=arguments.models,
            runs=arguments.models,
        )
        with served(ROOT / "app.py", store) as address, open_browser(playwright) as browser:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            report("draw, nothing judged yet", [draw(page, address)])
            report("draw", [draw(page, address) for _ in range(arguments.steps)])
            orders = [*_ORDERS] * arguments.steps
            report("reorder", [reorder(page, order) for order in orders])
            report("filter", [narrow(page, to) for to in ("Both", "All") * arguments.steps])
            places = [(turn + 0.5) / arguments.steps for turn in range(arguments.steps)]
            report("open one", [open_one(page, at) for at in places])


if __name__ == "__main__":
    main()
