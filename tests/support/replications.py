"""Samples that can be cut in two, for tests of replications."""

from __future__ import annotations

from dcq.judging.replication import of_run
from dcq.records import DatasetTask, Instance, Partition, PartitionRole, Sample
from dcq.replication.evidence import ReplicationRun, replication_row
from dcq.store import Store, samples

FIRST = "The {name} number {number} springs below the northern hills and runs to the old mill."
SECOND = "Winter {number} of {name} froze it from bank to bank."


def sample(
    n: int = 6,
    *,
    key: str = "brooks",
    role: PartitionRole = PartitionRole.TARGET,
    language: str = "en",
) -> Sample:
    """``n`` instances of two sentences each, of two classes."""
    instances = []
    for number in range(n):
        text = f"{FIRST} {SECOND}".format(name=key, number=number)
        label = ("0 (Wet)", "1 (Dry)")[number % 2]
        instances.append(
            Instance(
                f"Text: {text}\nLabel: {label}",
                {"text": text, "gold_label": label[0]},
                label,
                (f"Label: {label}",),
            )
        )
    return Sample(
        Partition(key, "test", key.title(), "test", role, DatasetTask.CLASSIFICATION, language),
        tuple(instances),
        n,
        n,
        0,
        stratified=False,
    )


def save(
    store: Store, n: int = 6, *, key: str = "brooks", role: PartitionRole = PartitionRole.TARGET
) -> tuple[str, list[str]]:
    """The id of such a sample in the store, and its texts without labels."""
    made = sample(n, key=key, role=role)
    return samples.save(store, made), [one.fields["text"] for one in made.instances]


def run_of(store: Store, run_id: str) -> ReplicationRun:
    """A run as it is read; raises InputError before it has an answer."""
    return replication_row(of_run(store, run_id).evidence)
