"""Quizzes of any size, of news-length texts made of common words."""

from __future__ import annotations

import random

from dcq.records import Instance, Item, Kind, Partition, Role, Sample, Task
from dcq.store import Store, quizzes, samples

_WORDS = (
    "market",
    "river",
    "winter",
    "council",
    "train",
    "report",
    "measure",
    "garden",
    "station",
    "window",
    "letter",
    "season",
    "engine",
    "harbour",
    "village",
    "teacher",
)


def _text(rng: random.Random) -> str:
    return " ".join(rng.choices(_WORDS, k=40)) + "\nLabel: 2 (Business)"


def fill(
    store: Store,
    *,
    items: int,
    key: str = "made",
    role: Role = Role.TARGET,
    rotated: bool = False,
) -> str:
    """Keep a sample and a standard quiz of ``items`` questions; returns the quiz's id. A
    ``rotated`` one asks ``items`` instances in each of the four slots."""
    rng = random.Random(key)
    options = [tuple(_text(rng) for _ in range(4)) for _ in range(items)]
    instances = tuple(Instance(texts[3], label="Business") for texts in options)
    partition = Partition(key, "train", "AG News", "train", role, Task.CLASSIFICATION)
    sample_id = samples.save(store, Sample(partition, instances, items, items, 0, False))
    placed = [
        Item(instance.id, (*texts[:slot], texts[3], *texts[slot:3]), slot)
        for instance, texts in zip(instances, options, strict=True)
        for slot in (range(4) if rotated else (3,))
    ]
    if rotated:
        return quizzes.save(store, sample_id, Kind.ROTATED, None, "quiz/v1", placed, {})
    return quizzes.save(store, sample_id, Kind.STANDARD, 3, "quiz/v1", placed, {})
