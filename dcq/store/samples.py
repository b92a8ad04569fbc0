"""Partitions, samples and their instances."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pandas as pd

from dcq.errors import InputError
from dcq.records import Instance, Partition, Role, Sample, Task, fingerprint
from dcq.store import variants
from dcq.store.bulk import insert_rows
from dcq.store.connect import Store, utc_now


def save(store: Store, sample: Sample, *, author: str = "") -> str:
    """Keep a sample, with the variants that came with it; returns its id.

    The id is a fingerprint of what was drawn, so the same draw is one sample however often made.
    """
    partition = sample.partition
    sample_id = fingerprint(partition.id, *(instance.id for instance in sample.instances))
    now = utc_now()
    with store.write() as db:
        db.execute(
            "INSERT OR REPLACE INTO partition VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            [
                partition.id,
                partition.key,
                partition.split,
                partition.title,
                partition.split_title,
                partition.role,
                partition.task,
                partition.language,
                partition.licence,
                partition.published,
                partition.source,
                now,
            ],
        )
        if db.execute("SELECT 1 FROM sample WHERE id = ?", [sample_id]).fetchone():
            return sample_id
        db.execute(
            "INSERT INTO sample VALUES (?,?,?,?,?,?,?,?,?,?)",
            [
                sample_id,
                partition.id,
                partition.source,
                sample.n,
                sample.requested,
                sample.available,
                sample.seed,
                sample.stratified,
                json.dumps(sample.notes),
                now,
            ],
        )
        insert_rows(
            db,
            "instance",
            ("sample_id", "position", "id", "text", "fields", "label", "protected"),
            [
                [
                    sample_id,
                    position,
                    instance.id,
                    instance.text,
                    json.dumps(dict(instance.fields), ensure_ascii=False),
                    instance.label,
                    list(instance.protected),
                ]
                for position, instance in enumerate(sample.instances)
            ],
        )
        variants.insert(
            db,
            sample_id,
            [
                variants.NewVariant(instance_id, slot, text, "bundled", author)
                for instance_id, texts in sample.variants.items()
                for slot, text in enumerate(texts)
            ],
        )
    return sample_id


@dataclass(frozen=True)
class StoredSample:
    """A sample as kept: its id, its partition and its instances in drawn order."""

    id: str
    partition: Partition
    instances: tuple[Instance, ...]
    seed: int
    notes: tuple[str, ...]


def load(store: Store, sample_id: str) -> StoredSample:
    """The sample of this id, or of the only id that starts so. Raises InputError if none is."""
    with store.read() as db:
        rows = db.execute(
            "SELECT s.id, s.seed, s.notes, p.key, p.split, p.title, p.split_title, p.role, p.task, "
            "p.language, p.licence, p.published, p.source FROM sample s "
            "JOIN partition p ON p.id = s.partition_id WHERE starts_with(s.id, ?)",
            [sample_id],
        ).fetchall()
        if len(rows) != 1 or not sample_id:
            raise InputError(
                f"{'No sample' if not rows else 'More than one sample'} has the id {sample_id!r}; "
                "`python -m dcq status` lists the samples."
            )
        found, seed, notes, key, split, title, split_title, role, task, *rest = rows[0]
        instances = db.execute(
            "SELECT text, fields, label, protected FROM instance WHERE sample_id = ? "
            "ORDER BY position",
            [found],
        ).fetchall()
    partition = Partition(key, split, title, split_title, Role(role), Task(task), *rest)
    return StoredSample(
        found,
        partition,
        tuple(
            Instance(text, json.loads(fields), label, tuple(protected))
            for text, fields, label, protected in instances
        ),
        seed,
        tuple(json.loads(notes)),
    )


def listing(store: Store) -> pd.DataFrame:
    """All samples, newest first: sample, partition, title, split_title, role, language, task, n,
    requested, seed, stratified, notes, made_at, with_variants (instances with three or more),
    reviewed (instances of which all newest variants were accepted or rejected)."""
    with store.read() as db:
        frame = db.execute(
            "WITH filled AS (SELECT sample_id, instance_id FROM variant "
            "  GROUP BY ALL HAVING count(DISTINCT slot) >= 3), "
            "counts AS (SELECT sample_id, count(*) AS with_variants FROM filled GROUP BY ALL), "
            "newest AS (SELECT sample_id, instance_id, slot, max(seq) AS seq FROM variant "
            "  GROUP BY ALL), "
            "said AS (SELECT variant_seq, arg_max(decision, seq) AS decision FROM review "
            "  GROUP BY ALL), "
            "judged AS (SELECT n.sample_id, n.instance_id FROM newest n "
            "  LEFT JOIN said d ON d.variant_seq = n.seq GROUP BY ALL "
            "  HAVING bool_and(coalesce(d.decision, 'open') <> 'open')), "
            "decided AS (SELECT sample_id, count(*) AS reviewed FROM judged GROUP BY ALL) "
            "SELECT s.id AS sample, p.id AS partition, p.title, p.split_title, p.role, p.language, "
            "p.task, p.source, s.n, s.requested, s.seed, s.stratified, s.notes, s.made_at, "
            "coalesce(c.with_variants, 0)::INTEGER AS with_variants, "
            "coalesce(r.reviewed, 0)::INTEGER AS reviewed "
            "FROM sample s JOIN partition p ON p.id = s.partition_id "
            "LEFT JOIN counts c ON c.sample_id = s.id "
            "LEFT JOIN decided r ON r.sample_id = s.id ORDER BY s.made_at DESC"
        ).df()
    frame["notes"] = frame["notes"].map(json.loads)
    return frame


def set_role(store: Store, partition_id: str, role: Role) -> None:
    """Say anew what is known of a partition; results read the role as it is now."""
    with store.write() as db:
        db.execute("UPDATE partition SET role = ? WHERE id = ?", [role, partition_id])
