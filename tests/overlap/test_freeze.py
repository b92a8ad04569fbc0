"""What is searched for, as it is kept before anything is asked."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.overlap.freeze import (
    NONE,
    SearchDesign,
    freeze_scan,
    freeze_search,
    requests_of,
)
from dcq.overlap.meteor import PAPER, RELEASE, settings_of
from dcq.overlap.query import Query, Skipped
from dcq.overlap.search.brave import Brave
from dcq.overlap.search.infinigram import InfiniGram
from dcq.overlap.search.scope import scope_of, window_of
from dcq.overlap.search.service import Scope, Window
from dcq.records import Instance
from dcq.store import Store, overlaps, samples
from tests.support.replications import sample, save

WINDOW = Window(date(2023, 1, 1), date(2023, 12, 31))


def test_a_search_is_kept_as_it_was_asked_for(fresh_store: Store) -> None:
    sample_id, texts = save(fresh_store, 3)
    frozen = freeze_search(
        fresh_store,
        sample_id[:8],
        Brave(),
        SearchDesign(WINDOW, "release", "common-crawl", 0.005),
        "Ada",
    )
    kept = overlaps.load(fresh_store, frozen)
    assert (kept.asked.sample_id, kept.asked.source, kept.asked.author) == (
        sample_id,
        "brave",
        "Ada",
    )
    assert settings_of(kept.asked) == RELEASE
    assert window_of(kept.asked) == WINDOW
    assert scope_of(kept.asked) == Scope(WINDOW, "en")
    assert [query.text for query in kept.queries] == texts
    assert {query.label for query in kept.queries} == {"Wet", "Dry"}
    assert [request.text for request in kept.requests] == texts
    assert kept.parts == ()


def test_long_queries_are_cut_and_none_is_dropped() -> None:
    long = " ".join(f"word{n}" for n in range(120))
    queries: list[Query | Skipped] = [
        Query("1", long, long, ""),
        Skipped("2", "no words"),
        Query("3", "a b", "a b", ""),
    ]
    made = requests_of(queries, Brave(), PAPER)
    assert " ".join(one.text for one in made if one.query == 0) == long
    assert all(len(one.text) <= 400 and len(one.text.split()) <= 50 for one in made)
    assert [one.query for one in made][-1] == 2
    assert {one.query for one in made} == {0, 2}


def test_the_input_alone_is_asked_where_the_answer_is_long() -> None:
    short = Query("1", "one two three four five", "one two three four", "five")
    long = Query("2", "one two three four five", "one two three", "four five")
    made = requests_of([short, long], Brave(), PAPER)
    assert [(one.query, one.of_input) for one in made] == [(0, False), (1, False), (1, True)]


def test_what_cannot_be_asked_is_said_and_not_kept(fresh_store: Store) -> None:
    sample_id, _ = save(fresh_store, 1)
    made = replace(sample(1), instances=(Instance("?!"),))
    wordless = samples.save(fresh_store, made)
    with pytest.raises(InputError, match="knows no dates"):
        freeze_search(fresh_store, sample_id, InfiniGram(), SearchDesign(WINDOW, archive=NONE))
    with pytest.raises(InputError, match="window of time"):
        freeze_search(fresh_store, sample_id, Brave(), SearchDesign(archive="wayback"))
    for price in (-1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="price of one call"):
            freeze_search(fresh_store, sample_id, Brave(), SearchDesign(usd_per_call=price))
    with pytest.raises(InputError, match="no preset 'x'"):
        freeze_search(fresh_store, sample_id, Brave(), SearchDesign(preset="x"))
    with pytest.raises(InputError, match="has words"):
        freeze_search(fresh_store, wordless, Brave(), SearchDesign())
    with pytest.raises(InputError, match="has words"):
        freeze_scan(fresh_store, wordless, [Path(__file__)])
    with pytest.raises(InputError, match="No sample"):
        freeze_search(fresh_store, "nothing", Brave(), SearchDesign())
    with fresh_store.read() as db:
        assert db.execute("SELECT count(*) FROM overlap").fetchone() == (0,)


def test_a_corpus_is_kept_in_parts_the_smallest_first(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dcq.overlap.scan.shards.SHARD_BYTES", 1_000)
    sample_id, _ = save(fresh_store, 2)
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.jsonl").write_text('{"text": "x"}\n' * 150)
    (corpus / "b.txt").write_text("y" * 500)
    (corpus / "c.bin").write_bytes(b"\0" * 10)
    (corpus / "empty.txt").write_text("")
    kept = overlaps.load(fresh_store, freeze_scan(fresh_store, sample_id, [corpus]))
    assert [part.bytes for part in kept.parts] == [100, 1000, 1000, 500]
    assert {Path(part.path).name for part in kept.parts} == {"a.jsonl", "b.txt"}
    assert kept.asked.corpus == (str(corpus),)
    assert kept.asked.unread == {
        str(corpus / "c.bin"): "a kind of file that is not read",
        str(corpus / "empty.txt"): "empty",
    }
    assert len({part.fingerprint for part in kept.parts}) == 2
    with pytest.raises(InputError, match="no file or folder"):
        freeze_scan(fresh_store, sample_id, [tmp_path / "nowhere"])


def test_no_odd_file_holds_it_up(fresh_store: Store, tmp_path: Path) -> None:
    sample_id, _ = save(fresh_store, 1)
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_text("some words")
    os.mkfifo(corpus / "pipe.txt")
    (corpus / "loop").symlink_to(corpus)
    (corpus / "self.txt").symlink_to(corpus / "self.txt")
    (corpus / "zero.txt").symlink_to("/dev/zero")
    (corpus / "gone.txt").symlink_to(corpus / "nowhere")
    kept = overlaps.load(fresh_store, freeze_scan(fresh_store, sample_id, [corpus]))
    assert [Path(part.path).name for part in kept.parts] == ["a.txt"]
    for path in ("pipe.txt", "zero.txt", "self.txt"):
        with pytest.raises(InputError):
            freeze_scan(fresh_store, sample_id, [corpus / path])
