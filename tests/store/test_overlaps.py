"""Tables of overlaps: an older store gets them, and what was found is kept once."""

from __future__ import annotations

from dataclasses import fields
from datetime import date
from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.overlap.meteor import settings_of
from dcq.store import Store, migrations, overlap_hits, overlaps, steps, variants
from dcq.store.overlap_hits import StoredHit
from dcq.store.overlaps import OverlapDesign, StoredPart, StoredQuery, StoredRequest
from dcq.store.variants import NewVariant

ASKED = OverlapDesign(
    sample_id="s",
    method="search",
    source="brave",
    window_start=date(2017, 1, 1),
    window_end=None,
    language="en",
    archive="",
    usd_per_call=0.005,
    corpus=("/a b", "'; DROP TABLE overlap; --"),
    unread={"/x": "not a text"},
    preset="paper",
    alpha=1.0,
    beta=3.0,
    gamma=0.8,
    label_gamma=0.0,
    match_window=None,
    threshold=0.75,
    tokens="release",
    author="Ada",
)
QUERY = StoredQuery("i", "a\x00 text", "=1+1", "", "")
REQUEST = StoredRequest(0, True, "a piece")
PART = StoredPart("/a", "jsonl", 0, None, 2**40, "f")


def hit(query: int, part: int | None = None, score: float = 0.9) -> StoredHit:
    document = None if part is None else 7
    marks = ((0, 3), (4, 9))
    return StoredHit(query, "https://a", part, document, "n", "a text", marks, score, None)


def test_a_store_of_an_older_release_gets_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.duckdb"
    at = [step.__name__ for step in steps.STEPS].index("m022_overlaps")
    with monkeypatch.context() as older:
        older.setattr(migrations, "STEPS", steps.STEPS[:at])
        variants.add(Store(path), "s", [NewVariant("i", 0, "a text", "offline")])
    store = Store(path)
    assert overlaps.runs_of(store) == []
    kept = overlaps.load(
        store, overlaps.save(store, ASKED, [QUERY, QUERY], requests=[REQUEST], parts=[PART])
    )
    assert kept.asked == ASKED
    assert (kept.queries, kept.requests, kept.parts) == ((QUERY, QUERY), (REQUEST,), (PART,))
    assert variants.current(store, "s")["i"][0].text == "a text"
    with pytest.raises(InputError, match="No search or scan"):
        overlaps.load(store, "x")


def test_an_overlap_of_an_older_release_keeps_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.duckdb"
    at = [step.__name__ for step in steps.STEPS].index("m030_tokens_of_an_overlap")
    with monkeypatch.context() as older:
        older.setattr(migrations, "STEPS", steps.STEPS[:at])
        store = Store(path)
        values = {field.name: getattr(ASKED, field.name) for field in fields(OverlapDesign)}
        values |= {"id": "o1", "made_at": date(2026, 1, 1), "preset": "release"}
        values |= {"corpus": [], "unread": "{}"}
        del values["tokens"]
        marks = ", ".join("?" * len(values))
        with store.write() as db:
            db.execute(
                f"INSERT INTO overlap ({', '.join(values)}) VALUES ({marks})",  # noqa: S608  (names of fields)
                list(values.values()),
            )
    asked = overlaps.load(Store(path), "o1").asked
    assert (asked.preset, asked.tokens) == ("release", "words")
    assert settings_of(asked).tokens == "words"


def test_a_query_is_judged_once(fresh_store: Store) -> None:
    overlap_hits.add_judged(fresh_store, "o", {0: 0.9, 1: 0.1}, [hit(0)])
    overlap_hits.add_judged(fresh_store, "o", {0: 0.2, 2: 0.8}, [hit(0), hit(2, score=0.8)])
    assert overlap_hits.scores(fresh_store, "o") == {0: 0.9, 1: 0.1, 2: 0.8}
    assert overlap_hits.hits(fresh_store, "o") == [hit(0), hit(2, score=0.8)]
    assert overlap_hits.hits(fresh_store, "other") == []


def test_the_hits_of_a_part_replace_those_that_are_there(fresh_store: Store) -> None:
    overlap_hits.add_scanned(fresh_store, "o", [0, 1], [hit(0, 0), hit(0, 1), hit(1, 1)])
    overlap_hits.add_scanned(fresh_store, "o", [1], [hit(0, 1, 0.8)])
    assert overlap_hits.hits(fresh_store, "o") == [hit(0, 0), hit(0, 1, 0.8)]
    overlap_hits.add_scanned(fresh_store, "o", [0], [])
    assert overlap_hits.hits(fresh_store, "o") == [hit(0, 1, 0.8)]


def test_pages_to_look_up_keep_their_position(fresh_store: Store) -> None:
    overlap_hits.add_to_look_up(fresh_store, "r", ["https://b", "https://a", "https://b"])
    overlap_hits.add_to_look_up(fresh_store, "r", ["https://c", "https://a"])
    assert overlap_hits.to_look_up(fresh_store, "r") == ["https://b", "https://a", "https://c"]
    assert overlap_hits.to_look_up(fresh_store, "other") == []
    assert overlap_hits.crawled(fresh_store, "r") == {}
