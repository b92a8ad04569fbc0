"""Replications: the instances of a sample cut in two, as they are sent to models to be completed.

A replication never changes. The completions that a judge is asked about are added to its run's list
as they come, so that a request keeps its position.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import datetime

from dcq.errors import InputError
from dcq.store.bulk import insert_rows
from dcq.store.connect import Store, utc_now
from dcq.store.rows import fetch


@dataclass(frozen=True)
class StoredPiece:
    """One instance, cut: see ``dcq.replication.pieces.Pieces``. ``wrong_label`` is that of the
    wrong-label control, None where it is not asked. ``cut_by`` is what decided the cut
    (``dcq.replication.pieces.CutBy``), None in what an older release kept."""

    instance_id: str
    form: str
    first: str
    second: str
    label: str | None
    gap: str
    inside_sentence: bool
    wrong_label: str | None = None
    cut_by: str | None = None


_PIECE = tuple(field.name for field in fields(StoredPiece))  # columns of ``piece``


@dataclass(frozen=True)
class Replication:
    """What models are to complete, in which ``version`` of the wordings and with which
    ``instructions``. Cuts were drawn between the shares ``earliest`` and ``latest`` of the text.
    ``judge`` is the model that is to judge, empty for none; ``left_out`` says why
    instances of the sample are not among the ``pieces``: instance id → reason."""

    id: str
    sample_id: str
    version: str
    instructions: tuple[str, ...]
    judge: str
    seed: int
    earliest: float
    latest: float
    author: str
    left_out: Mapping[str, str]
    pieces: tuple[StoredPiece, ...]


def save(
    store: Store,
    sample_id: str,
    pieces: Sequence[StoredPiece],
    *,
    version: str,
    instructions: Sequence[str],
    judge: str,
    seed: int,
    share: tuple[float, float],
    author: str,
    left_out: Mapping[str, str],
) -> str:
    """Keep a new replication; returns its id."""
    now = utc_now()
    replication_id = f"t{now:%y%m%d}-{secrets.token_hex(4)}"
    with store.write() as db:
        db.execute(
            "INSERT INTO replication (id, sample_id, version, instructions, judge, seed, author, "
            "left_out, made_at, earliest, latest) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
            [
                *(replication_id, sample_id, version, list(instructions), judge, seed, author),
                *(json.dumps(dict(left_out)), now, *share),
            ],
        )
        insert_rows(
            db,
            "piece",
            ("replication_id", "position", *_PIECE),
            [[replication_id, place, *astuple(piece)] for place, piece in enumerate(pieces)],
        )
    return replication_id


def load(store: Store, replication_id: str) -> Replication:
    """A replication with its pieces. Raises InputError if there is none of this id."""
    with store.read() as db:
        row = db.execute(
            "SELECT sample_id, version, instructions, judge, seed, earliest, latest, author, "
            "left_out "
            "FROM replication WHERE id = ?",
            [replication_id],
        ).fetchone()
        pieces = db.execute(
            f"SELECT {', '.join(_PIECE)} FROM piece WHERE replication_id = ? ORDER BY position",  # noqa: S608  (our own names)
            [replication_id],
        ).fetchall()
    if row is None:
        raise InputError(f"No replication has the id {replication_id!r}.")
    sample_id, version, instructions, judge, seed, earliest, latest, author, left_out = row
    return Replication(
        replication_id,
        sample_id,
        version,
        tuple(instructions),
        judge,
        seed,
        earliest,
        latest,
        author,
        json.loads(left_out),
        tuple(StoredPiece(*values) for values in pieces),
    )


@dataclass(frozen=True)
class Outline:
    """How many completions a whole replication asks for, and the model that is to judge, empty for
    none."""

    requests: int
    judge: str


def outlines(store: Store, replication_ids: Sequence[str]) -> dict[str, Outline]:
    """The outlines of replications by id, without their texts."""
    with store.read() as db:
        rows = db.execute(
            "SELECT r.id, len(r.instructions) * count(p.position), r.judge FROM replication r "
            "LEFT JOIN piece p ON p.replication_id = r.id WHERE r.id IN (SELECT unnest(?)) "
            "GROUP BY r.id, r.instructions, r.judge",
            [list(replication_ids)],
        ).fetchall()
    return {found: Outline(requests, judge) for found, requests, judge in rows}


def newest_run(store: Store, sample_id: str, model: str) -> str | None:
    """Id of the newest run in which this model completes a sample, finished or not."""
    with store.read() as db:
        row = db.execute(
            # By its first event, because a clock may have been set back since.
            "SELECT r.id FROM run r JOIN run_event e ON e.run_id = r.id "
            "WHERE r.method = 'replication' AND r.sample_id = ? AND r.model = ? "
            "GROUP BY r.id ORDER BY min(e.seq) DESC LIMIT 1",
            [sample_id, model],
        ).fetchone()
    return row[0] if row else None


def add_to_judge(store: Store, run_id: str, pieces: Sequence[int]) -> None:
    """Add completions of a run, by the place of their piece, to those that judges are asked about;
    those that are on the list already keep their position."""
    with store.write() as db:
        known = [
            piece
            for (piece,) in db.execute(
                "SELECT piece FROM judge_request WHERE run_id = ?", [run_id]
            ).fetchall()
        ]
        new = [piece for piece in dict.fromkeys(pieces) if piece not in set(known)]
        insert_rows(
            db,
            "judge_request",
            ("run_id", "position", "piece"),
            [[run_id, position, piece] for position, piece in enumerate(new, len(known))],
        )


def to_judge(store: Store, run_id: str) -> list[int]:
    """The pieces whose completions judges of a run are asked about, by the position of the
    request."""
    with store.read() as db:
        rows = db.execute(
            "SELECT piece FROM judge_request WHERE run_id = ? ORDER BY position", [run_id]
        ).fetchall()
    return [piece for (piece,) in rows]


@dataclass(frozen=True)
class ReadAnswer:
    """What one request came to, as stored; ``value`` is a completion, a judgement or a finding."""

    position: int
    outcome: str
    value: str | None
    reason: str
    reply: str | None


def answers(store: Store, run_id: str) -> dict[int, ReadAnswer]:
    """The answers of a run that count, by position."""
    with store.read() as db:
        rows = db.execute(
            "SELECT position, outcome, value, reason, reply FROM final_answer WHERE run_id = ? "
            "ORDER BY position",
            [run_id],
        ).fetchall()
    return {row[0]: ReadAnswer(*row) for row in rows}


@dataclass(frozen=True)
class RunOfReplication:
    """A run of the methods ``replication``, ``judge`` or ``cheat``. ``subject`` is the id of the
    replication, of the run that is judged, or of the sample. ``asked`` of its ``items`` requests
    have an answer, ``replies`` one that is no error."""

    run: str
    method: str
    subject: str
    sample: str
    model: str
    prompt: str
    items: int
    asked: int
    replies: int
    made_at: datetime


def runs_of(store: Store) -> list[RunOfReplication]:
    """All runs of the three methods, newest first."""
    with store.read() as db:
        rows = fetch(
            db.execute(
                "SELECT r.id AS run, r.method, r.subject, r.sample_id AS sample, r.model, "
                "r.prompt, r.items, count(a.position) AS asked, "
                "count(a.position) FILTER (a.outcome <> 'error') AS replies, r.made_at "
                "FROM run r LEFT JOIN final_answer a ON a.run_id = r.id "
                "WHERE r.method IN ('replication', 'judge', 'cheat') "
                "GROUP BY ALL ORDER BY r.made_at DESC, r.id DESC"
            )
        )
    return [RunOfReplication(**row) for row in rows]
