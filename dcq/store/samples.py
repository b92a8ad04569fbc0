"""Partitions, samples and their instances."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import duckdb

from dcq.columns import pieces_of
from dcq.errors import InputError
from dcq.records import (
    DatasetTask,
    Instance,
    Partition,
    PartitionRole,
    Sample,
    TextLayout,
    fingerprint,
)
from dcq.store import partitions, sets, variants
from dcq.store.connect import Store, utc_now
from dcq.store.moment import until_changed, until_written_to
from dcq.store.rows import insert_records, insert_rows, newest_rows, records

_NO_ROW = -1  # where the row of an instance is not known


def save(store: Store, sample: Sample, *, author: str = "") -> str:
    """Keep a sample, with the variants that came with it; returns its id.

    The id is a fingerprint of what was drawn, so the same draw is one sample however often made.
    Where another thing has the partition's name, or another edition of its data, it gets a name of
    its own, and a note says so.
    A sample that is there already keeps the variants it has.
    Raises InputError where the role contradicts the saved one (see ``partitions.find_or_add``), or
    the sample is there already and cut in other pieces than the columns of this one say.
    """
    with store.write() as db:
        partition, renamed = partitions.find_or_add(
            db, sample.partition, author, partial(_other_rows, db, sample)
        )
        sample_id = fingerprint(partition.id, *(instance.id for instance in sample.instances))
        first = None
        if sample.set_name:
            first, sample_id = sample_id, sets.set_id(sample_id, sample.set_name)
        if db.execute("SELECT 1 FROM sample WHERE id = ?", [sample_id]).fetchone():
            _check_pieces(db, sample_id, sample)
            return sample_id
        insert_records(
            db,
            "sample",
            [sample],
            id=sample_id,
            partition_id=partition.id,
            source=sample.partition.source,
            n=sample.n,
            notes=[*sample.notes, *([renamed] if renamed else [])],
            set_of=first,
            set_name=sample.set_name or None,
            made_at=utc_now(),
        )
        insert_rows(
            db,
            "instance",
            ("sample_id", "position", "id", "text", "fields", "label", "protected", "row_number"),
            [
                [
                    sample_id,
                    position,
                    instance.id,
                    instance.text,
                    json.dumps(dict(instance.fields), ensure_ascii=False),
                    instance.label,
                    list(instance.protected),
                    _NO_ROW if instance.row is None else instance.row,
                ]
                for position, instance in enumerate(sample.instances)
            ],
        )
        variants.insert(db, sample_id, variants.of_sample(sample, author))
    return sample_id


def _other_rows(db: duckdb.DuckDBPyConnection, sample: Sample, partition_id: str) -> str:
    """In what the data that a sample was drawn from differ from those of a saved partition; empty
    where they are the same, or nothing is known.

    Rows are compared by their number, and only in columns that both have: another template is no
    other edition.
    """
    earlier = db.execute(
        "SELECT id, revision, available, made_at FROM sample "
        "WHERE partition_id = ? AND set_of IS NULL AND revision <> '' ORDER BY made_at DESC",
        [partition_id],
    ).fetchall()
    if not sample.revision or sample.revision in {revision for _, revision, *_ in earlier}:
        return ""
    drawn = {
        instance.row: dict(instance.fields)
        for instance in sample.instances
        if instance.row is not None
    }
    for sample_id, _, available, made_at in earlier:
        rows = db.execute(
            "SELECT row_number, fields FROM instance WHERE sample_id = ? AND row_number >= 0",
            [sample_id],
        ).fetchall()
        before = {row: json.loads(fields) for row, fields in rows if row in drawn}
        changed = sum(
            any(fields[name] != drawn[row][name] for name in fields.keys() & drawn[row].keys())
            for row, fields in before.items()
        )
        where = f"the edition of {made_at:%d %b %Y} ({partition_id})"
        if changed:
            return f"{changed:,} of {len(before):,} rows that can be compared differ from {where}"
        alike = all(fields.keys() == drawn[row].keys() for row, fields in before.items())
        if alike and available != sample.available:
            return f"it has {sample.available:,} instances, and {where} has {available:,}"
    return ""


def _check_pieces(db: duckdb.DuckDBPyConnection, sample_id: str, sample: Sample) -> None:
    rows = db.execute("SELECT id, fields FROM instance WHERE sample_id = ?", [sample_id]).fetchall()
    stored_instances = {name: Instance("", json.loads(fields)) for name, fields in rows}
    if any(
        pieces_of(instance) not in {None, pieces_of(stored_instances[instance.id])}
        for instance in sample.instances
    ):
        raise InputError(
            f"Sample {sample_id} has these texts already, without the pieces (first_piece, "
            "second_piece) of this file; draw it with another seed."
        )


@dataclass(frozen=True)
class StoredSample:
    """A sample as kept: its id, its partition and its instances in drawn order. A further set of
    variants has the id of the first sample in ``set_of`` and a ``set_name``. ``revision`` is that
    of the data, "" where it is not known."""

    id: str
    partition: Partition
    instances: tuple[Instance, ...]
    seed: int
    notes: tuple[str, ...]
    layout: TextLayout | None
    set_of: str | None = None
    set_name: str = ""
    revision: str = ""


@until_written_to()
def state(store: Store) -> tuple[int, int]:
    """A value that changes whenever a sample is saved or a partition gets another role."""
    with store.read() as db:
        row = db.execute(
            "SELECT (SELECT count(*) FROM sample), "
            "coalesce((SELECT max(seq) FROM partition_role), 0)"
        ).fetchone()
    return row or (0, 0)


@until_written_to()
def _written(store: Store) -> tuple[object, ...]:
    """As ``state``, with the times: a file that took the place of another may count alike."""
    with store.read() as db:
        return tuple(
            db.execute(
                "SELECT count(*), max(made_at), "
                "(SELECT max(seq) FROM partition_role), (SELECT max(made_at) FROM partition_role) "
                "FROM sample"
            ).fetchall()
        )


@until_changed(lambda store, sample_id: _written(store), kept=256)
def load(store: Store, sample_id: str) -> StoredSample:
    """The sample of this id, or of the only id that starts with it. Raises InputError if there is
    none."""
    with store.read() as db:
        sample = _find(db, sample_id)
        rows = db.execute(
            "SELECT text, fields, label, protected, nullif(row_number, ?) AS row FROM instance "
            "WHERE sample_id = ? ORDER BY position",
            [_NO_ROW, sample.id],
        )
        return replace(sample, instances=tuple(records(rows, Instance)))


@until_written_to()
def find(store: Store, sample_id: str) -> tuple[str, Partition]:
    """The whole id and the partition of the sample that ``load`` gives, without its instances.
    Raises InputError if there is none."""
    with store.read() as db:
        sample = _find(db, sample_id)
    return sample.id, sample.partition


def partition_of(store: Store, sample_id: str) -> Partition:
    """The partition of a sample. Raises InputError if there is no such sample."""
    return find(store, sample_id)[1]


def _find(db: duckdb.DuckDBPyConnection, sample_id: str) -> StoredSample:
    """A sample without its instances."""
    rows = db.execute(
        "SELECT s.id, s.seed, s.notes, s.layout, s.set_of, coalesce(s.set_name, '') AS set_name, "
        "p.key, p.split, p.title, p.split_title, p.role, p.task, p.language, p.licence, "
        "p.published, s.source, p.placebo_of, s.revision FROM sample s "
        "JOIN partition_now p ON p.id = s.partition_id WHERE starts_with(s.id, ?)",
        [sample_id],
    )
    found = records(rows, StoredSample, instances=())
    if len(found) != 1 or not sample_id:
        raise InputError(
            f"{'No sample' if not found else 'More than one sample'} has the id {sample_id!r}; "
            "`python -m dcq status` lists the samples."
        )
    return found[0]


@dataclass(frozen=True)
class ListedSample:
    """A sample of ``n`` instances, without them, and the partition it was drawn from.
    ``with_variants`` of its instances have three or more; of ``reviewed`` ones all newest variants
    were accepted or rejected. ``made_at`` is UTC. ``set_of`` and ``set_name`` are as in
    ``StoredSample``."""

    id: str
    partition: str
    title: str
    split_title: str
    role: PartitionRole
    language: str
    placebo_of: str | None
    task: DatasetTask
    source: str
    n: int
    requested: int
    seed: int
    stratified: bool
    notes: tuple[str, ...]
    layout: TextLayout | None
    made_at: datetime
    with_variants: int
    reviewed: int
    set_of: str | None = None
    set_name: str = ""


def listing(store: Store) -> list[ListedSample]:
    """All samples, newest first; further sets of variants below their first sample, the oldest of
    them first."""
    return list(_listing(store))


@until_written_to()
def _listing(store: Store) -> tuple[ListedSample, ...]:
    """What pages and verdicts ask for several times over: it takes longer than most reads."""
    with store.read() as db:
        rows = db.execute(
            # A store may hold variants of instances that no sample has: they count for nothing.
            "WITH own AS (SELECT * FROM variant v SEMI JOIN instance i "  # noqa: S608  (our own words)
            "  ON i.sample_id = v.sample_id AND i.id = v.instance_id WHERE v.slot < $slots), "
            "filled AS (SELECT sample_id, instance_id FROM own "
            "  GROUP BY ALL HAVING count(DISTINCT slot) >= 3), "
            "counts AS (SELECT sample_id, count(*) AS with_variants FROM filled GROUP BY ALL), "
            "judged AS (SELECT n.sample_id, n.instance_id "
            f"  FROM {newest_rows('own', 'sample_id', 'instance_id', 'slot')} n "
            f"  LEFT JOIN {newest_rows('review', 'variant_seq')} d ON d.variant_seq = n.seq "
            "  GROUP BY ALL HAVING bool_and(coalesce(d.decision, 'open') <> 'open')), "
            "decided AS (SELECT sample_id, count(*) AS reviewed FROM judged GROUP BY ALL) "
            "SELECT s.id, p.id AS partition, p.shown_title AS title, p.shown_split AS split_title, "
            "p.role, p.language, p.placebo_of, "
            "p.task, s.source, s.n, s.requested, s.seed, s.stratified, s.notes, s.layout, "
            "s.made_at, coalesce(c.with_variants, 0)::INTEGER AS with_variants, "
            "coalesce(r.reviewed, 0)::INTEGER AS reviewed, "
            "s.set_of, coalesce(s.set_name, '') AS set_name "
            "FROM sample s JOIN partition_now p ON p.id = s.partition_id "
            "LEFT JOIN counts c ON c.sample_id = s.id "
            "LEFT JOIN decided r ON r.sample_id = s.id "
            "ORDER BY min(s.made_at) OVER (PARTITION BY coalesce(s.set_of, s.id)) DESC, "
            "coalesce(s.set_of, s.id), s.set_of IS NOT NULL, s.made_at",
            {"slots": variants.SLOTS},
        )
        return tuple(records(rows, ListedSample))


def controls(store: Store, task: str, language: str) -> list[ListedSample]:
    """The samples of control partitions that can be compared with a target of this task and
    language, the newest first."""
    return [
        sample
        for sample in listing(store)
        if sample.role is PartitionRole.CONTROL
        and (sample.task, sample.language) == (task, language)
    ]
