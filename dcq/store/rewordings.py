"""Rewordings: the slots of a sample that are to be filled, and the requests made for them.

A rewording is asked for by one run. Its slots never change; requests are only added.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from dcq.errors import InputError
from dcq.store import runs
from dcq.store.connect import Store, utc_now
from dcq.store.moment import at_one_moment
from dcq.store.rows import (
    column,
    grouped,
    insert_records,
    insert_rows,
    newest_rows,
    records,
)
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
        insert_records(
            db, "rewording_request", requests, first_position=0, rewording_id=rewording_id
        )
    return rewording_id


def add_requests(
    store: Store, rewording: RewordingPlan, run_id: str, requests: Sequence[RewordingRequest]
) -> RewordingPlan:
    """Store more requests of a rewording and extend its run to them; returns the plan with them."""
    request_count = len(rewording.requests)
    with store.write() as db:
        insert_records(
            db,
            "rewording_request",
            requests,
            first_position=request_count,
            rewording_id=rewording.id,
        )
        db.execute("UPDATE run SET items = ? WHERE id = ?", [request_count + len(requests), run_id])
    return load(store, rewording.id)


@at_one_moment
def load(store: Store, rewording_id: str) -> RewordingPlan:
    """A rewording with its sample. Raises InputError if there is none of this id."""
    with store.read() as db:
        slots = records(
            db.execute(
                "SELECT instance_id, slot, CASE WHEN seen_variant IS NOT NULL "
                "THEN [seen_variant, seen_review] END AS state_when_planned "
                "FROM rewording_slot WHERE rewording_id = ?",
                [rewording_id],
            ),
            OpenSlot,
        )
        requests = records(
            db.execute(
                "SELECT * FROM rewording_request WHERE rewording_id = ? ORDER BY position",
                [rewording_id],
            ),
            RewordingRequest,
        )
        row = db.execute("SELECT sample_id FROM rewording WHERE id = ?", [rewording_id]).fetchone()
    if row is None:
        raise InputError(f"No rewording has the id {rewording_id!r}.")
    sample = load_sample(store, row[0])
    with store.read() as db:
        [plan] = records(
            db.execute("SELECT * FROM rewording WHERE id = ?", [rewording_id]),
            RewordingPlan,
            sample=sample,
            slots=tuple(slots),
            requests=tuple(requests),
        )
    return plan


def newest_run(store: Store, sample_id: str, model: str | None = None) -> str | None:
    """Id of the newest run that rewords a sample, by any model or by this one."""
    return runs.newest_run(store, "rewording", model, sample_id=sample_id, own=False)


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
        )
        return {reason: {instance for (instance,) in ids} for reason, ids in grouped(rows).items()}


# The slots of a rewording, and whether each is still as it was when that was decided.
_OF_SAMPLE = "sample_id IN (SELECT sample_id FROM slots)"
_SLOTS = f"""
    WITH slots AS (
        SELECT s.*, w.sample_id FROM rewording_slot s JOIN rewording w ON w.id = s.rewording_id
        WHERE w.id = $rewording),
    slot_state AS (
        SELECT s.instance_id, s.slot,
            coalesce(n.seq, 0) = coalesce(s.seen_variant, 0)
                AND coalesce(r.seq, 0) = coalesce(s.seen_review, 0) AS open
        FROM slots s
        LEFT JOIN {newest_rows("variant", "instance_id", "slot", where=_OF_SAMPLE)} n
            USING (instance_id, slot)
        LEFT JOIN {newest_rows("review", "variant_seq", where=_OF_SAMPLE)} r
            ON r.variant_seq = n.seq)"""  # noqa: S608  (our own words)


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
        )
        return column(rows)


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
        )
        return {instance: {text for (text,) in texts} for instance, texts in grouped(rows).items()}
