"""What a method has frozen to ask, and numbers that it derives from replies.

``keep`` and ``kept`` serve methods with tables of their own, the rest those without. Nothing here
changes once it is stored.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from dcq.errors import InputError
from dcq.store.connect import Store, utc_now
from dcq.store.rows import Record, grouped, insert_records, insert_rows, record, records
from dcq.store.rows import column as first_column


@dataclass(frozen=True)
class FrozenRequest:
    """A request about an instance: the ``text`` that it rests on, and ``facts``, an object of JSON
    with whatever else the method needs."""

    instance_id: str
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FrozenRequests:
    """The requests of a method about a sample, by position; ``design``, an object of JSON, holds
    for all of them. The id is the subject of runs."""

    id: str
    method: str
    sample_id: str
    design: Mapping[str, Any]
    author: str
    requests: tuple[FrozenRequest, ...]


def keep(store: Store, letter: str, table: str, head: object, **parts: Sequence[object]) -> str:
    """Store what a method with tables of its own has frozen, which then never changes: the record
    ``head`` in its ``table``, and lists of records by the name of theirs, numbered by position.
    Returns the new id, which begins with ``letter``."""
    now = utc_now()
    frozen_id = f"{letter}{now:%y%m%d}-{secrets.token_hex(4)}"
    with store.write() as db:
        insert_records(db, table, [head], id=frozen_id, made_at=now)
        for name, rows in parts.items():
            insert_records(db, name, rows, first_position=0, **{f"{table}_id": frozen_id})
    return frozen_id


def kept(
    store: Store, table: str, frozen_id: str, kind: type[Record], **parts: tuple[str, type[Any]]
) -> Record | None:
    """What ``keep`` stored, as a record of this ``kind``; of its fields, ``parts`` are lists: their
    table and the kind of their records. None where there is nothing of this id."""
    with store.read() as db:
        rows = {
            field: tuple(
                records(
                    db.execute(
                        f"SELECT * FROM {name} WHERE {table}_id = ? ORDER BY position",  # noqa: S608  (our own names)
                        [frozen_id],
                    ),
                    part,
                )
            )
            for field, (name, part) in parts.items()
        }
        return record(
            db.execute(f"SELECT * FROM {table} WHERE id = ?", [frozen_id]),  # noqa: S608
            kind,
            **rows,
        )


def freeze(
    store: Store,
    method: str,
    sample_id: str,
    requests: Sequence[FrozenRequest],
    *,
    design: Mapping[str, Any] | None = None,
    author: str = "",
) -> str:
    """Store the requests; returns their id."""
    now = utc_now()
    frozen_id = f"f{now:%y%m%d}-{secrets.token_hex(4)}"
    with store.write() as db:
        db.execute(
            "INSERT INTO frozen (id, method, sample_id, design, author, made_at) "
            "VALUES (?,?,?,?,?,?)",
            [frozen_id, method, sample_id, _json(design or {}), author, now],
        )
        insert_rows(
            db,
            "frozen_request",
            ("frozen_id", "position", "instance_id", "text", "facts"),
            [
                [
                    frozen_id,
                    position,
                    frozen_request.instance_id,
                    frozen_request.text,
                    _json(frozen_request.facts),
                ]
                for position, frozen_request in enumerate(requests)
            ],
        )
    return frozen_id


def load(store: Store, frozen_id: str) -> FrozenRequests:
    """The frozen requests of this id. Raises InputError if there are none."""
    requests = ("frozen_request", FrozenRequest)
    frozen = kept(store, "frozen", frozen_id, FrozenRequests, requests=requests)
    if frozen is None:
        raise InputError(f"Nothing frozen has the id {frozen_id!r}.")
    return frozen


def design_of(store: Store, frozen_id: str) -> dict[str, Any]:
    """The design of the requests that were frozen under an id; empty if there are none."""
    with store.read() as db:
        row = db.execute("SELECT design FROM frozen WHERE id = ?", [frozen_id]).fetchone()
    design: dict[str, Any] = json.loads(row[0]) if row else {}
    return design


def sample_of(store: Store, frozen_id: str) -> str | None:
    """The sample that the requests frozen under an id are about; None if there are none."""
    with store.read() as db:
        row = db.execute("SELECT sample_id FROM frozen WHERE id = ?", [frozen_id]).fetchone()
    return row[0] if row else None


def instances_of(store: Store, frozen_id: str) -> list[str]:
    """The instance of each request that was frozen under an id, by position."""
    with store.read() as db:
        rows = db.execute(
            "SELECT instance_id FROM frozen_request WHERE frozen_id = ? ORDER BY position",
            [frozen_id],
        )
        return first_column(rows)


def position_of(store: Store, frozen_id: str, instance_id: str) -> int | None:
    """The position of the request about an instance; None if there is none."""
    with store.read() as db:
        row = db.execute(
            "SELECT position FROM frozen_request WHERE frozen_id = ? AND instance_id = ?",
            [frozen_id, instance_id],
        ).fetchone()
    return row[0] if row else None


def request_at(store: Store, frozen_id: str, position: int) -> FrozenRequest:
    """One request, read without the others. Raises InputError if there is none."""
    with store.read() as db:
        request = record(
            db.execute(
                "SELECT * FROM frozen_request WHERE frozen_id = ? AND position = ?",
                [frozen_id, position],
            ),
            FrozenRequest,
        )
    if request is None:
        raise InputError(f"{frozen_id} has no request {position + 1}.")
    return request


def sizes(store: Store, frozen_ids: Sequence[str]) -> dict[str, int]:
    """How many requests were frozen, by id; ids without requests are left out."""
    with store.read() as db:
        rows = db.execute(
            "SELECT frozen_id, count(*) FROM frozen_request "
            "WHERE frozen_id IN (SELECT unnest(?::VARCHAR[])) GROUP BY frozen_id",
            [list(frozen_ids)],
        ).fetchall()
    return dict(rows)


def add_to_list(store: Store, table: str, run_id: str, column: str, new: Sequence[object]) -> None:
    """Add what a run brought to the list that other runs are asked about, a ``table`` with the runs
    and their lists in a ``column``; what is on the list keeps its position."""
    with store.write() as db:
        there = _listed(db, table, run_id, column)
        later = [[run_id, one] for one in dict.fromkeys(new) if one not in set(there)]
        insert_rows(
            db,
            table,
            ("run_id", column, "position"),
            [[*row, position] for position, row in enumerate(later, len(there))],
        )


def listed(store: Store, table: str, run_id: str, column: str) -> list[Any]:
    """The list of a run, by position."""
    with store.read() as db:
        return _listed(db, table, run_id, column)


def _listed(db: duckdb.DuckDBPyConnection, table: str, run_id: str, column: str) -> list[Any]:
    query = f"SELECT {column} FROM {table} WHERE run_id = ? ORDER BY position"  # noqa: S608  (our own names)
    return first_column(db.execute(query, [run_id]))


def keep_values(store: Store, run_id: str, values: Mapping[int, Mapping[str, float]]) -> None:
    """Store numbers derived from replies of a run, by position and name; stored ones stay as they
    are."""
    with store.write() as db:
        stored_keys = set(
            db.execute("SELECT position, name FROM run_value WHERE run_id = ?", [run_id]).fetchall()
        )
        insert_rows(
            db,
            "run_value",
            ("run_id", "position", "name", "value"),
            [
                [run_id, position, name, value]
                for position, named in values.items()
                for name, value in named.items()
                if (position, name) not in stored_keys
            ],
        )


def values_of(store: Store, run_id: str) -> dict[str, dict[int, float]]:
    """The numbers of a run: name → position → value."""
    with store.read() as db:
        rows = db.execute(
            "SELECT name, position, value FROM run_value WHERE run_id = ? ORDER BY name, position",
            [run_id],
        )
        return {name: dict(values) for name, values in grouped(rows).items()}


def values_at(store: Store, run_id: str, position: int) -> dict[str, float]:
    """The numbers of one reply, by name."""
    with store.read() as db:
        return dict(
            db.execute(
                "SELECT name, value FROM run_value WHERE run_id = ? AND position = ?",
                [run_id, position],
            ).fetchall()
        )


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, sort_keys=True, allow_nan=False)
