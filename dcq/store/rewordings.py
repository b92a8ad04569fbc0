"""Rewordings: the slots of a sample that are to be filled, and the requests made for them.

A rewording is asked for by one run. Its slots never change; requests are only added.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from dcq.errors import InputError
from dcq.store.connect import Store, utc_now
from dcq.store.rows import insert_rows
from dcq.store.samples import StoredSample
from dcq.store.samples import load as load_sample


@dataclass(frozen=True)
class OpenSlot:
    """A slot to be filled, and its state (``variants.state_of``) when the rewording was planned,
    None where it was empty."""

    instance_id: str
    slot: int
    state_when_planned: tuple[int, int] | None


@dataclass(frozen=True)
class RewordingRequest:
    """A request for ``count`` rewordings of an instance by the prompt with the id ``prompt``.
    ``source`` is the text to be reworded for candidates; None in requests for variants, which are
    made from the original."""

    instance_id: str
    prompt: str
    count: int
    source: str | None = None


@dataclass(frozen=True)
class RewordingPlan:
    """The slots that are to be filled for a sample, and the requests so far, by position.
    ``protocol`` is that of the prompts (``dcq.variants.prompts.Protocol``), or what an offline
    generator alters (``dcq.variants.perturbations.Perturbation``). ``author`` is the person who
    asked for it, ``seed`` that of the offline generator, ``instruction`` what the person added to
    the prompt."""

    id: str
    sample: StoredSample
    protocol: str
    seed: int
    author: str
    slots: tuple[OpenSlot, ...]
    requests: tuple[RewordingRequest, ...]
    instruction: str = ""


def save(
    store: Store,
    sample_id: str,
    slots: Sequence[OpenSlot],
    requests: Sequence[RewordingRequest],
    *,
    protocol: str,
    seed: int,
    author: str,
    instruction: str = "",
) -> str:
    """Store a new rewording; returns its id."""
    now = utc_now()
    rewording_id = f"w{now:%y%m%d}-{secrets.token_hex(4)}"
    with store.write() as db:
        db.execute(
            "INSERT INTO rewording (id, sample_id, protocol, seed, author, instruction, made_at) "
            "VALUES (?,?,?,?,?,?,?)",
            [rewording_id, sample_id, protocol, seed, author, instruction, now],
        )
        insert_rows(
            db,
            "rewording_slot",
            ("rewording_id", "instance_id", "slot", "seen_variant", "seen_review"),
            [
                [rewording_id, s.instance_id, s.slot, *(s.state_when_planned or (None, None))]
                for s in slots
            ],
        )
        _insert_requests(db, rewording_id, 0, requests)
    return rewording_id


def add_requests(
    store: Store, rewording: RewordingPlan, run_id: str, requests: Sequence[RewordingRequest]
) -> RewordingPlan:
    """Store more requests of a rewording and extend its run to them; returns the plan with them."""
    request_count = len(rewording.requests)
    with store.write() as db:
        _insert_requests(db, rewording.id, request_count, requests)
        db.execute("UPDATE run SET items = ? WHERE id = ?", [request_count + len(requests), run_id])
    return load(store, rewording.id)


def _insert_requests(
    db: duckdb.DuckDBPyConnection,
    rewording_id: str,
    start: int,
    requests: Sequence[RewordingRequest],
) -> None:
    insert_rows(
        db,
        "rewording_request",
        ("rewording_id", "position", "instance_id", "prompt", "count", "source"),
        [
            [
                rewording_id,
                position,
                request.instance_id,
                request.prompt,
                request.count,
                request.source,
            ]
            for position, request in enumerate(requests, start)
        ],
    )


def load(store: Store, rewording_id: str) -> RewordingPlan:
    """A rewording with its sample. Raises InputError if there is none of this id."""
    with store.read() as db:
        row = db.execute(
            "SELECT sample_id, protocol, seed, author, instruction FROM rewording WHERE id = ?",
            [rewording_id],
        ).fetchone()
        slots = db.execute(
            "SELECT instance_id, slot, seen_variant, seen_review FROM rewording_slot "
            "WHERE rewording_id = ?",
            [rewording_id],
        ).fetchall()
        requests = db.execute(
            "SELECT instance_id, prompt, count, source FROM rewording_request "
            "WHERE rewording_id = ? ORDER BY position",
            [rewording_id],
        ).fetchall()
    if row is None:
        raise InputError(f"No rewording has the id {rewording_id!r}.")
    sample_id, protocol, seed, author, instruction = row
    return RewordingPlan(
        rewording_id,
        load_sample(store, sample_id),
        protocol,
        seed,
        author,
        tuple(
            OpenSlot(instance_id, slot, None if variant is None else (variant, review))
            for instance_id, slot, variant, review in slots
        ),
        tuple(RewordingRequest(*values) for values in requests),
        instruction,
    )


def newest_run(store: Store, sample_id: str, model: str | None = None) -> str | None:
    """Id of the newest run that rewords a sample, by any model or by this one."""
    with store.read() as db:
        row = db.execute(
            # By its first event, because a clock may have been set back since.
            "SELECT r.id FROM run r JOIN rewording w ON w.id = r.subject "
            "JOIN run_event e ON e.run_id = r.id "
            "WHERE w.sample_id = ? AND (? IS NULL OR r.model = ?) "
            "GROUP BY r.id ORDER BY min(e.seq) DESC LIMIT 1",
            [sample_id, model, model],
        ).fetchone()
    return row[0] if row else None


def reply_values(
    store: Store, rewording_id: str, instance_ids: Sequence[str] | None = None
) -> dict[int, str]:
    """What was read from the replies to a rewording's requests, a JSON list of texts for each, by
    position: of all instances or of these."""
    all_instances = instance_ids is None
    with store.read() as db:
        rows = db.execute(
            "SELECT a.position, a.value FROM final_answer a JOIN run r ON r.id = a.run_id "
            "JOIN rewording_request q ON q.rewording_id = r.subject AND q.position = a.position "
            "WHERE r.subject = ? AND a.value IS NOT NULL "
            "AND (? OR q.instance_id IN (SELECT unnest(?::VARCHAR[]))) ORDER BY a.position",
            [rewording_id, all_instances, list(instance_ids or ())],
        ).fetchall()
    return dict(rows)


def shortfalls(store: Store, rewording_id: str, instance_ids: Sequence[str]) -> dict[str, set[str]]:
    """Why replies about these instances brought fewer rewordings than were asked for, the newest
    first: reason -> instance ids."""
    with store.read() as db:
        rows = db.execute(
            "SELECT a.reason, q.instance_id FROM final_answer a JOIN run r ON r.id = a.run_id "
            "JOIN rewording_request q ON q.rewording_id = r.subject AND q.position = a.position "
            "WHERE r.subject = ? AND a.reason <> '' "
            "AND q.instance_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY a.position DESC",
            [rewording_id, list(instance_ids)],
        ).fetchall()
    ids_by_reason: dict[str, set[str]] = {}
    for reason, instance_id in rows:
        ids_by_reason.setdefault(reason, set()).add(instance_id)
    return ids_by_reason


# The slots of a rewording, and whether each is still as it was when that was decided.
_SLOTS = """
    WITH slots AS (
        SELECT s.*, w.sample_id FROM rewording_slot s JOIN rewording w ON w.id = s.rewording_id
        WHERE w.id = $rewording),
    newest AS (
        SELECT instance_id, slot, max(seq) AS seq FROM variant
        WHERE sample_id IN (SELECT sample_id FROM slots) GROUP BY ALL),
    newest_review AS (
        SELECT variant_seq, max(seq) AS seq FROM review
        WHERE sample_id IN (SELECT sample_id FROM slots) GROUP BY ALL),
    slot_state AS (
        SELECT s.instance_id, s.slot,
            coalesce(n.seq, 0) = coalesce(s.seen_variant, 0)
                AND coalesce(r.seq, 0) = coalesce(s.seen_review, 0) AS open
        FROM slots s LEFT JOIN newest n USING (instance_id, slot)
        LEFT JOIN newest_review r ON r.variant_seq = n.seq)"""


@dataclass(frozen=True)
class SlotCounts:
    """The slots of a rewording: of ``slots`` in all, ``open`` are as they were when it was planned
    and ``written`` were filled by it; the others were changed otherwise since. It is about
    ``instances``, of which ``open_instances`` have an open slot."""

    slots: int
    open: int
    written: int
    instances: int
    open_instances: int


def slot_counts(store: Store, rewording_id: str) -> SlotCounts:
    """The counts of a rewording's slots, without reading any text."""
    with store.read() as db:
        row = db.execute(
            f"{_SLOTS} FROM slot_state SELECT count(*), count(*) FILTER (open), "
            "(FROM variant SELECT count(DISTINCT (instance_id, slot)) "
            "    WHERE rewording_id = $rewording), "
            "count(DISTINCT instance_id), count(DISTINCT instance_id) FILTER (open)",
            {"rewording": rewording_id},
        ).fetchone()
    return SlotCounts(*(row or (0,) * 5))


def open_instances(store: Store, rewording_id: str) -> list[str]:
    """The ids of the instances that have an open slot."""
    with store.read() as db:
        rows = db.execute(
            f"{_SLOTS} FROM slot_state SELECT DISTINCT instance_id WHERE open",
            {"rewording": rewording_id},
        ).fetchall()
    return [instance_id for (instance_id,) in rows]


def written_texts(
    store: Store, rewording_id: str, instance_ids: Sequence[str]
) -> dict[str, set[str]]:
    """The texts that a rewording has put into slots of these instances so far, even if they were
    replaced later: instance id -> texts."""
    with store.read() as db:
        rows = db.execute(
            "SELECT instance_id, text FROM variant WHERE rewording_id = ? "
            "AND instance_id IN (SELECT unnest(?::VARCHAR[]))",
            [rewording_id, list(instance_ids)],
        ).fetchall()
    texts_by_instance: dict[str, set[str]] = {}
    for instance_id, text in rows:
        texts_by_instance.setdefault(instance_id, set()).add(text)
    return texts_by_instance
