"""The matrix of 20 models and 60 benchmarks in a browser: milliseconds to draw it, and a case.

    python -m benchmarks.matrix [--models 20] [--benchmarks 60] [--visits 5] [--keep FILE]

On the clock of the browser, on a server that has judged the store: from the request until the last
cell can be read, and from a click on a cell until its case can. ``--keep`` leaves the store in a
file, to be looked at with ``DCQ_STORE=FILE streamlit run app.py``.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks import read_options
from benchmarks.browser import open_browser, report, served
from benchmarks.material import fill_runs
from dcq.settings import ROOT
from dcq.store import Store

INSTANCES = 40
_MAKERS = ("qwen", "llama", "gpt", "mistral", "gemma")
_CELL = "[role=gridcell]"
_PATIENCE = 300_000  # milliseconds, for the first judging


def make(store: Store, models: int, benchmarks: int) -> None:
    """A store in which every model has taken a quiz of every benchmark, and of half as many
    controls; the models are of five makers."""
    fill_runs(
        store,
        partitions=benchmarks * 3 // 2,
        items=INSTANCES,
        models=models,
        runs=models,
        title="Benchmark {}",
    )
    with store.write() as db:
        for number in range(models):
            db.execute(
                "UPDATE run SET model = ? WHERE model = ? OR starts_with(model, ?)",
                [
                    f"{_MAKERS[number % len(_MAKERS)]}-{number}",
                    f"model-{number}",
                    f"model-{number}@",
                ],
            )


def draw(page: Page, address: str) -> float:
    """Milliseconds from the request until the last cell can be read."""
    page.goto("about:blank")
    began = time.perf_counter()
    page.goto(address)
    page.locator(_CELL).last.wait_for(state="attached", timeout=_PATIENCE)
    return 1000 * (time.perf_counter() - began)


def open_case(page: Page) -> float:
    """Milliseconds from a click on a cell until its case can be read."""
    began = time.perf_counter()
    page.locator(f"{_CELL} a").first.click()
    page.get_by_text("What else could explain it?").first.wait_for(timeout=60_000)
    return 1000 * (time.perf_counter() - began)


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description="Time to draw the matrix and to open a case.")
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--benchmarks", type=int, default=60)
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="a file to keep the store in")
    arguments = read_options(parser, models=2, benchmarks=4, visits=1)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "dcq.duckdb"
        make(Store(file), arguments.models, arguments.benchmarks)
        if arguments.keep:
            shutil.copyfile(file, arguments.keep)
        with served(ROOT / "app.py", file) as address, open_browser(playwright) as browser:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            first = draw(page, address)  # with the judging of the whole store
            times = [(draw(page, address), open_case(page)) for _ in range(arguments.visits)]
    print(f"{arguments.models} models, {arguments.benchmarks} benchmarks")
    report("the first time", [first])
    report("the matrix", [drawn for drawn, _ in times])
    report("a case", [opened for _, opened in times])


if __name__ == "__main__":
    main()
