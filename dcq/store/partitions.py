"""The partitions, fixed when they are first saved, and the history of their roles.

Other results, quizzes and prompts rest on a partition's name and role, so nothing that is drawn or
imported later changes them: another thing of the same name becomes a partition of its own. Only a
person changes a role, and each change is added to the history.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import count

import duckdb

from dcq import words
from dcq.errors import InputError
from dcq.naming import LONGEST, check_name, is_unicode
from dcq.records import DatasetTask, Partition, PartitionRole
from dcq.store.connect import Store, utc_now
from dcq.store.moment import until_written_to
from dcq.store.rows import insert_records, record, records

_WORDS: Mapping[str, str] = {"split_title": "word for the split", "published": "date"}
# A text alone was a template in older stores.
_ALIKE = {DatasetTask.TEXT, DatasetTask.TEMPLATE}
_LONGEST_NAME = LONGEST + 100  # with the dates of a window, or a number, behind what was given


def shown_names(store: Store, partition: Partition) -> tuple[str, str]:
    """What a screen calls the dataset and the split of a partition, in the store or not; the split
    is empty where the dataset has no other."""
    known = _shown_names(store).get(partition.id)
    if known is not None:
        return known
    alone = partition.source and not partition.source.startswith("hub:")
    return partition.shown_title, "" if alone else partition.split_title


@until_written_to()
def _shown_names(store: Store) -> Mapping[str, tuple[str, str]]:
    with store.read() as db:
        rows = db.execute("SELECT id, shown_title, shown_split FROM partition_now").fetchall()
    return {id_: (str(title), str(split)) for id_, title, split in rows}


def place(store: Store, partition: Partition) -> str:
    """A partition as a person says it."""
    return words.place(*shown_names(store, partition))


def find_or_add(
    db: duckdb.DuckDBPyConnection,
    partition: Partition,
    author: str,
    other_rows: Callable[[str], str] = lambda partition_id: "",
) -> tuple[Partition, str]:
    """The partition to file a sample of ``partition`` under, saved if it is new, and a sentence
    where that is not ``partition`` itself, else an empty one.

    It is ``partition`` where that is new or the same as the saved one. Where another thing has that
    name, it is ``KEY-2`` or the next that is free or the same. So is another edition of its data:
    ``other_rows`` says in what its rows differ from those of a saved partition, empty where they do
    not.

    Raises InputError where only the role differs from the saved one's first and present role: who
    is right must be said, not guessed.
    """
    if not is_unicode(partition.id):  # no database can look for it
        _check_names(partition)
    differs: list[str] = []
    edition = ""
    for number in count(1):
        wanted_partition = (
            partition if number == 1 else replace(partition, key=f"{partition.key}-{number}")
        )
        saved = _find(db, wanted_partition.id)
        if saved is None:
            _insert(db, wanted_partition, author)
            break
        first, now = saved
        others = _differences(first, wanted_partition)
        rows_differ = "" if others else other_rows(wanted_partition.id)
        edition = edition or rows_differ
        if not others and not rows_differ:
            if wanted_partition.role not in {first.role, now}:
                raise InputError(
                    f"{wanted_partition.id} is a {now} in this store, and this says "
                    f"{wanted_partition.role}; change "
                    "its role on the Dataset page first, or give the data another name."
                )
            break
        differs = differs or others
    if wanted_partition.id == partition.id:
        return wanted_partition, ""
    if not differs:
        return wanted_partition, (
            f"Saved as {wanted_partition.id}: {edition}. The two are judged apart."
        )
    names = " and ".join(_WORDS.get(name, name) for name in differs)
    verb = "differs" if len(differs) == 1 else "differ"
    return wanted_partition, (
        f"Saved as {wanted_partition.id}: another partition is called {partition.id}, and its "
        f"{names} {verb}."
    )


def set_role(store: Store, partition_id: str, role: PartitionRole, author: str) -> None:
    """Note that ``author`` gives a partition another role; results use the newest. Raises
    InputError where the store has no such partition."""
    with store.write() as db:
        saved = _find(db, partition_id)
        if saved is None:
            raise InputError(f"The store has no partition {partition_id!r}; draw a sample first.")
        if saved[1] is not role:
            _note_role(db, partition_id, role, author)


@dataclass(frozen=True)
class GivenRole:
    """A role of a partition, who gave it (empty where unknown), and when (UTC)."""

    role: PartitionRole
    author: str
    at: datetime


def role_history(store: Store, partition_id: str) -> list[GivenRole]:
    """The roles of a partition, newest first."""
    with store.read() as db:
        rows = db.execute(
            "SELECT *, made_at AS at FROM partition_role WHERE partition_id = ? ORDER BY seq DESC",
            [partition_id],
        )
        return records(rows, GivenRole)


def ids(store: Store) -> list[str]:
    """All partitions of the store, as ``key/split``, by name."""
    with store.read() as db:
        rows = db.execute("SELECT id FROM partition ORDER BY id").fetchall()
    return [partition_id for (partition_id,) in rows]


def origins(store: Store) -> dict[str, str]:
    """The source of each partition, as it was drawn first."""
    with store.read() as db:
        return dict(db.execute("SELECT id, source FROM partition ORDER BY id").fetchall())


def published(store: Store) -> dict[str, date]:
    """When each partition was first public, where that is known."""
    with store.read() as db:
        rows = db.execute(
            "SELECT id, published FROM partition WHERE published IS NOT NULL"
        ).fetchall()
    return dict(rows)


def count_runs(store: Store, partition_id: str) -> int:
    """How many runs asked about a partition: their verdicts rest on its role, and so do those of
    targets compared with it."""
    with store.read() as db:
        row = db.execute(
            "SELECT count(*) FROM run r JOIN sample s ON s.id = r.sample_id "
            "WHERE s.partition_id = ? AND r.method <> 'rewording'",
            [partition_id],
        ).fetchone()
    return int(row[0]) if row else 0


def _find(
    db: duckdb.DuckDBPyConnection, partition_id: str
) -> tuple[Partition, PartitionRole] | None:
    """A partition as first saved, and its present role."""
    first, now = (
        record(db.execute(f"SELECT * FROM {table} WHERE id = ?", [partition_id]), Partition)  # noqa: S608  (our own names)
        for table in ("partition", "partition_now")
    )
    return None if first is None or now is None else (first, now.role)


def _insert(db: duckdb.DuckDBPyConnection, partition: Partition, author: str) -> None:
    _check_names(partition)
    insert_records(db, "partition", [partition], id=partition.id, made_at=utc_now())
    _note_role(db, partition.id, partition.role, author)


def _check_names(partition: Partition) -> None:
    """Raise InputError where a new partition has a name that none may have."""
    for name, what in (
        *((partition.key, "dataset"), (partition.title, "dataset")),
        *((partition.split, "split"), (partition.split_title, "split")),
        *((partition.language, "language"), (partition.licence, "licence")),
    ):
        check_name(name, what, _LONGEST_NAME)


def _note_role(
    db: duckdb.DuckDBPyConnection, partition_id: str, role: PartitionRole, author: str
) -> None:
    db.execute(
        "INSERT INTO partition_role (partition_id, role, author, made_at) VALUES (?, ?, ?, ?)",
        [partition_id, role, author, utc_now()],
    )


def _differences(first: Partition, other_partition: Partition) -> list[str]:
    """The names of the fields in which two partitions with the same id differ."""
    names = [
        name
        for name in ("title", "split_title", "language", "licence", "published")
        if getattr(first, name) != getattr(other_partition, name)
    ]
    if first.task != other_partition.task and {first.task, other_partition.task} != _ALIKE:
        names.append("task")
    if _origin(first.source) != _origin(other_partition.source):
        names.append("source")
    return names


def _origin(source: str) -> str:
    """Where data come from, without what may change: each sample keeps its revision or file."""
    kind, _, location = source.partition(":")
    if kind == "hub":
        return f"hub:{location.partition('@')[0]}"
    if kind == "wheel":
        return f"wheel:{location.partition(' ')[0]}"
    if kind in {"placebo", "file"}:  # of another sample; a corrected or renamed file
        return kind
    return source
