"""Searches and scans as processes that are killed, started twice, and started from the app."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

from dcq.asking import launch
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.jobs.state import RunState
from dcq.overlap import searches
from dcq.overlap.freeze import SearchDesign
from dcq.overlap.match import Category
from dcq.overlap.method import EXCLUSIVE, METHODS
from dcq.overlap.outcome import of_run
from dcq.overlap.search.service import Window
from dcq.store import Store, runs
from dcq.store.connect import utc_now
from tests.support import commands
from tests.support.replications import save
from tests.support.runs import wait_for, wait_until_ended
from tests.support.search_services import FakeWeb, ServiceRequest

pytestmark = pytest.mark.slow

YEAR = Window(date(2023, 1, 1), date(2023, 12, 31))


def put(web: FakeWeb, texts: list[str]) -> None:
    web.pages |= {f"https://a.org/{n}": text for n, text in enumerate(texts)}
    web.crawled = set(web.pages)


def wait_until_free(store: Store, name: str) -> None:
    wait_for(lambda: not lock.is_held(store, name))


def counts(store: Store) -> dict[str, list[int]]:
    """Answers that are no errors, and their positions, by run."""
    with store.read() as db:
        return dict(
            db.execute(
                "SELECT run_id, [count(*), count(DISTINCT position)] FROM answer "
                "WHERE outcome <> 'error' GROUP BY run_id"
            ).fetchall()
        )


@pytest.mark.timeout(600)
def test_a_search_that_is_killed_again_and_again_loses_and_repeats_nothing(
    fresh_store: Store, web: FakeWeb
) -> None:
    sample_id, texts = save(fresh_store, 16)
    put(web, texts[:4])
    words = ["overlap", "search", sample_id, "--with", "serpapi", "--resume"]
    words += ["--window", "2023-01-01:2023-12-31"]
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    waits, kills = random.Random(7), 3
    for _ in range(kills):
        before = len(web.server.requests)
        worker = commands.start(words, environment)
        deadline = time.monotonic() + 120
        while len(web.server.requests) == before and worker.is_alive():
            assert time.monotonic() < deadline
            time.sleep(0.005)
        time.sleep(waits.uniform(0.2, 1.5))
        worker.kill()
        worker.join()
    asked, killed_at = len(web.searches), utc_now()
    last = commands.start(words, environment)
    last.join()
    assert last.exitcode == 0
    crawl_run, run_id = runs.listing(fresh_store)
    pages = 4  # each stands for the instances whose texts are nearly the same
    assert counts(fresh_store) == {run_id: [16, 16], crawl_run: [pages, pages]}
    found = of_run(fresh_store, run_id)
    assert found.coverage.searched == 16
    assert {row.category for row in found.rows[:4]} == {Category.INPUT_ONLY}
    with fresh_store.read() as db:
        scored = db.execute("SELECT count(*), count(DISTINCT query) FROM overlap_score").fetchone()
    assert scored == (16, 16)
    with fresh_store.read() as db:
        kept = db.execute(
            "SELECT count(*) FROM answer WHERE run_id = ? AND made_at < ? AND outcome <> 'error'",
            [run_id, killed_at],
        ).fetchone()
    # What is written is never asked again. One request may reach the server after the last kill.
    assert kept is not None
    assert len(web.searches) - asked <= 16 - kept[0] + 1


def big(folder: Path, texts: list[str]) -> Path:
    """A corpus of some seconds, in parts for several processes."""
    folder.mkdir()
    filler = json.dumps({"text": "all of them were here before and left again at noon " * 40})
    for number in range(4):
        lines = [filler] * 2_000
        lines[1_000] = json.dumps({"text": texts[number]})
        (folder / f"{number}.jsonl").write_text("\n".join(lines))
    return folder


@pytest.mark.timeout(600)
def test_a_scan_that_is_killed_goes_on_and_leaves_no_process(
    fresh_store: Store, tmp_path: Path
) -> None:
    sample_id, texts = save(fresh_store, 4)
    where = big(tmp_path / "corpus", texts)
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    words = ["overlap", "scan", sample_id, str(where), "--resume", "--workers", "2", "--json"]
    worker = commands.start(words, environment, daemon=False)
    assert worker.pid is not None
    deadline = time.monotonic() + 120
    while not (children := children_of(worker.pid)) and worker.is_alive():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(1)  # they have begun, and have some seconds to go
    worker.kill()
    worker.join()
    deadline = time.monotonic() + 120
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline, "a process outlived the scan"
        time.sleep(0.05)
    out, err = tmp_path / "out", tmp_path / "err"
    last = commands.start(words, environment, str(out), str(err), daemon=False)
    last.join()
    assert last.exitcode == 0, err.read_text("utf-8")
    [run_id] = runs.listing(fresh_store)
    document = json.loads(out.read_text("utf-8"))
    assert (document["run"], document["found"], document["stopped"]) == (run_id, 4, None)
    assert counts(fresh_store) == {run_id: [4, 4]}
    exact = of_run(fresh_store, run_id, threshold=0.99)
    assert [[hit.document for hit in row.hits] for row in exact.rows] == [["1001"]] * 4


def children_of(pid: int) -> list[int]:
    """The processes that this one has started."""
    try:
        return [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return []


@pytest.fixture
def answering(web: FakeWeb) -> threading.Event:
    """Until this is set, no search is answered."""
    answering = threading.Event()

    def hold(request: ServiceRequest) -> None:
        answering.wait(120)

    web.before = hold
    return answering


def test_started_from_the_app_it_searches_and_looks_up(
    fresh_store: Store, web: FakeWeb, answering: threading.Event, forked: None
) -> None:
    sample_id, texts = save(fresh_store, 2)
    put(web, texts)
    run_id = searches.start_search(fresh_store, sample_id, "serpapi", SearchDesign(window=YEAR))
    with pytest.raises(InputError, match="already"):
        searches.start_search(fresh_store, sample_id, "serpapi", SearchDesign())
    answering.set()
    assert wait_until_ended(fresh_store, [run_id]) == {RunState.FINISHED}
    wait_until_free(fresh_store, EXCLUSIVE.lock_name(sample_id, "serpapi"))
    crawl_run = runs.newest_run(fresh_store, "crawl", "common-crawl", subject=run_id)
    assert crawl_run is not None
    launch.resume(fresh_store, METHODS[runs.load(fresh_store, crawl_run).plan.method], crawl_run)
    assert wait_until_ended(fresh_store, [crawl_run]) == {RunState.FINISHED}
    assert of_run(fresh_store, run_id).coverage.found == 2
    assert len(web.searches) == 2


def test_of_two_who_start_the_same_at_once_one_does(
    fresh_store: Store, web: FakeWeb, answering: threading.Event, forked: None
) -> None:
    sample_id, texts = save(fresh_store, 2)
    put(web, texts)

    def begin(_: int) -> list[str]:
        try:
            return [searches.start_search(fresh_store, sample_id, "serpapi", SearchDesign())]
        except InputError:
            return []

    with ThreadPoolExecutor(4) as tabs:
        started = [run for begun in tabs.map(begin, range(4)) for run in begun]
    answering.set()
    assert len(started) == 1
    assert wait_until_ended(fresh_store, started) == {RunState.FINISHED}
    assert len(web.searches) == 2


def test_a_scan_is_started_cancelled_and_resumed_from_the_app(
    fresh_store: Store, tmp_path: Path, forked: None
) -> None:
    sample_id, texts = save(fresh_store, 2)
    (tmp_path / "a.txt").write_text(texts[0])
    run_id = searches.start_scan(fresh_store, sample_id, [tmp_path / "a.txt"])
    assert wait_until_ended(fresh_store, [run_id]) == {RunState.FINISHED}
    wait_until_free(fresh_store, EXCLUSIVE.lock_name(sample_id, "corpus"))
    launch.resume(fresh_store, METHODS[runs.load(fresh_store, run_id).plan.method], run_id)
    assert wait_until_ended(fresh_store, [run_id]) == {RunState.FINISHED}
    assert of_run(fresh_store, run_id, threshold=0.99).coverage.found == 1
