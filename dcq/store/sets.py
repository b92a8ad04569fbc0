"""Sets of variants: further samples over the instances of a first one, each reworded
independently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from dcq.errors import InputError
from dcq.naming import check_name
from dcq.records import fingerprint
from dcq.store.connect import Store, utc_now
from dcq.store.rows import newest_rows, records
from dcq.store.variants import OF_QUIZ

FIRST = "first"  # what the set of the first sample is called
LONGEST_NAME = 60


@dataclass(frozen=True)
class SetMember:
    """A sample among those over the same instances: ``first`` is the sample that they were made
    from, ``name`` its own name among them, ``made_at`` UTC. ``named`` is the time at which a person
    chose it to count in the study, None for all others."""

    sample: str
    first: str
    name: str
    made_at: datetime
    named: datetime | None = None


@dataclass(frozen=True)
class WrittenBy:
    """The writer of ``variants`` of a set: ``origin`` and ``prompt`` as ``dcq.records.Writer`` has
    them, ``temperature`` that of the run, None where no run wrote them."""

    origin: str
    prompt: str | None
    temperature: float | None
    variants: int


def set_id(first_id: str, name: str) -> str:
    """The id of the sample that is the set of this name."""
    return fingerprint("set of variants", first_id, name)


def add(store: Store, sample_id: str, name: str) -> str:
    """Keep a new, empty set over the instances of a sample (its whole id); returns its id.

    Raises InputError for a name that is empty, too long, or taken among the sets of the instances.
    """
    name = " ".join(name.split())
    check_name(name, "set of variants", LONGEST_NAME)
    with store.write() as db:
        rows = db.execute("SELECT coalesce(set_of, id) FROM sample WHERE id = ?", [sample_id])
        row = rows.fetchone()
        if row is None:
            raise InputError(f"No sample has the id {sample_id!r}.")
        first = str(row[0])
        set_names = db.execute(
            "SELECT lower(coalesce(set_name, ?)) FROM sample WHERE coalesce(set_of, id) = ?",
            [FIRST, first],
        ).fetchall()
        if (name.lower(),) in [*set_names, (FIRST,)]:
            raise InputError(f"There is a set named {name!r} already; choose another name.")
        new = set_id(first, name)
        db.execute(
            "INSERT INTO sample SELECT * REPLACE (? AS id, ? AS made_at, ? AS set_of, "
            "? AS set_name) FROM sample WHERE id = ?",
            [new, utc_now(), first, name, sample_id],
        )
        db.execute(
            "INSERT INTO instance SELECT * REPLACE (? AS sample_id) FROM instance "
            "WHERE sample_id = ?",
            [new, sample_id],
        )
    return new


def members(store: Store) -> dict[str, SetMember]:
    """Every sample that is one of several sets, by its id, in the order in which they were made;
    samples with a single set are left out."""
    with store.read() as db:
        rows = db.execute(
            "WITH sets AS (SELECT id AS sample, coalesce(set_of, id) AS first, "  # noqa: S608  (our own words)
            "  coalesce(set_name, ?) AS name, made_at FROM sample) "
            "SELECT s.*, n.made_at AS named FROM sets s "
            f"LEFT JOIN {newest_rows('standing_set', 'first_id')} n "
            "  ON n.first_id = s.first AND n.sample_id = s.sample "
            "QUALIFY count(*) OVER (PARTITION BY s.first) > 1 "
            "ORDER BY s.made_at, s.sample",
            [FIRST],
        )
        return {member.sample: member for member in records(rows, SetMember)}


def siblings(members: Mapping[str, SetMember], sample_id: str) -> list[SetMember]:
    """The sets over the instances of a sample, the first one first; none if it has one set."""
    own_member = members.get(sample_id)
    if own_member is None:
        return []
    family = [member for member in members.values() if member.first == own_member.first]
    return sorted(family, key=lambda member: member.sample != member.first)


def choose_counting_set(store: Store, sample_id: str, *, author: str = "") -> None:
    """Choose this set to count for its instances in the study from now on. Raises InputError where
    a sample (its whole id) has one set only."""
    own_member = members(store).get(sample_id)
    if own_member is None:
        raise InputError(f"Sample {sample_id} has one set of variants, which stands anyway.")
    with store.write() as db:
        db.execute(
            "INSERT INTO standing_set (first_id, sample_id, author, made_at) VALUES (?,?,?,?)",
            [own_member.first, sample_id, author, utc_now()],
        )


def written_by(store: Store, sample_id: str, quiz_id: str | None = None) -> list[WrittenBy]:
    """The writers of the present variants of a sample, or of those that a quiz of it asks about,
    those of most variants first."""
    chosen = newest_rows("variant", "instance_id", "slot", where="sample_id = ?")
    with store.read() as db:
        rows = db.execute(
            "SELECT n.origin, n.prompt, r.temperature, count(*) AS variants FROM "  # noqa: S608  (our own words)
            f"{chosen if quiz_id is None else OF_QUIZ} n "
            "LEFT JOIN run r ON r.subject = n.rewording_id AND r.method = 'rewording' "
            "GROUP BY ALL ORDER BY variants DESC, n.origin, n.prompt, r.temperature",
            [sample_id if quiz_id is None else [quiz_id]],
        )
        return records(rows, WrittenBy)
