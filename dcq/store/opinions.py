"""The blind opinions of two people who are assigned to the same variants. Rows are only added.

Of a slot the first text counts that both have decided about: until then an opinion is visible to
its annotator alone, and may be taken back. Where the two agree it becomes the decision, where they
differ a third person decides. An opinion about a text that has been replaced before both had
decided does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

import duckdb

from dcq.store import pairs, reviews
from dcq.store.connect import Store, utc_now
from dcq.store.pairs import AnnotatorPair, person
from dcq.store.reviews import DecisionOutcome
from dcq.store.rows import insert_rows, newest_rows, records
from dcq.store.variants import Decision, StoredVariant, current_of, state_of


def since(store: Store, sample_id: str, seq: int = 0) -> tuple[AnnotatorPair | None, list[Opinion]]:
    """The newest assignment of a sample, ended or not, and all opinions after the number ``seq``,
    oldest first. They are blind: show one to others than its annotator only as ``first_both`` gives
    it."""
    with store.read() as db:
        pair = pairs.newest(db, sample_id)
        return pair, _read(db, sample_id, seq) if pair else []


def decide(
    store: Store,
    sample_id: str,
    seen_variants: Sequence[StoredVariant],
    decision: Decision,
    author: str,
) -> DecisionOutcome:
    """As ``reviews.decide``; but what two people are assigned to, each of them only gives an
    opinion about, and no one else decides until both have. Where they differ, neither decides.
    Variants that are not for ``author`` to decide are ``refused``."""
    if not seen_variants:
        return DecisionOutcome(())
    with store.write() as db:
        pair = pairs.newest(db, sample_id)
        if pair is None or not pair.instances:
            return reviews.note(db, sample_id, seen_variants, decision, author)
        member = pair.member(author)
        opinions = gather(
            _read(db, sample_id, instances={variant.instance_id for variant in seen_variants})
        )
        free, blind, refused = [], [], []
        for seen_variant in seen_variants:
            at = stage(_both(opinions, pair, seen_variant))
            if seen_variant.instance_id not in pair.instances or at is Stage.AGREED:
                free.append(seen_variant)
            elif at is Stage.BLIND and member is not None:
                blind.append(seen_variant)
            elif at is Stage.DIFFER and member is None:
                free.append(seen_variant)
            else:
                refused.append(seen_variant)
        noted = reviews.note(db, sample_id, free, decision, author)
        changed: tuple[StoredVariant, ...] = ()
        if member is not None and blind:
            changed = _add_opinion(db, sample_id, pair, member, blind, opinions, decision)
        return DecisionOutcome((*noted.changed, *changed), tuple(refused))


def explain(store: Store, sample_id: str, variant: int, author: str, reason: str) -> None:
    """Save the reason for the opinion of ``author`` on a variant, if they have one."""
    with store.write() as db:
        own_opinions = [
            opinion
            for opinion in _read(db, sample_id)
            if opinion.variant == variant and opinion.person == person(author)
        ]
        if (
            own_opinions
            and own_opinions[-1].decision is not Decision.OPEN
            and own_opinions[-1].reason != reason.strip()
        ):
            _insert(db, sample_id, [replace(own_opinions[-1], reason=reason.strip())])


def take_newest_back(
    store: Store, sample_id: str, author: str, after: datetime | None
) -> str | None:
    """Take back the newest opinion of ``author`` after a moment, while it is blind; returns its
    instance, or None."""
    with store.write() as db:
        opinions = _newest_blind(db, sample_id, author, after)
        _insert(
            db,
            sample_id,
            [replace(opinion, decision=Decision.OPEN, reason="") for opinion in opinions],
        )
    return opinions[0].instance_id if opinions else None


def can_take_back(store: Store, sample_id: str, author: str) -> bool:
    """Whether ``take_newest_back`` has something to take back."""
    with store.read() as db:
        return bool(_newest_blind(db, sample_id, author, None))


def texts(store: Store, sample_id: str) -> dict[int, str]:
    """The texts with opinions, including replaced ones: seq of the variant -> text."""
    with store.read() as db:
        rows = db.execute(
            "SELECT seq, text FROM variant WHERE seq IN "
            "(SELECT variant_seq FROM opinion WHERE sample_id = ?)",
            [sample_id],
        ).fetchall()
    return dict(rows)


def _add_opinion(
    db: duckdb.DuckDBPyConnection,
    sample_id: str,
    pair: AnnotatorPair,
    annotator: str,
    seen_variants: Sequence[StoredVariant],
    opinions: Said,
    decision: Decision,
) -> tuple[StoredVariant, ...]:
    """Add the opinions about what is still as seen, and the decisions that they complete; returns
    what is not."""
    current_variants = current_of(db, sample_id, {variant.instance_id for variant in seen_variants})
    same, changed, new = [], [], []
    for seen_variant in seen_variants:
        now = current_variants.get(seen_variant.instance_id, {}).get(seen_variant.slot)
        if state_of(now) != state_of(seen_variant):
            changed += [now] if now is not None else []
            continue
        same.append(seen_variant)
        who = person(annotator)
        unsaid = Opinion(
            seen_variant.instance_id,
            seen_variant.slot,
            seen_variant.seq,
            annotator,
            who,
            Decision.OPEN,
            "",
        )
        before = opinions.get(unsaid.place, {}).get((seen_variant.seq, who), unsaid)
        if before.decision is not decision:  # otherwise it is a second click
            new.append(replace(before, decision=decision))
    _insert(db, sample_id, new)
    after = gather(
        _read(db, sample_id, instances={seen_variant.instance_id for seen_variant in same})
    )
    for decided in (Decision.ACCEPTED, Decision.REJECTED):
        agreed = [
            seen_variant
            for seen_variant in same
            if _agreed(_both(after, pair, seen_variant)) is decided
        ]
        reviews.note(db, sample_id, agreed, decided, " and ".join(pair.names))
    return tuple(changed)


def _both(
    opinions: Said, pair: AnnotatorPair, variant: StoredVariant
) -> tuple[Opinion, Opinion] | None:
    of_slot = opinions.get((variant.instance_id, variant.slot), {})
    return first_both(of_slot.values(), pair.people)


def _agreed(opinion_pair: tuple[Opinion, Opinion] | None) -> Decision | None:
    """What the two say, if they say the same."""
    return (
        opinion_pair[0].decision if opinion_pair and stage(opinion_pair) is Stage.AGREED else None
    )


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
            "other": next((annotator for annotator in pair.people if annotator != who), who),
            "instances": list(pair.instances),
        },
    )
    opinions = records(rows, Opinion)
    if after is not None:
        opinions = [
            opinion for opinion in opinions if opinion.at is not None and opinion.at >= after
        ]
    return opinions


_OF_INSTANCES = "sample_id = $sample AND instance_id IN (SELECT unnest($instances::VARCHAR[]))"
_BLIND = f"""
    WITH said AS (
        SELECT *, variant_seq AS variant, made_at AS at
        FROM {newest_rows("opinion", "variant_seq", "person", where=_OF_INSTANCES)}
        WHERE decision <> 'open')
    SELECT * FROM said WHERE person = $own
        AND variant_seq IN (
            SELECT seq FROM {newest_rows("variant", "instance_id", "slot", where=_OF_INSTANCES)})
        AND variant_seq NOT IN (SELECT variant_seq FROM said WHERE person = $other)
    QUALIFY made_at = max(made_at) OVER ()"""  # noqa: S608  (our own words)


def _read(
    db: duckdb.DuckDBPyConnection,
    sample_id: str,
    seq: int = 0,
    instances: Iterable[str] | None = None,
) -> list[Opinion]:
    rows = db.execute(
        "SELECT *, variant_seq AS variant, made_at AS at FROM opinion WHERE sample_id = $sample "
        "AND seq > $seq AND ($every OR instance_id IN (SELECT unnest($instances::VARCHAR[]))) "
        "ORDER BY seq",
        {
            "sample": sample_id,
            "seq": seq,
            "every": instances is None,
            "instances": list(instances or ()),
        },
    )
    return records(rows, Opinion)


def _insert(db: duckdb.DuckDBPyConnection, sample_id: str, new: Sequence[Opinion]) -> None:
    moment = utc_now()
    insert_rows(
        db,
        "opinion",
        (
            *("sample_id", "instance_id", "slot", "variant_seq", "annotator", "person"),
            *("decision", "reason", "made_at"),
        ),
        [
            [
                *(sample_id, one.instance_id, one.slot, one.variant, one.annotator, one.person),
                *(one.decision, one.reason, moment),
            ]
            for one in new
        ],
    )


class Stage(StrEnum):
    """How far the two annotators are with a slot of an instance that is assigned to them."""

    BLIND = "blind"  # not both have decided
    AGREED = "agreed"
    DIFFER = "differ"


@dataclass(frozen=True)
class Opinion:
    """The opinion of ``annotator`` on the ``variant`` (its seq) of a slot, and the reason. ``open``
    takes an earlier opinion back."""

    instance_id: str
    slot: int
    variant: int
    annotator: str
    person: str  # as ``pairs.person`` has the annotator's name
    decision: Decision
    reason: str
    seq: int = 0  # 0 and no time before it is kept
    at: datetime | None = None

    @property
    def place(self) -> Place:
        """The slot that an opinion is about."""
        return self.instance_id, self.slot


Place = tuple[str, int]  # an instance and a slot
Said = Mapping[Place, Mapping[tuple[int, str], Opinion]]  # place → variant and person → the newest


def gather(opinions: Iterable[Opinion], before: Said | None = None) -> Said:
    """The newest opinion of each person about each text, by place, together with those of
    ``before``, which is not changed."""
    opinions_by_place: dict[Place, Mapping[tuple[int, str], Opinion]] = dict(before or {})
    for opinion in opinions:
        opinions_by_place[opinion.place] = {
            **opinions_by_place.get(opinion.place, {}),
            (opinion.variant, opinion.person): opinion,
        }
    return opinions_by_place


def first_both(
    opinions: Iterable[Opinion], people: tuple[str, str]
) -> tuple[Opinion, Opinion] | None:
    """The opinions of two ``people``, in that order, about the first text of a slot that both have
    decided about; None while there is none. ``opinions`` are the newest about the slot."""
    by_text: dict[int, dict[str, Opinion]] = {}
    for opinion in opinions:
        if opinion.decision is not Decision.OPEN:
            by_text.setdefault(opinion.variant, {})[opinion.person] = opinion
    first, second = people
    opinion_pairs = [
        (of[first], of[second]) for of in by_text.values() if first in of and second in of
    ]
    return min(
        opinion_pairs,
        key=lambda opinion_pair: max(persons_opinion.seq for persons_opinion in opinion_pair),
        default=None,
    )


def both_by_place(
    opinions: Said, people: tuple[str, str], places: Iterable[Place] | None = None
) -> dict[Place, tuple[Opinion, Opinion]]:
    """The result of ``first_both`` for each place, or for some; places without one are left out."""
    opinion_pairs = {}
    for place in opinions if places is None else places:
        two = first_both(opinions.get(place, {}).values(), people)
        if two is not None:
            opinion_pairs[place] = two
    return opinion_pairs


def stage(opinion_pair: tuple[Opinion, Opinion] | None) -> Stage:
    """The stage of a slot, from the result of ``first_both``."""
    if opinion_pair is None:
        return Stage.BLIND
    return Stage.AGREED if opinion_pair[0].decision is opinion_pair[1].decision else Stage.DIFFER
