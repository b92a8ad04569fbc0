"""What people decide about variants. Rows are only added.

Whoever decides says what they saw: a variant that has changed since then is left as it is, and
handed back to be shown.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb

from dcq.store.bulk import insert_rows
from dcq.store.connect import Store, utc_now
from dcq.store.variants import Decision, StoredVariant, current_of, state_of


@dataclass(frozen=True)
class Decided:
    """What became of a decision: the seq of the review that each variant (by seq) now has, and, as
    they are now, the variants that others changed before it, which were left alone."""

    reviews: Mapping[int, int]
    changed: tuple[StoredVariant, ...]


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
        return Decided({}, ())
    with store.write() as db:
        return _note(db, sample_id, [(v, decision, author, "") for v in seen])


def undo(
    store: Store,
    sample_id: str,
    before: Sequence[StoredVariant],
    reviews: Mapping[int, int],
    author: str,
) -> Decided:
    """Give variants the decision that they had ``before``, with who made it, unless somebody has
    decided since ``reviews`` (see ``Decided``). The history says that ``author`` did so."""
    after = [(dataclasses.replace(v, review=reviews[v.seq]), v) for v in before if v.seq in reviews]
    if not after:
        return Decided({}, ())
    with store.write() as db:
        return _note(db, sample_id, [(seen, v.decision, v.reviewer, author) for seen, v in after])


def _note(
    db: duckdb.DuckDBPyConnection,
    sample_id: str,
    wanted: Sequence[tuple[StoredVariant, Decision, str, str]],
) -> Decided:
    """Add a review for each variant that is still as seen: ``(seen, decision, author, undone by)``,
    within a transaction that is already open."""
    there = current_of(db, sample_id, {seen.instance_id for seen, *_ in wanted})
    rows, changed = [], []
    moment = utc_now()
    for seen, decision, author, undone_by in wanted:
        now = there.get(seen.instance_id, {}).get(seen.slot)
        if state_of(now) == state_of(seen):
            rows.append([seen.seq, sample_id, decision, author, undone_by, moment])
        elif now is not None and (now.seq, now.decision, now.reviewer) != (
            seen.seq,
            decision,
            author,
        ):  # the same word by the same person is a second click, not a change
            changed.append(now)
    insert_rows(
        db,
        "review",
        ("variant_seq", "sample_id", "decision", "author", "undone_by", "made_at"),
        rows,
    )
    made = db.execute(
        "SELECT variant_seq, max(seq) FROM review WHERE variant_seq IN (SELECT unnest(?::BIGINT[]))"
        " GROUP BY variant_seq",
        [[row[0] for row in rows]],
    ).fetchall()
    return Decided(dict(made), tuple(changed))
