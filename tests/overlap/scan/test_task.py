"""A corpus scanned for a sample by the engine: found, changed, cancelled, resumed."""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path
from typing import Any

import pytest

from dcq.asking import prepare
from dcq.asking.chain import go_on
from dcq.asking.options import Options, Terms, Watch
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.overlap.evidence import results
from dcq.overlap.freeze import freeze_scan
from dcq.overlap.match import Category
from dcq.overlap.method import EXCLUSIVE, METHODS, SCAN
from dcq.overlap.outcome import of_run
from dcq.overlap.scan import documents, task
from dcq.overlap.scan.records import Documents
from dcq.overlap.scan.shards import CORPUS
from dcq.overlap.searches import scan
from dcq.store import Store, overlap_hits, overlaps, run_progress, runs
from dcq.store.runs import Event
from tests.support.replications import save

# Further from one another than the instances of other samples.
TEXTS = (
    "Glaciers once covered nine tenths of these valleys, as every geographer here will tell you.",
    "Her uncle kept bees behind the chapel until a storm carried all of the hives away.",
    "Nobody remembers who first painted the lighthouse red, or why they chose that colour.",
)


def corpus(folder: Path, texts: list[str]) -> Path:
    """A file of jsonl and one of text."""
    folder.mkdir()
    (folder / "a.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in texts))
    (folder / "b.txt").write_text("nothing of the kind")
    return folder


async def test_what_is_there_is_found_and_what_is_not_is_clean(
    fresh_store: Store, tmp_path: Path
) -> None:
    sample_id, texts = save(fresh_store, 3)
    where = corpus(tmp_path / "corpus", [TEXTS[0], f"{texts[1]} It was Dry.", TEXTS[1]])
    done = await scan(fresh_store, sample_id[:8], [where])
    assert done.ended.event is Event.FINISHED
    found = of_run(fresh_store, done.run, threshold=0.95)
    assert (found.method, found.source, found.window) == ("scan", "corpus", None)
    assert [row.category for row in found.rows] == [
        Category.CLEAN,
        Category.INPUT_AND_LABEL,
        Category.CLEAN,
    ]
    [hit] = found.rows[1].hits
    assert (hit.source, hit.document, hit.crawled) == (str(where / "a.jsonl"), "2", None)
    assert hit.passage == texts[1].removesuffix(".")
    assert "".join(hit.passage[slice(*mark)] for mark in hit.marks[:2]) == "Thebrooks"
    assert found.labels()[found.rows[1].instance_id].score == found.rows[1].score
    [one] = results(fresh_store)
    assert (one.total, one.searched, one.run) == (3, 3, done.run)


async def test_a_clean_instance_of_a_scan_has_no_score(fresh_store: Store, tmp_path: Path) -> None:
    sample_id, _ = save(fresh_store, 1)
    done = await scan(fresh_store, sample_id, [corpus(tmp_path / "corpus", [TEXTS[0]])])
    [row] = of_run(fresh_store, done.run).rows
    assert row.category is Category.CLEAN
    assert math.isnan(row.score)


async def test_what_was_not_scanned_makes_nothing_clean(fresh_store: Store, tmp_path: Path) -> None:
    sample_id, texts = save(fresh_store, 2)
    where = corpus(tmp_path / "corpus", [texts[0]])
    done = await scan(fresh_store, sample_id, [where])
    (where / "a.jsonl").unlink()
    other = await scan(fresh_store, sample_id, [where / "b.txt"])
    assert of_run(fresh_store, other.run).coverage.searched == 2
    assert done.run != other.run
    (where / "a.jsonl").write_text(json.dumps({"text": texts[0]}))
    changed = await run_whose_file_changes(fresh_store, sample_id, where)
    found = of_run(fresh_store, changed, threshold=0.95)
    assert found.rows[0].category is None
    assert found.coverage.skipped == (("1 of 2 parts of the corpus were not scanned", 2),)
    [reason] = overlap_hits.errors(fresh_store, changed).values()
    assert "no longer the file" in reason


async def run_whose_file_changes(store: Store, sample_id: str, where: Path) -> str:
    """The run of a scan whose largest file changes between its plan and its start."""
    frozen = freeze_scan(store, sample_id, [where])
    run_id = prepare.plan_run(store, SCAN, frozen, SCAN.endpoint(CORPUS))
    (where / "a.jsonl").write_text("another text by now")
    await go_on(store, METHODS.values(), run_id)
    return run_id


async def test_parts_of_one_file_count_its_documents_through(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dcq.overlap.scan.shards.SHARD_BYTES", 1_000)
    sample_id, texts = save(fresh_store, 1)
    lines = [json.dumps({"text": "filler " * (n % 30)}) for n in range(100)]
    for at in (0, 50, 99):
        lines[at] = json.dumps({"text": texts[0]})
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines))
    done = await scan(fresh_store, sample_id, [path])
    [row] = of_run(fresh_store, done.run).rows
    assert sorted(int(hit.document) for hit in row.hits) == [1, 51, 100]


async def test_a_text_that_stands_everywhere_is_kept_a_hundred_times(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task, "MOST_HITS", 5)
    sample_id, texts = save(fresh_store, 1)
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join([json.dumps({"text": f"{texts[0]} Wet"})] * 20))
    done = await scan(fresh_store, sample_id, [path])
    [row] = of_run(fresh_store, done.run).rows
    assert len(row.hits) == 5


async def test_cancelled_it_goes_on_with_the_parts_that_are_left(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample_id, texts = save(fresh_store, 1)
    where = tmp_path / "corpus"
    where.mkdir()
    for number in range(6):
        (where / f"{number}.txt").write_text(f"{texts[0]} {number}")
    read: list[str] = []
    real = documents.read
    cancelled = asyncio.Event()
    loop = asyncio.get_running_loop()

    async def cancel() -> None:
        cancelled.set()

    def watched(path: Path, *rest: Any) -> Documents:
        read.append(path.name)
        if len(read) == 3:
            # Or the other parts, which are small, might be read before.
            asyncio.run_coroutine_threadsafe(cancel(), loop).result()
        return real(path, *rest)

    monkeypatch.setattr(documents, "read", watched)
    # One part after the other: as many as this machine has cores might be all of them at once.
    options = Options(Terms(concurrency=1), watch=Watch(cancelled))
    done = await scan(fresh_store, sample_id, [where], options)
    assert done.ended.event is Event.CANCELLED
    assert len(read) == 3
    done_bytes, all_bytes = overlaps.bytes_scanned(fresh_store, done.run)
    assert 0 < done_bytes < all_bytes
    rest = await scan(fresh_store, sample_id, [], resume=True)
    assert (rest.run, rest.ended.event) == (done.run, Event.FINISHED)
    assert sorted(set(read)) == [f"{number}.txt" for number in range(6)]
    assert len(of_run(fresh_store, done.run).rows[0].hits) == 6
    [progress] = run_progress.progress(fresh_store, [done.run])
    assert (progress.done, progress.items, progress.errors) == (6, 6, 0)
    whole = sum(path.stat().st_size for path in where.iterdir())
    assert overlaps.bytes_scanned(fresh_store, done.run) == (whole, whole)


async def test_one_scan_at_a_time(fresh_store: Store, tmp_path: Path) -> None:
    sample_id, _ = save(fresh_store, 1)
    where = corpus(tmp_path / "corpus", [TEXTS[2]])
    with (
        lock.hold(fresh_store, EXCLUSIVE.lock_name(sample_id, CORPUS)),
        pytest.raises(InputError, match="searched for this sample already"),
    ):
        await scan(fresh_store, sample_id, [where])
    assert runs.listing(fresh_store) == []
