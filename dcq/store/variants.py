"""Variants and what people decided about them. Rows are only added: the latest of a slot counts,
the older ones are its history and the way back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import duckdb
import pandas as pd

from dcq.records import Finding, Severity
from dcq.store.bulk import insert_rows
from dcq.store.connect import Store, utc_now


class Decision(StrEnum):
    """What a person said of a variant; ``open`` takes an earlier word back."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    OPEN = "open"


@dataclass(frozen=True)
class NewVariant:
    """A variant to keep. ``origin`` is ``model:<name>``, ``offline``, ``bundled`` or ``person``."""

    instance_id: str
    slot: int
    text: str
    origin: str
    author: str = ""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class StoredVariant:
    """The newest variant of a slot, with the newest decision about it."""

    seq: int
    instance_id: str
    slot: int
    text: str
    origin: str
    author: str
    findings: tuple[Finding, ...]
    at: datetime
    decision: Decision
    reviewer: str

    @property
    def usable(self) -> bool:
        """May it stand in a quiz? Accepted ones may, rejected ones may not, others if no check
        found an error."""
        if self.decision is Decision.OPEN:
            return not any(f.severity is Severity.ERROR for f in self.findings)
        return self.decision is Decision.ACCEPTED


_CURRENT = """
    WITH newest AS (
        SELECT * FROM variant WHERE sample_id = ?
        QUALIFY row_number() OVER (PARTITION BY instance_id, slot ORDER BY seq DESC) = 1),
    said AS (
        SELECT variant_seq, decision, author FROM review WHERE sample_id = ?
        QUALIFY row_number() OVER (PARTITION BY variant_seq ORDER BY seq DESC) = 1)
    SELECT n.seq, n.instance_id, n.slot, n.text, n.origin, n.author, n.findings, n.made_at,
           coalesce(s.decision, 'open'), coalesce(s.author, '')
    FROM newest n LEFT JOIN said s ON s.variant_seq = n.seq
    ORDER BY n.instance_id, n.slot"""


def add(store: Store, sample_id: str, new: Sequence[NewVariant]) -> None:
    """Keep variants; each becomes the newest of its slot."""
    with store.write() as db:
        insert(db, sample_id, new)


def insert(db: duckdb.DuckDBPyConnection, sample_id: str, new: Sequence[NewVariant]) -> None:
    """As ``add``, within a transaction that is already open."""
    now = utc_now()
    insert_rows(
        db,
        "variant",
        ("sample_id", "instance_id", "slot", "text", "origin", "author", "findings", "made_at"),
        [
            [
                sample_id,
                v.instance_id,
                v.slot,
                v.text,
                v.origin,
                v.author,
                json.dumps([[f.check, f.severity, f.sentence] for f in v.findings]),
                now,
            ]
            for v in new
        ],
    )


def state(store: Store) -> tuple[int, int]:
    """Changes whenever any variant is written or decided about."""
    with store.read() as db:
        row = db.execute(
            "SELECT coalesce((SELECT max(seq) FROM variant), 0), "
            "coalesce((SELECT max(seq) FROM review), 0)"
        ).fetchone()
    return row or (0, 0)


def current(store: Store, sample_id: str) -> dict[str, dict[int, StoredVariant]]:
    """The newest variant of every slot: instance id → slot → variant."""
    with store.read() as db:
        rows = db.execute(_CURRENT, [sample_id, sample_id]).fetchall()
    found: dict[str, dict[int, StoredVariant]] = {}
    for seq, instance_id, slot, text, origin, author, findings, at, decision, reviewer in rows:
        found.setdefault(instance_id, {})[slot] = StoredVariant(
            seq,
            instance_id,
            slot,
            text,
            origin,
            author,
            _findings(findings),
            at,
            Decision(decision),
            reviewer,
        )
    return found


def usable_texts(store: Store, sample_id: str) -> dict[str, dict[int, str]]:
    """What a quiz may be built from: instance id → slot → text."""
    return {
        instance_id: {slot: v.text for slot, v in slots.items() if v.usable}
        for instance_id, slots in current(store, sample_id).items()
    }


def writers(store: Store, sample_ids: Sequence[str]) -> dict[str, str]:
    """Who wrote most of each sample's present variants: sample → origin."""
    with store.read() as db:
        rows = db.execute(
            "WITH newest AS (SELECT * FROM variant WHERE sample_id IN (SELECT unnest(?)) "
            "  QUALIFY row_number() OVER (PARTITION BY sample_id, instance_id, slot "
            "  ORDER BY seq DESC) = 1) "
            "SELECT sample_id, mode(origin) FROM newest GROUP BY sample_id",
            [list(sample_ids)],
        ).fetchall()
    return dict(rows)


def decide(
    store: Store, sample_id: str, seqs: Sequence[int], decision: Decision, author: str
) -> None:
    """Note a person's decision about variants (by ``seq``)."""
    if not seqs:
        return
    now = utc_now()
    with store.write() as db:
        insert_rows(
            db,
            "review",
            ("variant_seq", "sample_id", "decision", "author", "made_at"),
            [[seq, sample_id, decision, author, now] for seq in seqs],
        )


def history(store: Store, sample_id: str, instance_id: str) -> pd.DataFrame:
    """All that happened to an instance's variants, newest first: made_at, slot, what (``written``,
    ``accepted``, ``rejected``, ``open``), who, origin, text."""
    with store.read() as db:
        return db.execute(
            "SELECT made_at, slot, 'written' AS what, author AS who, origin, text FROM variant "
            "WHERE sample_id = ? AND instance_id = ? "
            "UNION ALL SELECT r.made_at, v.slot, r.decision, r.author, v.origin, v.text "
            "FROM review r JOIN variant v ON v.seq = r.variant_seq "
            "WHERE v.sample_id = ? AND v.instance_id = ? ORDER BY made_at DESC",
            [sample_id, instance_id, sample_id, instance_id],
        ).df()


def count_since(store: Store, sample_id: str, at: datetime) -> int:
    """How many variants of a sample were written since ``at`` (UTC)."""
    with store.read() as db:
        found = db.execute(
            "SELECT count(*) FROM variant WHERE sample_id = ? AND made_at >= ?", [sample_id, at]
        ).fetchone()
    return int(found[0]) if found else 0


def people(store: Store) -> list[str]:
    """Everyone who has decided or edited under a name, in alphabetical order."""
    with store.read() as db:
        rows = db.execute(
            "SELECT author FROM review UNION SELECT author FROM variant WHERE origin = 'person' "
            "ORDER BY author"
        ).fetchall()
    return [name for (name,) in rows if name]


def _findings(text: str) -> tuple[Finding, ...]:
    return tuple(Finding(check, Severity(sev), said) for check, sev, said in json.loads(text))
