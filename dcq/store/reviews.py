"""The decisions of people about variants, with their flags, guidelines and drafts. Rows are only
added, except drafts.

Whoever decides says what they saw: a variant that has changed since then is left as it is, and
handed back to be shown. A flag is a person's doubt about a variant, raised with a note and lowered
again; the newest of a variant counts, and a new text has none. Of guidelines the newest of a sample
counts. A draft is a text that a person has typed and not yet saved: one for each slot and person,
gone once it is saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from dcq.errors import ChangedError, InputError
from dcq.store.connect import Store, utc_now
from dcq.store.rows import grouped, insert_rows, record
from dcq.store.variants import Decision, StoredVariant, current_of, state_of


@dataclass(frozen=True)
class DecisionOutcome:
    """The outcome of a decision: the variants, as they are now, that others changed before it,
    which were left alone; and the variants that were ``refused`` because others are to decide about
    them."""

    changed: tuple[StoredVariant, ...]
    refused: tuple[StoredVariant, ...] = ()


def decide(
    store: Store,
    sample_id: str,
    seen_variants: Sequence[StoredVariant],
    decision: Decision,
    author: str,
) -> DecisionOutcome:
    """Note a person's decision about the variants that they saw, except those that have changed
    since. A decision that repeats the person's last one adds nothing."""
    if not seen_variants:
        return DecisionOutcome(())
    with store.write() as db:
        return note(db, sample_id, seen_variants, decision, author)


_COLUMNS = ("variant_seq", "sample_id", "decision", "author", "undone_by", "made_at")


def note(
    db: duckdb.DuckDBPyConnection,
    sample_id: str,
    variants: Sequence[StoredVariant],
    decision: Decision,
    author: str,
) -> DecisionOutcome:
    """Add a review for each variant that is still as seen, within a transaction that is already
    open."""
    if not variants:
        return DecisionOutcome(())
    ids = {seen_variant.instance_id for seen_variant in variants}
    current_variants = current_of(db, sample_id, ids, candidates=True)
    rows, changed = [], []
    moment = utc_now()
    for seen in variants:
        now = current_variants.get(seen.instance_id, {}).get(seen.slot)
        if state_of(now) == state_of(seen):
            rows.append([seen.seq, sample_id, decision, author, "", moment])
        elif now is not None and (now.seq, now.decision, now.reviewer) != (
            seen.seq,
            decision,
            author,
        ):  # the same word by the same person is a second click, not a change
            changed.append(now)
    insert_rows(db, "review", _COLUMNS, rows)
    return DecisionOutcome(tuple(changed))


@dataclass(frozen=True)
class DatedDecision:
    """A decision made elsewhere, with its author and time (UTC)."""

    decision: Decision
    author: str
    at: datetime


def take_over(
    store: Store, sample_id: str, decisions: Sequence[tuple[StoredVariant, DatedDecision]]
) -> int:
    """Add decisions that were made elsewhere, in their order, to variants whose texts have not
    changed; returns how many. Decisions that are there already are not added again."""
    with store.write() as db:
        current_variants = current_of(
            db, sample_id, {variant.instance_id for variant, _ in decisions}
        )
        stored_reviews = set(
            db.execute(
                "SELECT variant_seq, decision, author, made_at FROM review WHERE sample_id = ?",
                [sample_id],
            ).fetchall()
        )
        rows = []
        for variant, dated_decision in decisions:
            now = current_variants.get(variant.instance_id, {}).get(variant.slot)
            row = (
                variant.seq,
                dated_decision.decision.value,
                dated_decision.author,
                dated_decision.at,
            )
            if now is not None and now.seq == variant.seq and row not in stored_reviews:
                stored_reviews.add(row)
                rows.append(
                    [
                        variant.seq,
                        sample_id,
                        dated_decision.decision,
                        dated_decision.author,
                        "",
                        dated_decision.at,
                    ]
                )
        insert_rows(db, "review", _COLUMNS, rows)
    return len(rows)


MOST_NOTE = 300  # characters


