"""What people decide about variants. Rows are only added.

Whoever decides says what they saw: a variant that has changed since then is left as it is, and
handed back to be shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from dcq.store.bulk import insert_rows
from dcq.store.connect import Store, utc_now
from dcq.store.variants import Decision, StoredVariant, current_of, state_of


@dataclass(frozen=True)
class Decided:
    """What became of a decision: the variants, as they are now, that others changed before it,
    which were left alone; and those ``refused`` because others are to decide about them."""

    changed: tuple[StoredVariant, ...]
    refused: tuple[StoredVariant, ...] = ()


def decide(
    store: Store,
    sample_id: str,
    seen: Sequence[StoredVariant],
    decision: Decision,
    author: str,
) -> Decided:
    """Note a person's decision about the variants that they saw, but for those that are no longer
    as they were seen. Where they have said the same already, nothing is added."""
    if not seen:
        return Decided(())
    with store.write() as db:
        return note(db, sample_id, seen, decision, author)


_COLUMNS = ("variant_seq", "sample_id", "decision", "author", "undone_by", "made_at")


def note(
    db: duckdb.DuckDBPyConnection,
    sample_id: str,
    wanted: Sequence[StoredVariant],
    decision: Decision,
    author: str,
) -> Decided:
    """Add a review for each variant that is still as seen, within a transaction that is already
    open."""
    if not wanted:
        return Decided(())
    there = current_of(db, sample_id, {seen.instance_id for seen in wanted})
    rows, changed = [], []
    moment = utc_now()
    for seen in wanted:
        now = there.get(seen.instance_id, {}).get(seen.slot)
        if state_of(now) == state_of(seen):
            rows.append([seen.seq, sample_id, decision, author, "", moment])
        elif now is not None and (now.seq, now.decision, now.reviewer) != (
            seen.seq,
            decision,
            author,
        ):  # the same word by the same person is a second click, not a change
            changed.append(now)
    insert_rows(db, "review", _COLUMNS, rows)
    return Decided(tuple(changed))
