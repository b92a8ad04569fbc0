"""What people decide about variants. Rows are only added.

Whoever decides says what they saw: a variant that has changed since then is left as it is, and
handed back to be shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from dcq.store.bulk import insert_rows
from dcq.store.connect import Store, utc_now
from dcq.store.variants import Decision, StoredVariant, current_of, state_of


@dataclass(frozen=True)
class Decided:
    """What became of a decision: the variants, as they are now, that others changed before it,
    which were left alone."""

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
        return Decided(())
    with store.write() as db:
        return _note(db, sample_id, seen, decision, author)


@dataclass(frozen=True)
class Action:
    """Decisions that a person made at once and that still hold: by the seq of each variant, the
    decision with its author that held before, and the instances they are about, as decided."""

    before: Mapping[int, tuple[Decision, str]]
    instance_ids: tuple[str, ...]


def last_action(store: Store, sample_id: str, author: str, most: int) -> Action | None:
    """The newest of the last ``most`` decisions of a person, undone ones included, of which
    something still holds; None if there is none. What others decided or rewrote since is theirs."""
    with store.read() as db:
        return _last_action(db, sample_id, author, most)


def undo(store: Store, sample_id: str, author: str, most: int) -> Action | None:
    """Take the ``last_action`` of a person back: its variants have the decision that they had
    before, with who made it, and the history says that ``author`` did so. Returns it, or None."""
    with store.write() as db:
        action = _last_action(db, sample_id, author, most)
        if action is not None:
            moment = utc_now()
            rows = [
                [variant, sample_id, decision, by, author, moment]
                for variant, (decision, by) in action.before.items()
            ]
            insert_rows(db, "review", _COLUMNS, rows)
    return action


def _last_action(
    db: duckdb.DuckDBPyConnection, sample_id: str, author: str, most: int
) -> Action | None:
    rows = db.execute(
        _OF_LAST_ACTIONS, {"sample": sample_id, "author": author, "most": most}
    ).fetchall()
    holding = _holding(rows)
    latest = max((moment for moment, *_ in holding), default=None)
    found = [one for one in holding if one[0] == latest]
    if not found:
        return None
    return Action(
        {variant: before for _, variant, before, _ in found},
        tuple(dict.fromkeys(instance for *_, instance in found)),
    )


# Every review of each variant that one of the last actions is about and that its slot still has.
_OF_LAST_ACTIONS = """
    WITH acted AS (
        SELECT seq, variant_seq FROM review
        WHERE sample_id = $sample AND author = $author AND undone_by = ''
        QUALIFY dense_rank() OVER (ORDER BY made_at DESC) <= $most),
    about AS (
        SELECT DISTINCT instance_id FROM variant
        WHERE seq IN (SELECT variant_seq FROM acted)),
    newest AS (
        SELECT max(seq) AS seq, instance_id FROM variant SEMI JOIN about USING (instance_id)
        WHERE sample_id = $sample GROUP BY instance_id, slot)
    SELECT r.variant_seq, r.decision, r.author, r.undone_by, r.made_at, n.instance_id,
           r.seq IN (SELECT seq FROM acted)
    FROM review r JOIN newest n ON n.seq = r.variant_seq
    WHERE r.variant_seq IN (SELECT variant_seq FROM acted) ORDER BY r.seq"""


_COLUMNS = ("variant_seq", "sample_id", "decision", "author", "undone_by", "made_at")


def _holding(
    rows: Sequence[tuple[int, str, str, str, datetime, str, bool]],
) -> list[tuple[datetime, int, tuple[Decision, str], str]]:
    """Of reviews in their order, ``(variant, decision, author, undone by, made at, instance, is of
    the last actions)``: those of the last actions that still hold, as ``(made at, variant, what
    held before, instance)``. An undo takes back the review before it."""
    stacks: dict[int, list[tuple[str, str, datetime, str, bool]]] = {}
    for variant, decision, author, undone_by, at, instance, own in rows:
        stack = stacks.setdefault(variant, [])
        if undone_by and stack:
            stack.pop()
        else:
            stack.append((decision, author, at, instance, own))
    found = []
    for variant, stack in stacks.items():
        if not stack or not stack[-1][-1]:
            continue
        *earlier, (_, _, at, instance, _) = stack
        before = (Decision(earlier[-1][0]), earlier[-1][1]) if earlier else (Decision.OPEN, "")
        found.append((at, variant, before, instance))
    return found


def _note(
    db: duckdb.DuckDBPyConnection,
    sample_id: str,
    wanted: Sequence[StoredVariant],
    decision: Decision,
    author: str,
) -> Decided:
    """Add a review for each variant that is still as seen, within a transaction that is already
    open."""
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
