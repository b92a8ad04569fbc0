"""What searches and scans found, in categories, lists and documents."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from dcq.asking.chain import ChainOutcome
from dcq.documents.overlap_document import document, sentence, unread
from dcq.jobs.state import RunState
from dcq.overlap import freeze
from dcq.overlap.evidence import results
from dcq.overlap.freeze import SearchDesign
from dcq.overlap.labels import frame
from dcq.overlap.match import Category
from dcq.overlap.outcome import Corpus, OverlapHit, category_of, of_run
from dcq.overlap.scan.documents import DAMAGED_FILE, NOT_TEXT
from dcq.overlap.scan.shards import NO_TEXT, fingerprint
from dcq.overlap.searches import scan, search
from dcq.store import Store
from dcq.store.runs import Event
from tests.support.replications import save
from tests.support.search_services import FakeWeb


def hit(score: float, label: float = math.nan, crawled: bool | None = None) -> OverlapHit:
    return OverlapHit("https://a", "", "text", ((0, 4),), score, label, crawled)


@pytest.mark.parametrize(
    ("hits", "category"),
    [
        ([], Category.CLEAN),
        ([hit(0.9)], Category.INPUT_ONLY),
        ([hit(0.9, 0.74)], Category.INPUT_ONLY),
        ([hit(0.9, 0.75)], Category.INPUT_AND_LABEL),
        ([hit(0.9, 0.1), hit(0.8, 1.0)], Category.INPUT_AND_LABEL),
        ([hit(0.9, 1.0, crawled=False)], Category.CLEAN),
        ([hit(0.9, 1.0, crawled=False), hit(0.8, 0.1, crawled=True)], Category.INPUT_ONLY),
        ([hit(0.9, 1.0, crawled=True)], Category.INPUT_AND_LABEL),
    ],
)
def test_pages_that_count_make_the_category(hits: list[OverlapHit], category: Category) -> None:
    assert category_of(hits, 0.75) is category


async def test_runs_are_listed_the_newest_first(
    fresh_store: Store, web: FakeWeb, tmp_path: Path
) -> None:
    sample_id, texts = save(fresh_store, 3)
    web.pages = {"https://a.org": texts[0]}
    web.left = 1
    searched = await search(fresh_store, sample_id, "brave", SearchDesign())
    (tmp_path / "a.txt").write_text(texts[0])
    scanned = await scan(fresh_store, sample_id, [tmp_path / "a.txt"])
    second, first = results(fresh_store)
    assert (first.run, second.run) == (searched.run, scanned.run)
    assert (first.state, second.state) == (RunState.STOPPED, RunState.FINISHED)
    assert (first.total, first.searched, first.found) == (3, 1, 1)
    assert (second.method, second.searched, second.place) == ("scan", 3, "Brooks test")


async def test_a_search_in_words_and_as_labels(fresh_store: Store, web: FakeWeb) -> None:
    sample_id, texts = save(fresh_store, 3)
    web.pages = {"https://a.org": texts[0]}
    web.left = 2
    done = await search(fresh_store, sample_id, "brave", SearchDesign(usd_per_call=0.02))
    assert done.ended.event is Event.STOPPED
    said = sentence(fresh_store, done)
    assert "Brooks test: 2 of 2 instances (100.0 %) were found with brave, 0 of them" in said
    assert "Not searched: 1, because: not searched yet." in said
    assert "Calls: 3, $0.06; 2 queries about 2 instances." in said
    assert "not looked up whether a crawl has the pages" in said
    found = document(fresh_store, done)
    assert found["stopped"] == done.ended.detail
    assert found["rows"][2] == {
        "instance_id": of_run(fresh_store, done.run).rows[2].instance_id,
        "category": None,
        "score": None,
        "sources": [],
        "queries": 0,
    }
    assert len(frame(of_run(fresh_store, done.run))) == 2


async def test_labels_of_a_scan_leave_unknown_scores_empty(
    fresh_store: Store, tmp_path: Path
) -> None:
    sample_id, _ = save(fresh_store, 1)
    (tmp_path / "a.txt").write_text("nothing of the kind")
    done: ChainOutcome = await scan(fresh_store, sample_id, [tmp_path / "a.txt"])
    table = frame(of_run(fresh_store, done.run))
    assert list(table["category"]) == ["clean"]
    assert table["score"].isna().all()
    assert document(fresh_store, done)["rows"][0]["score"] is None


async def test_what_of_a_corpus_could_not_be_read_is_counted_and_named(
    fresh_store: Store, web: FakeWeb, tmp_path: Path
) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    sample_id, texts = save(fresh_store, 3)
    lines = [json.dumps({"text": texts[0]}), "{broken", json.dumps({"text": "else"})]
    (folder / "a.jsonl").write_text("\n".join(lines))
    (folder / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    whole = await scan(fresh_store, sample_id, [folder])
    found = of_run(fresh_store, whole.run)
    assert found.corpus == Corpus(
        2,
        len("\n".join(lines)),
        {str(folder / "a.jsonl"): 1},
        {str(folder / "a.png"): NOT_TEXT},
        read={str(folder / "a.jsonl"): 2},
    )
    assert unread(found) == [
        "Read: 1 file, 2 records.",
        "Records that could not be read and were skipped: 1, in a.jsonl.",
        "Not read: 1 file (not a text): a.png.",
    ]
    assert found.coverage.searched == 3  # what is no text cannot have it


async def test_nothing_is_clean_where_a_file_could_not_be_opened(
    fresh_store: Store, web: FakeWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    sample_id, _ = save(fresh_store, 2)
    (folder / "a.txt").write_text("nothing of it")
    (folder / "b.txt").write_text("else")

    def refuse(path: Path) -> str:
        if path.name == "b.txt":  # root, who may run this, could read any file
            raise PermissionError(13, "Permission denied", str(path))
        return fingerprint(path)

    monkeypatch.setattr(freeze, "fingerprint", refuse)
    found = of_run(fresh_store, (await scan(fresh_store, sample_id, [folder])).run)
    assert found.coverage.skipped == (("a file of the corpus could not be read", 2),)
    assert unread(found) == [
        "Read: 1 file, 1 record.",
        "Not read: 1 file (Permission denied): b.txt.",
    ]


async def test_nothing_is_clean_where_nothing_was_read_of_a_file(
    fresh_store: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    sample_id, _ = save(fresh_store, 2)
    (folder / "a.txt").write_text("nothing of it")
    (folder / "tokens.jsonl").write_text('{"input_ids": [101, 7592, 102]}\n')
    (folder / "broken.jsonl").write_text("{broken\n")
    (folder / "cut.gz").write_bytes(b"\x1f\x8b\x08\x00")
    found = of_run(fresh_store, (await scan(fresh_store, sample_id, [folder])).run)
    assert found.corpus is not None
    assert found.corpus.unread == {
        str(folder / "cut.gz"): DAMAGED_FILE,
        str(folder / "broken.jsonl"): NO_TEXT,
        str(folder / "tokens.jsonl"): NO_TEXT,
    }
    assert [row.category for row in found.rows] == [None, None]
    assert found.coverage.skipped == (("3 files of the corpus could not be read", 2),)
