"""What each of two assigned people says of a variant, before either sees what the other says.

Rows are only added. Of a slot the first text counts that both have decided about: until then an
opinion is its annotator's alone, and may be taken back; then it stands. Where the two agree it is
the decision, where they differ a third person decides. An opinion about a text that has been
replaced before both had decided counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import duckdb

from dcq.store import pairs, reviews
from dcq.store.blind import Opinion, Said, Stage, first_both, gather, stage
from dcq.store.bulk import insert_rows
from dcq.store.connect import Store, utc_now
from dcq.store.pairs import Pair, person
from dcq.store.reviews import Decided
from dcq.store.variants import Decision, StoredVariant, current_of, state_of

_COLUMNS = ("instance_id", "slot", "variant_seq", "annotator", "person", "decision", "reason")


def since(store: Store, sample_id: str, seq: int = 0) -> tuple[Pair | None, list[Opinion]]:
    """The newest assignment of a sample, ended or not, and all opinions after one, oldest first.

    They are blind: show one to others than its annotator only as ``first_both`` gives it.
    """
    with store.read() as db:
        pair = pairs.newest(db, sample_id)
        return pair, _read(db, sample_id, seq) if pair else []


def decide(
    store: Store,
    sample_id: str,
    seen: Sequence[StoredVariant],
    decision: Decision,
    author: str,
) -> Decided:
    """As ``reviews.decide``; but of what two people are assigned to, each only gives an opinion,
    and no one else decides until both have. Where they differ, neither decides. What was not
    for ``author`` to decide is ``refused``."""
    if not seen:
        return Decided(())
    with store.write() as db:
        pair = pairs.newest(db, sample_id)
        if pair is None or not pair.instances:
            return reviews.note(db, sample_id, seen, decision, author)
        own = pair.member(author)
        said = gather(_read(db, sample_id, instances={one.instance_id for one in seen}))
        free, blind, refused = [], [], []
        for one in seen:
            at = stage(_both(said, pair, one))
            if one.instance_id not in pair.instances or at is Stage.AGREED:
                free.append(one)
            elif at is Stage.BLIND and own is not None:
                blind.append(one)
            elif at is Stage.DIFFER and own is None:
                free.append(one)
            else:
                refused.append(one)
        noted = reviews.note(db, sample_id, free, decision, author)
        changed: tuple[StoredVariant, ...] = ()
        if own is not None and blind:
            changed = _say(db, sample_id, pair, own, blind, said, decision)
        return Decided((*noted.changed, *changed), tuple(refused))


def explain(store: Store, sample_id: str, variant: int, author: str, reason: str) -> None:
    """Keep why ``author`` has the opinion that they have about a variant, if they have one."""
    with store.write() as db:
        own = [
            one
            for one in _read(db, sample_id)
            if one.variant == variant and one.person == person(author)
        ]
        if own and own[-1].decision is not Decision.OPEN and own[-1].reason != reason.strip():
            _insert(db, sample_id, [replace(own[-1], reason=reason.strip())])


def take_newest_back(
    store: Store, sample_id: str, author: str, after: datetime | None
) -> str | None:
    """Take back what ``author`` said last, ``after`` a moment and while it is blind; the instance
    that it is about, or None."""
    with store.write() as db:
        found = _newest_blind(db, sample_id, author, after)
        _insert(db, sample_id, [replace(one, decision=Decision.OPEN, reason="") for one in found])
    return found[0].instance_id if found else None


def can_take_back(store: Store, sample_id: str, author: str) -> bool:
    """Whether ``take_newest_back`` has something to take back."""
    with store.read() as db:
        return bool(_newest_blind(db, sample_id, author, None))


def texts(store: Store, sample_id: str) -> dict[int, str]:
    """The texts that there are opinions about, replaced ones too: seq of the variant → text."""
    with store.read() as db:
        rows = db.execute(
            "SELECT seq, text FROM variant WHERE seq IN "
            "(SELECT variant_seq FROM opinion WHERE sample_id = ?)",
            [sample_id],
        ).fetchall()
    return dict(rows)


def _say(
    db: duckdb.DuckDBPyConnection,
    sample_id: str,
    pair: Pair,
    annotator: str,
    seen: Sequence[StoredVariant],
    said: Said,
    decision: Decision,
) -> tuple[StoredVariant, ...]:
    """Add the opinions about what is still as seen, and the decisions that they complete; returns
    what is not."""
    there = current_of(db, sample_id, {one.instance_id for one in seen})
    same, changed, new = [], [], []
    for one in seen:
        now = there.get(one.instance_id, {}).get(one.slot)
        if state_of(now) != state_of(one):
            changed += [now] if now is not None else []
            continue
        same.append(one)
        who = person(annotator)
        unsaid = Opinion(one.instance_id, one.slot, one.seq, annotator, who, Decision.OPEN, "")
        before = said.get(unsaid.place, {}).get((one.seq, who), unsaid)
        if before.decision is not decision:  # otherwise it is a second click
            new.append(replace(before, decision=decision))
    _insert(db, sample_id, new)
    after = gather(_read(db, sample_id, instances={one.instance_id for one in same}))
    for decided in (Decision.ACCEPTED, Decision.REJECTED):
        agreed = [one for one in same if _agreed(_both(after, pair, one)) is decided]
        reviews.note(db, sample_id, agreed, decided, " and ".join(pair.names))
    return tuple(changed)


def _both(said: Said, pair: Pair, variant: StoredVariant) -> tuple[Opinion, Opinion] | None:
    of_slot = said.get((variant.instance_id, variant.slot), {})
    return first_both(of_slot.values(), pair.people)


def _agreed(both: tuple[Opinion, Opinion] | None) -> Decision | None:
    """What the two say, if they say the same."""
    return both[0].decision if both and stage(both) is Stage.AGREED else None


def _newest_blind(
    db: duckdb.DuckDBPyConnection, sample_id: str, author: str, after: datetime | None
) -> list[Opinion]:
    """Said at once by ``author``, last of all that is still blind."""
    pair = pairs.newest(db, sample_id)
    if pair is None or not pair.instances or pair.member(author) is None:
        return []
    who = person(author)
    rows = db.execute(
        _BLIND,
        {
            "sample": sample_id,
            "own": who,
            "other": next((one for one in pair.people if one != who), who),
            "instances": list(pair.instances),
        },
    ).fetchall()
    found = [_opinion(row) for row in rows]
    if after is not None:
        found = [one for one in found if one.at is not None and one.at >= after]
    return found


_BLIND = """
    WITH newest AS (
        SELECT * FROM opinion WHERE sample_id = $sample
            AND instance_id IN (SELECT unnest($instances::VARCHAR[]))
        QUALIFY row_number() OVER (PARTITION BY variant_seq, person ORDER BY seq DESC) = 1),
    said AS (SELECT * FROM newest WHERE decision <> 'open'),
    present AS (
        SELECT max(seq) AS seq FROM variant WHERE sample_id = $sample
            AND instance_id IN (SELECT instance_id FROM said)
        GROUP BY instance_id, slot)
    SELECT instance_id, slot, variant_seq, annotator, person, decision, reason, seq, made_at
    FROM said WHERE person = $own
        AND variant_seq IN (SELECT seq FROM present)
        AND variant_seq NOT IN (SELECT variant_seq FROM said WHERE person = $other)
    QUALIFY made_at = max(made_at) OVER ()"""


def _read(
    db: duckdb.DuckDBPyConnection,
    sample_id: str,
    seq: int = 0,
    instances: Iterable[str] | None = None,
) -> list[Opinion]:
    rows = db.execute(
        "SELECT instance_id, slot, variant_seq, annotator, person, decision, reason, seq, made_at "
        "FROM opinion WHERE sample_id = $sample AND seq > $seq "
        "AND ($every OR instance_id IN (SELECT unnest($instances::VARCHAR[]))) ORDER BY seq",
        {
            "sample": sample_id,
            "seq": seq,
            "every": instances is None,
            "instances": list(instances or ()),
        },
    ).fetchall()
    return [_opinion(row) for row in rows]


def _opinion(row: Sequence[Any]) -> Opinion:
    instance, slot, variant, annotator, who, decision, *rest = row
    return Opinion(instance, slot, variant, annotator, who, Decision(decision), *rest)


def _insert(db: duckdb.DuckDBPyConnection, sample_id: str, new: Sequence[Opinion]) -> None:
    moment = utc_now()
    insert_rows(
        db,
        "opinion",
        ("sample_id", *_COLUMNS, "made_at"),
        [
            [
                sample_id,
                *(one.instance_id, one.slot, one.variant, one.annotator, one.person),
                *(one.decision, one.reason, moment),
            ]
            for one in new
        ],
    )