def raise_flag(
    store: Store, sample_id: str, variant: StoredVariant, note: str, author: str
) -> None:
    """Flag a variant with a note, which may be empty, in place of an earlier flag. Raises
    InputError for a long one."""
    note_text = " ".join(note.split())
    if len(note_text) > MOST_NOTE:
        raise InputError(f"The note of a flag has at most {MOST_NOTE} characters; shorten it.")
    _add(store, sample_id, variant, note_text, author, raised=True)


def lower_flag(store: Store, sample_id: str, variant: StoredVariant, author: str) -> None:
    """Remove the flag of a variant."""
    _add(store, sample_id, variant, "", author, raised=False)


def _add(
    store: Store, sample_id: str, variant: StoredVariant, note: str, author: str, *, raised: bool
) -> None:
    with store.write() as db:
        db.execute(
            "INSERT INTO flag (variant_seq, sample_id, raised, note, author, made_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [variant.seq, sample_id, raised, note, author, utc_now()],
        )


@dataclass(frozen=True)
class Guidelines:
    """What a person wrote for a sample, and when (UTC)."""

    seq: int
    text: str
    author: str
    at: datetime


def newest(store: Store, sample_id: str) -> Guidelines | None:
    """The guidelines of a sample, None while nobody has written any."""
    with store.read() as db:
        return _newest(db, sample_id)


def write(
    store: Store, sample_id: str, text: str, author: str, seen_guidelines: Guidelines | None
) -> None:
    """Replace the guidelines ``seen_guidelines`` by new ones. Raises ChangedError if these are no
    longer the newest."""
    with store.write() as db:
        now = _newest(db, sample_id)
        if now != seen_guidelines:
            by = now.author if now else ""
            raise ChangedError(f"{by} changed the guidelines in the meantime; read theirs first.")
        db.execute(
            "INSERT INTO guideline (sample_id, text, author, made_at) VALUES (?, ?, ?, ?)",
            [sample_id, text, author, utc_now()],
        )


def _newest(db: duckdb.DuckDBPyConnection, sample_id: str) -> Guidelines | None:
    rows = db.execute(
        "SELECT *, made_at AS at FROM guideline WHERE sample_id = ? ORDER BY seq DESC LIMIT 1",
        [sample_id],
    )
    return record(rows, Guidelines)


def keep(
    store: Store, sample_id: str, instance_id: str, slot: int, author: str, text: str
) -> str | None:
    """Save the draft of ``author`` for a slot; returns their earlier draft, which it replaces, None
    where there was none."""
    with store.write() as db:
        earlier = db.execute(
            "SELECT text FROM draft WHERE sample_id = ? AND instance_id = ? AND slot = ? "
            "AND author = ?",
            [sample_id, instance_id, slot, author],
        ).fetchone()
        db.execute(
            "INSERT OR REPLACE INTO draft VALUES (?, ?, ?, ?, ?, ?)",
            [sample_id, instance_id, slot, author, text, utc_now()],
        )
    return str(earlier[0]) if earlier else None


def drop(store: Store, sample_id: str, instance_id: str, slot: int, author: str) -> None:
    """Delete the draft of ``author`` for a slot, if there is one."""
    with store.write() as db:
        db.execute(
            "DELETE FROM draft WHERE sample_id = ? AND instance_id = ? AND slot = ? AND author = ?",
            [sample_id, instance_id, slot, author],
        )


def of(store: Store, sample_id: str, instance_id: str, author: str) -> dict[int, str]:
    """The drafts of ``author`` for an instance: slot -> text."""
    with store.read() as db:
        rows = db.execute(
            "SELECT slot, text FROM draft WHERE sample_id = ? AND instance_id = ? AND author = ?",
            [sample_id, instance_id, author],
        ).fetchall()
    return dict(rows)


def of_sample(store: Store, sample_id: str, author: str) -> dict[str, dict[int, str]]:
    """The drafts of ``author`` for all instances of a sample that have one: instance id -> slot ->
    text."""
    with store.read() as db:
        rows = db.execute(
            "SELECT instance_id, slot, text FROM draft WHERE sample_id = ? AND author = ? "
            "ORDER BY slot",
            [sample_id, author],
        )
        return {instance_id: dict(drafts) for instance_id, drafts in grouped(rows).items()}
