"""Pairs of people who are assigned to the same instances of a sample, to decide about them blind.

Rows are only added: the newest of a sample counts, and an assignment without instances ends the one
before.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from dcq.errors import InputError
from dcq.records import fingerprint
from dcq.store.connect import Store, utc_now
from dcq.store.rows import column, record

MOST_CHARACTERS = 200  # of a name


@dataclass(frozen=True)
class AnnotatorPair:
    """The two ``names`` as they were assigned, by ``author``, to ``instances``: a ``share`` of the
    sample's, drawn by ``seed``. An assignment that has ended has none."""

    seq: int
    names: tuple[str, str]
    share: float
    seed: int
    instances: frozenset[str]
    author: str
    at: datetime

    @property
    def people(self) -> tuple[str, str]:
        """The two names in the form that ``person`` gives them."""
        first, second = self.names
        return person(first), person(second)

    def member(self, name: str) -> str | None:
        """The assigned name of the person who uses ``name``, None for anyone else."""
        key = person(name)
        return next(
            (assigned_name for assigned_name in self.names if person(assigned_name) == key), None
        )


def person(name: str) -> str:
    """The form of a name that all its spellings share: case and spaces do not matter. A signed-in
    person, ``Name <address>``, has the address, which no one else can have."""
    words = " ".join(unicodedata.normalize("NFKC", name).split()).casefold()
    address = words.rpartition("<")[2] if words.endswith(">") else ""
    return address.removesuffix(">").strip() or words


def assign(
    store: Store,
    sample_id: str,
    names: tuple[str, str],
    share: float,
    *,
    seed: int,
    author: str,
    instance_ids: Sequence[str],
) -> AnnotatorPair:
    """Assign two people to a share of the sample's ``instance_ids``, drawn among those that no one
    has decided about, so that neither has seen a decision. Raises InputError for names that are not
    two people's, an impossible share, while others are assigned, and where nothing is left to draw
    from."""
    cleaned = _check(names)
    if not (math.isfinite(share) and 0 < share <= 1):
        raise InputError("Give a share of the instances above 0 and at most 100 per cent.")
    with store.write() as db:
        present = newest(db, sample_id)
        if present is not None and present.instances:
            who = " and ".join(present.names)
            raise InputError(f"{who} are assigned to this sample; end their assignment first.")
        decided_ids = _decided(db, sample_id)
        pool = [instance_id for instance_id in instance_ids if instance_id not in decided_ids]
        if not pool:
            raise InputError(
                "Every instance of this sample has a decision already, so none can be decided "
                "blind; assign two annotators before the review begins."
            )
        drawn = draw(pool, max(1, round(share * len(instance_ids))), seed)
        _insert(db, sample_id, cleaned, share, seed, drawn, author)
        new_annotator_pair = newest(db, sample_id)
    assert new_annotator_pair is not None  # noqa: S101  (it was just written)
    return new_annotator_pair


def end(store: Store, sample_id: str, author: str) -> None:
    """End the assignment of a sample, if there is one, so that anyone can decide about its
    instances again."""
    with store.write() as db:
        present = newest(db, sample_id)
        if present is not None and present.instances:
            _insert(db, sample_id, present.names, 0.0, present.seed, [], author)


def of(store: Store, sample_id: str) -> AnnotatorPair | None:
    """The newest assignment of a sample, ended or not; None if there never was one."""
    with store.read() as db:
        return newest(db, sample_id)


def newest(db: duckdb.DuckDBPyConnection, sample_id: str) -> AnnotatorPair | None:
    """As ``of``, within a transaction that is already open."""
    rows = db.execute(
        "SELECT *, [first, second] AS names, made_at AS at FROM annotator_pair "
        "WHERE sample_id = ? ORDER BY seq DESC LIMIT 1",
        [sample_id],
    )
    return record(rows, AnnotatorPair)


def draw(pool: Collection[str], count: int, seed: int) -> list[str]:
    """``count`` ids of the pool, or all: those whose hash with the seed comes first. So the order
    of the pool does not matter, and a larger count contains the smaller one."""
    return sorted(pool, key=lambda instance_id: fingerprint(str(seed), instance_id))[:count]


def _check(names: tuple[str, str]) -> tuple[str, str]:
    first, second = (" ".join(name.split()) for name in names)
    for name in (first, second):
        if not name:
            raise InputError("Name two annotators; each decides under the name given here.")
        if len(name) > MOST_CHARACTERS or not name.isprintable():
            raise InputError(f"The name {name[:40]!r} cannot be used; give a shorter, plain one.")
    if person(first) == person(second):
        raise InputError(f"{first} and {second} are one person; name two.")
    return first, second


def _decided(db: duckdb.DuckDBPyConnection, sample_id: str) -> set[str]:
    """Instances with a decision, taken back or not, or with two people's opinions of one text."""
    rows = db.execute(
        "SELECT v.instance_id FROM review r JOIN variant v ON v.seq = r.variant_seq "
        "WHERE r.sample_id = $sample UNION "
        "SELECT instance_id FROM opinion WHERE sample_id = $sample "
        "GROUP BY instance_id, variant_seq HAVING count(DISTINCT person) > 1",
        {"sample": sample_id},
    )
    return set(column(rows))


def _insert(
    db: duckdb.DuckDBPyConnection,
    sample_id: str,
    names: tuple[str, str],
    share: float,
    seed: int,
    instances: Sequence[str],
    author: str,
) -> None:
    db.execute(
        "INSERT INTO annotator_pair (sample_id, first, second, share, seed, instances, author, "
        "made_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [sample_id, *names, share, seed, list(instances), author, utc_now()],
    )
