"""Undoes what a person did to variants: decisions and edits, one action after the other.

Nothing is removed. A decision is undone by one more review, an edit by one more variant, which
restore the state before and, in ``undone_by``, say who did so. So the history is also what can be
undone, from any browser, and what others did since is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from dcq.store.connect import Store, utc_now
from dcq.store.rows import insert_rows
from dcq.store.variants import SLOTS, Decision

_Place = tuple[str, int]  # instance and slot
_Word = tuple[Decision, str]  # a decision and who made it
_OPEN: _Word = (Decision.OPEN, "")


@dataclass(frozen=True)
class Before:
    """The state of a slot before an action: the decision, and the seq of the variant if the action
    wrote another text (else None). ``now`` is the seq of the present variant."""

    now: int
    word: _Word
    text: int | None = None


@dataclass(frozen=True)
class Action:
    """What a person did at once and what of it is still in force, the instances that it is about,
    and its time."""

    before: Mapping[_Place, Before]
    instance_ids: tuple[str, ...]
    at: datetime


@dataclass(frozen=True)
class _Event:
    """A text written into a slot (``variant`` is its seq, ``word`` None), or a decision about it.
    ``is_own``: among the last actions of the person who undoes."""

    at: datetime
    is_own: bool
    variant: int
    word: _Word | None = None


def last_action(store: Store, sample_id: str, author: str, most: int) -> Action | None:
    """The newest of the last ``most`` actions of a person, undone ones included, of which something
    is still in force; None if there is none. What others decided or rewrote since is theirs."""
    with store.read() as db:
        return _last_action(db, sample_id, author, most)


def undo(store: Store, sample_id: str, author: str, most: int) -> Action | None:
    """Undo the ``last_action`` of a person: its variants get back the text, the decision and the
    authors that they had before, and the history says that ``author`` did so. Returns the action,
    or None."""
    with store.write() as db:
        action = _last_action(db, sample_id, author, most)
        if action is not None:
            moment = utc_now()
            seq_by_place = {
                place: earlier_state.now for place, earlier_state in action.before.items()
            }
            for place, state in action.before.items():
                if state.text is not None:
                    seq_by_place[place] = _restore(db, state.text, author, moment)
            rows = [
                [seq_by_place[place], sample_id, *state.word, author, moment]
                for place, state in action.before.items()
                if state.text is None or state.word != _OPEN
            ]
            columns = ("variant_seq", "sample_id", "decision", "author", "undone_by", "made_at")
            insert_rows(db, "review", columns, rows)
    return action


def _restore(db: duckdb.DuckDBPyConnection, seq: int, author: str, moment: datetime) -> int:
    """Write an earlier text into its slot again, as by whoever wrote it; returns the new seq."""
    [(new,)] = db.execute(
        "INSERT INTO variant (sample_id, instance_id, slot, text, origin, author, findings, "
        "  prompt, rewording_id, undone_by, made_at) "
        "SELECT sample_id, instance_id, slot, text, origin, author, findings, prompt, "
        "  rewording_id, ?, ? FROM variant WHERE seq = ? RETURNING seq",
        [author, moment, seq],
    ).fetchall()
    return int(new)


def _last_action(
    db: duckdb.DuckDBPyConnection, sample_id: str, author: str, most: int
) -> Action | None:
    asked = {"sample": sample_id, "author": author, "most": most, "slots": SLOTS}
    own_seqs: dict[str, set[int]] = {"variant": set(), "review": set()}
    for table, seq in db.execute(_OWN, asked).fetchall():
        own_seqs[table].add(seq)
    if not any(own_seqs.values()):
        return None
    actions = {"written": sorted(own_seqs["variant"]), "decided": sorted(own_seqs["review"])}
    written = db.execute(_WRITTEN, {"sample": sample_id, **actions}).fetchall()
    decided = db.execute(_DECIDED, [[seq for seq, *_ in written]]).fetchall()
    holding: dict[_Place, tuple[datetime, Before]] = {}
    for place, (now, stack) in _replay(written, decided, own_seqs).items():
        if stack and stack[-1].is_own and (before := _before(stack, now)):
            holding[place] = stack[-1].at, before
    latest = max((at for at, _ in holding.values()), default=None)
    earlier_states = {place: before for place, (at, before) in holding.items() if at == latest}
    if latest is None:
        return None
    return Action(earlier_states, tuple(dict.fromkeys(i for i, _ in earlier_states)), latest)


# The writings and decisions that are a person's last actions: what was done in one moment is one.
_OWN = """
    WITH own AS (
        SELECT 'variant' AS kind, seq, made_at FROM variant
        WHERE sample_id = $sample AND author = $author AND origin = 'person' AND undone_by = ''
            AND slot < $slots AND seq NOT IN (SELECT variant_seq FROM balancing_move)
        UNION ALL SELECT 'review', seq, made_at FROM review
        WHERE sample_id = $sample AND author = $author AND undone_by = '')
    SELECT kind, seq FROM own QUALIFY dense_rank() OVER (ORDER BY made_at DESC) <= $most"""

# All that was written into the slots that they are about.
_WRITTEN = """
    WITH places AS (
        SELECT DISTINCT instance_id, slot FROM variant WHERE seq IN (SELECT unnest($written))
            OR seq IN (SELECT variant_seq FROM review WHERE seq IN (SELECT unnest($decided))))
    SELECT v.seq, v.instance_id, v.slot, v.undone_by <> '', v.made_at
    FROM variant v SEMI JOIN places p ON p.instance_id = v.instance_id AND p.slot = v.slot
    WHERE v.sample_id = $sample ORDER BY v.seq"""

_DECIDED = """
    SELECT seq, variant_seq, decision, author, undone_by <> '', made_at
    FROM review WHERE variant_seq IN (SELECT unnest(?)) ORDER BY seq"""

_Written = tuple[int, str, int, bool, datetime]
_Decided = tuple[int, int, str, str, bool, datetime]


def _replay(
    written: Sequence[_Written], decided: Sequence[_Decided], own_seqs: Mapping[str, set[int]]
) -> dict[_Place, tuple[int, list[_Event]]]:
    """By slot: the seq of its variant, and what happened in it and still holds, in order. What was
    brought back takes the newest event away."""
    decisions_by_seq: dict[int, list[_Decided]] = {}
    for row in decided:
        decisions_by_seq.setdefault(row[1], []).append(row)
    events_by_place: dict[_Place, tuple[int, list[_Event]]] = {}
    for seq, instance_id, slot, back, at in written:
        _, stack = events_by_place.get((instance_id, slot), (0, []))
        events_by_place[instance_id, slot] = seq, stack
        reviews = decisions_by_seq.get(seq, [])
        if back:
            if stack:
                stack.pop()
            reviews = [row for row in reviews if not (row[4] and row[5] == at)]  # came with it
        else:
            stack.append(_Event(at, seq in own_seqs["variant"], seq))
        for review, _, decision, author, undone, moment in reviews:
            if undone and stack:
                stack.pop()
            else:
                word = Decision(decision), author
                stack.append(_Event(moment, review in own_seqs["review"], seq, word))
    return events_by_place


def _before(stack: Sequence[_Event], now: int) -> Before | None:
    """What held before the newest event; None for a text before which there was none."""
    *earlier_events, newest = stack
    words = _words(earlier_events)
    word = next(words, _OPEN)
    if newest.word is not None:
        return Before(now, word)
    texts = [event.variant for event in earlier_events if event.word is None]
    return Before(now, word, texts[-1]) if texts else None


def _words(events: Sequence[_Event]) -> Iterator[_Word]:
    """The newest decision about the newest text, if there is one."""
    for event in reversed(events):
        if event.word is None:
            return
        yield event.word
