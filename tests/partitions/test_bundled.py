"""Every bundled partition opens without a network, whole and with what came with it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from dcq.errors import PartitionError
from dcq.partitions import bundled_texts, draw_sample, entries, open_partition
from dcq.partitions.bundled import load_files, load_wheel
from dcq.partitions.catalog import require
from dcq.records import PartitionRole, Sample

OFFLINE = [(entry.key, split) for entry in entries() if entry.is_offline for split in entry.splits]
SIZES = {
    "control-news": 40,
    "control-summaries": 30,
    "control-nli": 30,
    "control-spanish": 60,
    "control-chinese": 60,
    "control-reviews": 105,
    "control-requests": 105,
    "control-notices": 105,
    "control-nli-work": 105,
    "control-nli-nature": 105,
    "control-nli-home": 105,
    "control-minutes": 105,
    "control-incidents": 105,
    "control-stories": 105,
    "control-arithmetic": 105,
    "control-reading": 105,
    "control-places": 105,
}


@cache
def whole(key: str, split: str) -> Sample:
    opened = open_partition(key, split)
    return draw_sample(opened, opened.row_count)


@pytest.mark.parametrize(("key", "split"), OFFLINE)
def test_all_rows_become_distinct_instances(key: str, split: str) -> None:
    sample = whole(key, split)
    assert sample.notes == ()
    assert sample.partition.source.startswith(("bundled:", "wheel:"))
    for instance in sample.instances:
        assert all(part in instance.text for part in instance.protected)


@pytest.mark.parametrize(("key", "size"), SIZES.items())
def test_a_control_brings_four_variants_an_instance(key: str, size: int) -> None:
    sample = whole(key, "test")
    assert sample.partition.role is PartitionRole.CONTROL
    assert sample.n == size
    assert set(sample.variants) == {instance.id for instance in sample.instances}
    for instance in sample.instances:
        texts = {instance.text, *sample.variants[instance.id]}
        assert len(texts) == 5
        assert all(text.count("\n") == instance.text.count("\n") for text in texts)
        for part in instance.protected:
            assert all(text.endswith(part) for text in texts)


def test_a_control_without_rewordings_is_drawn_like_any_sample() -> None:
    opened = open_partition("control-harbour", "test")
    assert not opened.table.has_variants
    sample = draw_sample(opened, 12)
    assert (sample.n, sample.variants, sample.notes) == (12, {}, ())
    assert bundled_texts(sample.partition.source) == frozenset()


def test_a_part_of_a_control_brings_only_its_own_variants() -> None:
    sample = draw_sample(open_partition("control-nli", "test"), 5)
    assert set(sample.variants) == {instance.id for instance in sample.instances}
    assert all(
        text.startswith("Premise: ") and "\nHypothesis: " in text
        for texts in sample.variants.values()
        for text in texts
    )


def test_human_eval_is_code_whose_prose_alone_may_change() -> None:
    sample = whole("humaneval", "test")
    assert sample.n == 164
    assert not sample.variants
    instance = next(item for item in sample.instances if "def truncate_number(" in item.text)
    assert instance.text.endswith("    return number % 1.0")
    free = instance.text
    for part in instance.protected:
        free = free.replace(part, "", 1)
    assert "def truncate_number" not in free
    assert "3.5" not in free
    assert "Given a positive floating point number" in free


def test_verses_are_whole_and_of_a_readable_length() -> None:
    sample = whole("kjv", "verses")
    assert sample.partition.role is PartitionRole.POSITIVE
    assert sample.n > 15_000
    texts = {instance.text for instance in sample.instances}
    assert "John 11:35 Jesus wept." not in texts
    shepherd = "Psalms 23:2 He maketh me to lie down in green pastures: he leadeth me beside"
    assert any(text.startswith(shepherd) for text in texts)
    for instance in sample.instances:
        (reference,) = instance.protected
        assert re.fullmatch(r"[\w ]+ \d+:\d+", reference)
        assert 12 <= len(instance.fields["verse"].split()) <= 60


def test_a_missing_wheel_says_what_to_install() -> None:
    entry = replace(require("humaneval"), wheel="no-such-wheel-of-ours")
    with pytest.raises(PartitionError, match="pip install no-such-wheel-of-ours"):
        load_wheel(entry)


def test_a_missing_bundled_file_is_named() -> None:
    entry = replace(require("control-nli"), files=("control/gone.jsonl",))
    with pytest.raises(PartitionError, match=r"gone\.jsonl is missing; restore"):
        load_files(entry)
