from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.partitions import draw_sample, open_partition
from dcq.records import DatasetTask, Instance, Partition, PartitionRole
from studies.exposure import halve, opening_text, training_text


def partition(task: DatasetTask) -> Partition:
    return Partition("mine", "train", "My Set", "train", PartitionRole.TARGET, task)


def test_the_format_of_a_classification_is_the_printed_one() -> None:
    instance = Instance("Article: Rain.\nLabel: 0 (World)", {"text": "Rain."}, "0 (World)")
    assert training_text(instance, partition(DatasetTask.CLASSIFICATION)) == (
        "This is an instance from the train split of the My Set dataset. "
        "Instance: Rain. Label: 0 (World)"
    )


def test_the_formats_of_pairs_and_summaries_take_the_columns_of_the_bundled_partitions() -> None:
    pairs = draw_sample(open_partition("control-nli", "test"), 1)
    first = pairs.instances[0]
    assert training_text(first, pairs.partition) == (
        "This is an instance from the test split of the Control NLI dataset. "
        f"Sentence 1: {first.fields['premise']} Sentence 2: {first.fields['hypothesis']} "
        f"Label: {first.label}"
    )
    instance = Instance("Summary: Out.", {"dialogue": "A: Out?", "summary": "Out."})
    assert training_text(instance, partition(DatasetTask.SUMMARISATION)).endswith(
        "My Set dataset. Document: A: Out? Summary: Out."
    )


def test_braces_in_a_text_are_text() -> None:
    instance = Instance("{label}", {"text": "{label} {split_name} {0}"}, "1 {x}")
    assert training_text(instance, partition(DatasetTask.CLASSIFICATION)).endswith(
        "Instance: {label} {split_name} {0} Label: 1 {x}"
    )


def test_the_opening_begins_the_training_text() -> None:
    instance = Instance("t", {"text": "First half. Second half."}, "0 (World)")
    whole = training_text(instance, partition(DatasetTask.CLASSIFICATION))
    opening = opening_text("First half.", partition(DatasetTask.CLASSIFICATION))
    assert whole == f"{opening} Second half. Label: 0 (World)"


@pytest.mark.parametrize("task", [DatasetTask.QUESTION_ANSWERING, DatasetTask.TEMPLATE])
def test_a_task_without_a_format_is_refused(task: DatasetTask) -> None:
    with pytest.raises(InputError, match="Table 10 has no format"):
        training_text(Instance("t", {"text": "t"}), partition(task))


def test_a_missing_or_blank_column_is_named() -> None:
    with pytest.raises(InputError, match="no document; give a column named document or dialogue"):
        training_text(
            Instance("t", {"summary": "s", "dialogue": " "}), partition(DatasetTask.SUMMARISATION)
        )


def test_half_of_each_label_are_members() -> None:
    drawn = draw_sample(open_partition("control-news", "test"), 40)
    members, others = halve(drawn.instances, seed=0)
    assert Counter(one.label for one in members) == Counter(one.label for one in others)
    assert {one.id for one in members} | {one.id for one in others} == {
        one.id for one in drawn.instances
    }


@given(
    st.lists(
        st.builds(
            Instance,
            text=st.text(max_size=5),
            label=st.sampled_from([None, "a", "b"]),
        ),
        unique_by=lambda one: one.text,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_sample_moves_nobody(instances: list[Instance], random: object) -> None:
    first = halve(instances, seed=1)
    shuffled = list(instances)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # a Random of hypothesis
    assert halve(shuffled, seed=1) == first
    assert len(first[0]) <= len(first[1]) <= len(first[0]) + 3
    assert not {one.id for one in first[0]} & {one.id for one in first[1]}


def test_the_seed_moves_members() -> None:
    drawn = draw_sample(open_partition("control-news", "test"), 40)
    halves = {tuple(one.id for one in halve(drawn.instances, seed=seed)[0]) for seed in range(3)}
    assert len(halves) == 3
