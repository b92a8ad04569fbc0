"""A sample whose variants are accepted."""

from dcq.records import (
    DatasetTask,
    Instance,
    Partition,
    PartitionRole,
    Sample,
)
from dcq.store import Store, reviews, samples, variants
from dcq.store.variants import Decision, NewVariant

LABELS = ("0 (Dry)", "1 (Wet)")


def saved(
    store: Store,
    n: int = 6,
    answers: tuple[str | None, ...] = LABELS,
    words: tuple[str, ...] = ("lengthy",),
    *,
    first: int = 0,
    key: str = "rivers",
) -> str:
    instances = tuple(
        Instance(
            f"Text: river number {i} is long\nLabel: {answers[i % len(answers)]}",
            label=answers[i % len(answers)],
        )
        for i in range(first, first + n)
    )
    return samples.save(
        store,
        Sample(
            partition=Partition(
                key, "test", key.title(), "test", PartitionRole.TARGET,
                DatasetTask.CLASSIFICATION,
            ),
            instances=instances,
            requested=n,
            available=n,
            seed=first,
            stratified=False,
            variants={i.id: tuple(i.text.replace("long", w) for w in words) for i in instances},
        ),
    )  # fmt: skip


def reword(store: Store, sample_id: str, word: str) -> None:
    """Other rewordings in place of those that are there, accepted."""
    instances = samples.load(store, sample_id).instances
    new = [NewVariant(i.id, 0, i.text.replace("long", word), "person") for i in instances]
    variants.add(store, sample_id, new)
    accept(store, sample_id)


def accept(store: Store, sample_id: str) -> None:
    every = [v for slots in variants.current(store, sample_id).values() for v in slots.values()]
    reviews.decide(store, sample_id, every, Decision.ACCEPTED, "ann")
