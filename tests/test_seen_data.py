"""The seen texts are worded as published, and keep what data/README.md says of them.

As in ``tests.test_control_data``, what text alone tells is computed here. ``python -m
data.draw_seen --table`` prints the table.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from statistics import fmean
from typing import Any

import pytest

from data import draw_controls, draw_seen
from dcq.partitions import draw_sample, entries, open_partition
from dcq.records import PartitionRole, Sample
from dcq.settings import DATA
from dcq.store import Store, samples, variants
from dcq.variants.checks import check

SEEN = {
    entry.key: entry for entry in entries() if any(name.startswith("seen/") for name in entry.files)
}
NAMES = sorted(path.stem for path in (DATA / "seen" / "written").glob("*.jsonl"))
README = (DATA / "README.md").read_text("utf-8")


@cache
def whole(key: str) -> Sample:
    (split,) = SEEN[key].splits
    opened = open_partition(key, split)
    return draw_sample(opened, opened.row_count)


def rows(name: str) -> list[dict[str, Any]]:
    text = (DATA / "seen" / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_every_file_is_in_the_catalog_as_surely_seen() -> None:
    assert {name for entry in SEEN.values() for name in entry.files} == {
        f"seen/{name}.jsonl" for name in NAMES
    }
    assert len(NAMES) == 2
    assert {entry.role for entry in SEEN.values()} == {PartitionRole.POSITIVE}


@pytest.mark.parametrize("key", SEEN)
def test_nothing_is_to_be_said_of_a_variant(key: str) -> None:
    sample = whole(key)
    assert sample.n >= 60
    for instance in sample.instances:
        texts = sample.variants[instance.id]
        assert len({instance.text, *texts}) == 5
        words = len(instance.text.split())
        for text in texts:
            others = [other for other in texts if other is not text]
            assert check(instance, text, others) == [], text
            assert 0.8 <= len(text.split()) / words <= 1.2, text


@pytest.mark.parametrize("key", SEEN)
def test_the_original_stands_out_at_no_slot(key: str) -> None:
    sample = whole(key)
    texts = [sample.variants[one.id] for one in sample.instances]
    for found in draw_controls.shares(sample.instances, texts, "en"):
        assert set(found) == set(draw_controls.STRATEGIES)
        assert {name: share for name, share in found.items() if not 0.2 <= share <= 0.3} == {}


@pytest.mark.parametrize("key", SEEN)
def test_the_readme_states_the_shares(key: str) -> None:
    assert f"\n{draw_controls.readme_row(key, *SEEN[key].splits)}\n" in README


def test_verses_are_worded_as_in_the_package() -> None:
    bible = {row["reference"]: row["verse"] for row in open_partition("kjv", "verses").table.rows}
    verses = {row["reference"]: row["verse"] for row in rows("verses")}
    assert verses == {reference: bible[reference] for reference in verses}


def test_a_sample_is_drawn_with_variants_by_the_controls_writer(fresh_store: Store) -> None:
    drawn = [
        samples.save(fresh_store, draw_sample(open_partition(key, split), 60))
        for key, split in (("seen-verses", "verses"), ("control-stories", "test"))
    ]
    assert set(variants.writers(fresh_store, drawn).values()) == {"bundled"}
    first, second = (samples.load(fresh_store, one).partition for one in drawn)
    assert (first.task, first.language) == (second.task, second.language)


@pytest.mark.parametrize("name", NAMES)
def test_each_row_has_an_id_and_the_canary(name: str) -> None:
    kept = rows(name)
    assert [row["id"] for row in kept] == [f"{name}-{at:03}" for at in range(1, len(kept) + 1)]
    assert {row["canary"] for row in kept} == {draw_seen.CANARY}


def test_no_text_is_in_two_places() -> None:
    texts = Counter(
        text
        for key in SEEN
        for one in whole(key).instances
        for text in (one.text, *whole(key).variants[one.id])
    )
    assert [text for text, count in texts.items() if count > 1] == []


@pytest.mark.slow
@pytest.mark.ci
def test_drawing_again_gives_the_same_bytes() -> None:
    kept = (DATA / "seen" / "founding.jsonl").read_text("utf-8")
    assert draw_seen.draw_file("founding") == kept


@pytest.mark.slow
@pytest.mark.ci
def test_verses_drawn_again_are_the_same_and_the_style_of_the_bible_finds_a_third() -> None:
    kept = rows("verses")
    assert draw_seen.draw_file("verses") == (DATA / "seen" / "verses.jsonl").read_text("utf-8")
    style = draw_seen.bible_style(kept)  # trained by now: both are tried here
    found = [style(row["verse"]) > max(style(verse) for verse in row["variants"]) for row in kept]
    assert 0.25 <= fmean(found) <= 0.42, fmean(found)
