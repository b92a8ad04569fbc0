"""Choices of variants among candidates: the variants chosen for each slot, and the ones that they
replaced."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dcq.store.connect import Store, utc_now
from dcq.store.variants import (
    NewVariant,
    StoredVariant,
    current_of,
    insert,
    read_findings,
    state_of,
)


@dataclass(frozen=True)
class Balancing:
    """A choice of variants for a sample by ``author``: ``replaced`` are the variants that it
    replaced, in instances whose slots nobody has changed or decided about since."""

    author: str
    at: datetime
    replaced: tuple[NewVariant, ...]


def save(
    store: Store,
    sample_id: str,
    pairs: Sequence[tuple[NewVariant, StoredVariant | None]],
    author: str,
) -> tuple[StoredVariant, ...]:
    """Store each new variant in place of the one that was seen in its slot, as one choice by
    ``author``. Where slots are no longer as they were seen, nothing is stored; returns what is
    there now."""
    if not pairs:
        return ()
    with store.write() as db:
        current_variants = current_of(
            db, sample_id, {new.instance_id for new, _ in pairs}, candidates=True
        )
        slots = [
            (current_variants.get(new.instance_id, {}).get(new.slot), seen_variant)
            for new, seen_variant in pairs
        ]
        changed = [now for now, seen in slots if now and state_of(now) != state_of(seen)]
        if not changed:
            moment = utc_now()
            balancing_id = f"b{moment:%y%m%d}-{secrets.token_hex(4)}"
            db.execute(
                "INSERT INTO balancing VALUES (?, ?, ?, ?)",
                [balancing_id, sample_id, author, moment],
            )
            [(last,)] = db.execute("SELECT coalesce(max(seq), 0) FROM variant").fetchall()
            insert(db, sample_id, [new for new, _ in pairs])
            db.execute(
                "INSERT INTO balancing_move SELECT ?, seq FROM variant WHERE seq > ?",
                [balancing_id, last],
            )
    return tuple(changed)


def newest(store: Store, sample_id: str) -> Balancing | None:
    """The newest choice of which something can be undone; None if there is none."""
    with store.read() as db:
        rows = db.execute(
            "WITH slots AS (SELECT *, lag(seq) OVER slot AS before, lead(seq) OVER slot AS after "
            "  FROM variant WHERE sample_id = $1 "
            "  WINDOW slot AS (PARTITION BY instance_id, slot ORDER BY seq)), "
            "moved AS (SELECT m.balancing_id, s.*, "
            "  bool_and(s.after IS NULL AND r.variant_seq IS NULL) "
            "    OVER (PARTITION BY m.balancing_id, s.instance_id) AS untouched "
            "  FROM slots s JOIN balancing_move m ON m.variant_seq = s.seq "
            "  LEFT JOIN (SELECT DISTINCT variant_seq FROM review WHERE sample_id = $1) r "
            "    ON r.variant_seq = s.seq) "
            "SELECT b.id, b.author, b.made_at, v.instance_id, v.slot, v.text, v.origin, v.author, "
            "  v.findings, v.prompt "
            "FROM moved o JOIN balancing b ON b.id = o.balancing_id "
            "JOIN variant v ON v.seq = o.before WHERE o.untouched "
            "ORDER BY b.made_at DESC, b.id, v.seq",
            [sample_id],
        ).fetchall()
    if not rows:
        return None
    balancing_id, author, at, *_ = rows[0]
    return Balancing(
        author,
        at,
        tuple(
            NewVariant(instance_id, slot, text, origin, by, read_findings(findings), prompt)
            for this, _, _, instance_id, slot, text, origin, by, findings, prompt in rows
            if this == balancing_id
        ),
    )
