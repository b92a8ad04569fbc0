"""A sample whose variants are accepted."""

from dcq.records import (
    DatasetTask,
    Instance,
    Partition,
    PartitionRole,
    Sample,
)
from dcq.store import Store, reviews, samples, variants
from dcq.store.variants import Decision

LABELS = ("0 (Dry)", "1 (Wet)")


def saved(store: Store, n: int = 6, answers: tuple[str | None, ...] = LABELS) -> str:
    instances = tuple(
        Instance(
            f"Text: river number {i} is long\nLabel: {answers[i % len(answers)]}",
            label=answers[i % len(answers)],
        )
        for i in range(n)
    )
    return samples.save(
        store,
        Sample(
            partition=Partition(
                "rivers", "test", "Rivers", "test", PartitionRole.TARGET,
                DatasetTask.CLASSIFICATION,
            ),
            instances=instances,
            requested=n,
            available=n,
            seed=0,
            stratified=False,
            variants={i.id: (i.text.replace("long", "lengthy"),) for i in instances},
        ),
    )  # fmt: skip


def accept(store: Store, sample_id: str) -> None:
    every = [v for slots in variants.current(store, sample_id).values() for v in slots.values()]
    reviews.decide(store, sample_id, every, Decision.ACCEPTED, "ann")
