"""A protected benchmark ready to be asked about: its published side as a sample of the store,
separate from what models are asked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from dcq.protect.commitment import merkle_root
from dcq.protect.conclude import conclude
from dcq.protect.make import keep_private
from dcq.protect.method import ProtectMethod, freeze
from dcq.protect.published import rows
from dcq.protect.secret import Secret
from dcq.protect.shuffle import LETTERED, By, Sheet, shuffle
from dcq.records import DatasetTask, Instance, Partition, PartitionRole, Sample
from dcq.store import Store, samples


@dataclass(frozen=True)
class OpenCheck:
    """A secret opened for asking: the ``sample`` of its published side, and the ``method`` that
    asks about its ``sheet`` without knowing the lots."""

    sample: str
    sheet: Sheet
    method: ProtectMethod
    _places: tuple[int, ...] = field(repr=False)

    def subject(self, store: Store, sample_id: str) -> str:
        """The id of the subject of a new run."""
        return freeze(store, sample_id, self.sheet)

    def conclude(self, store: Store, run_id: str) -> None:
        """Open the lots of the items that a run has asked about."""
        conclude(store, run_id, self.sheet, self._places)


def open_check(
    store: Store, secret: Secret, by: By, asks: int = LETTERED, path: Path | None = None
) -> OpenCheck:
    """Store the published side as a sample, and make the sheet. ``path`` is the secret's file, for
    a process of its own. Raises InputError while the lots cannot be drawn, or where there are too
    few wordings."""
    sheet, places = shuffle(secret, by, asks)
    keep_private(store, secret)
    method = ProtectMethod(sheet, path)
    return OpenCheck(samples.save(store, as_sample(secret)), sheet, method, places)


def as_sample(secret: Secret) -> Sample:
    """The published side as a sample."""
    try:
        published = date.fromisoformat(secret.made)
        task = DatasetTask(secret.task)
    except ValueError:
        published, task = None, DatasetTask.TEMPLATE
    root = merkle_root(secret)
    name = re.sub(r"[^a-z0-9]+", "-", secret.title.lower()).strip("-")[:40]
    instances = {row["text"]: Instance(row["text"], label=row.get("label")) for row in rows(secret)}
    return Sample(
        partition=Partition(
            key=f"{name or 'benchmark'}-protected-{root[:8]}",
            split="published",
            title=secret.title,
            split_title=secret.split,
            role=PartitionRole.TARGET,
            task=task,
            language=secret.language,
            published=published,
            source=f"protected:{root}",
        ),
        instances=tuple(instances.values()),
        requested=len(secret.items),
        available=len(instances),
        seed=0,
        stratified=False,
    )
