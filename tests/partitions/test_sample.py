"""A sample is unique, seeded, and the same whatever the order of rows and the machine."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import PartitionError
from dcq.partitions.sample import allocate, draw
from dcq.records import DatasetTask, Instance, Partition, PartitionRole

WNLI = Partition("wnli", "validation", "WNLI", "validation", PartitionRole.TARGET, DatasetTask.NLI)
GOLDEN = ["text 84", "text 12", "text 33", "text 58", "text 4"]


def instances(count: int) -> list[Instance]:
    return [Instance(f"text {index}", label=f"{index % 3}") for index in range(count)]


def test_a_seed_gives_the_same_sample_on_every_machine() -> None:
    texts = [item.text for item in draw(WNLI, instances(100), 5, seed=7).instances]
    assert texts == GOLDEN


@given(st.integers(0, 10**6), st.integers(1, 30), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(
    seed: int, n: int, stratified: bool, random: Random
) -> None:
    rows = instances(25)
    shuffled = random.sample(rows, len(rows))
    first = draw(WNLI, rows, n, seed=seed, stratified=stratified)
    assert first == draw(WNLI, shuffled, n, seed=seed, stratified=stratified)
    assert first.n == min(n, 25)


def test_another_seed_gives_another_sample() -> None:
    drawn = {
        tuple(item.text for item in draw(WNLI, instances(50), 10, seed=seed).instances)
        for seed in range(5)
    }
    assert len(drawn) == 5


def test_a_larger_sample_contains_the_smaller() -> None:
    small, large = (draw(WNLI, instances(60), n, seed=3).instances for n in (10, 30))
    assert large[:10] == small


def test_every_instance_is_as_likely_as_any_other() -> None:
    chosen = Counter(
        item.text
        for seed in range(400)
        for item in draw(WNLI, instances(10), 3, seed=seed).instances
    )
    assert len(chosen) == 10
    assert all(80 <= count <= 165 for count in chosen.values())  # 120 expected, 5 deviations


def test_fewer_than_asked_gives_all_and_says_so() -> None:
    sample = draw(WNLI, instances(71), 100)
    assert (sample.n, sample.requested, sample.available) == (71, 100, 71)
    assert sample.notes == ("WNLI validation has 71 instances; all are used.",)
    assert draw(WNLI, instances(1), 2).notes == ("WNLI validation has 1 instance; it is used.",)


def test_as_many_as_there_are_needs_no_note() -> None:
    assert draw(WNLI, instances(71), 71).notes == ()


def test_duplicates_are_left_out_and_counted() -> None:
    sample = draw(WNLI, instances(4) * 3, 4, notes=["First."])
    assert len({item.text for item in sample.instances}) == 4
    assert sample.notes == ("First.", "8 duplicates of WNLI validation were left out.")


@pytest.mark.parametrize("n", [0, -1])
def test_nothing_cannot_be_sampled(n: int) -> None:
    with pytest.raises(PartitionError, match="at least 1"):
        draw(WNLI, instances(3), n)


def test_an_empty_partition_is_an_error() -> None:
    with pytest.raises(PartitionError, match="no instance"):
        draw(WNLI, [], 5)


def test_stratifying_needs_labels() -> None:
    with pytest.raises(PartitionError, match="without stratifying"):
        draw(WNLI, [Instance("x")], 1, stratified=True)


def test_a_stratified_sample_keeps_the_shares() -> None:
    rows = [Instance(f"t{index}", label="a" if index < 60 else "b") for index in range(90)]
    labels = Counter(item.label for item in draw(WNLI, rows, 30, stratified=True).instances)
    assert labels == {"a": 20, "b": 10}


counts_by_label = st.dictionaries(st.text(max_size=3), st.integers(1, 500), min_size=1, max_size=8)


@given(counts_by_label, st.data())
def test_quotas_are_the_shares_rounded(counts: dict[str, int], data: st.DataObject) -> None:
    total = sum(counts.values())
    n = data.draw(st.integers(0, total))
    quotas = allocate(counts, n)
    assert sum(quotas.values()) == n
    for label, count in counts.items():
        assert 0 <= quotas[label] <= count
        assert abs(quotas[label] - n * count / total) < 1


def test_what_is_left_over_goes_to_the_largest_remainders() -> None:
    assert allocate({"a": 5, "b": 3, "c": 2}, 4) == {"a": 2, "b": 1, "c": 1}
    assert allocate({"b": 1, "a": 1}, 1) == {"b": 0, "a": 1}
