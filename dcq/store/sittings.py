"""Sittings: a person's questions, and their answers. Rows are only added.

The newest answer to a question counts until the last question has one. That ends the sitting: from
then on its originals are shown and nothing is added.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from dcq.errors import ChangedError, InputError
from dcq.naming import LONGEST_PERSON, check_name
from dcq.records import LETTERS, Item, fingerprint
from dcq.store.connect import Store, utc_now
from dcq.store.rows import insert_records, newest_rows, records


@dataclass(frozen=True)
class Sitting:
    """One person's questions of one sample. ``letters`` are their answers by question, None where
    there is none yet; ``at`` and ``answered_at`` (of the newest answer) are UTC."""

    id: str
    sample_id: str
    person: str
    items: tuple[Item, ...]
    letters: tuple[str | None, ...]
    at: datetime
    answered_at: datetime | None

    @property
    def finished(self) -> bool:
        """Whether every question has an answer."""
        return None not in self.letters

    @property
    def right(self) -> tuple[bool, ...]:
        """Whether each answer is the original."""
        return tuple(
            item.correct is not None and letter == LETTERS[item.correct]
            for item, letter in zip(self.items, self.letters, strict=True)
        )


@dataclass(frozen=True)
class Curation:
    """A person (``key``, see ``person_key``) has worked on the texts of this sample, or of one that
    shares an instance with it, since ``at`` (UTC)."""

    sample_id: str
    key: str
    at: datetime


def person_key(name: str) -> str:
    """The form of a name that all spellings share: case, spaces and the form of letters are left
    aside."""
    return " ".join(unicodedata.normalize("NFKC", name).split()).casefold()


Draw = Callable[[frozenset[str], int], Sequence[Item]]


def begin(store: Store, sample_id: str, person: str, draw: Draw) -> str:
    """The id of the person's unfinished sitting of this sample or, if there is none, of a new one.
    ``draw`` gets the ids of all instances that the person has been asked about, of any sample, and
    the seed, and returns the questions. Both happen in one transaction, so that two tabs share one
    sitting. Raises InputError where ``draw`` returns none, or the name is empty."""
    key = person_key(person)
    if not key:
        raise InputError("A sitting needs a name; enter yours first.")
    person = " ".join(person.split())
    check_name(person, "person", LONGEST_PERSON)
    with store.write() as db:
        asked_rows = db.execute(
            "SELECT s.id, s.sample_id, i.instance_id, a.instance_id IS NOT NULL FROM sitting s "
            "JOIN sitting_item i ON i.sitting_id = s.id "
            "LEFT JOIN (SELECT DISTINCT sitting_id, instance_id FROM sitting_answer) a "
            "  ON a.sitting_id = s.id AND a.instance_id = i.instance_id "
            "WHERE s.person_key = ? ORDER BY s.made_at, s.id",
            [key],
        ).fetchall()
        for sitting, of, _, answered in asked_rows:
            if of == sample_id and not answered:
                return str(sitting)
        number = len({sitting for sitting, *_ in asked_rows})
        # A sender's person of the same name may have a sitting of this id.
        while db.execute(
            "SELECT 1 FROM sitting WHERE id = ?", [_id_of(sample_id, key, number)]
        ).fetchone():
            number += 1
        # Below 2**53, so that any tool reads it as it is.
        seed = int(fingerprint(sample_id, key, str(number)), 16) >> 12
        items = draw(frozenset(instance for _, _, instance, _ in asked_rows), seed)
        if not items:
            raise InputError(
                "You have been asked about every instance of this sample that is ready, and only "
                "the first answer to each counts; choose another sample."
            )
        sitting_id = _id_of(sample_id, key, number)
        db.execute(
            "INSERT INTO sitting (id, sample_id, person, person_key, seed, made_at) "
            "VALUES (?,?,?,?,?,?)",
            [sitting_id, sample_id, person, key, seed, utc_now()],
        )
        insert_records(db, "sitting_item", items, first_position=0, sitting_id=sitting_id)
    return sitting_id


def _id_of(sample_id: str, key: str, number: int) -> str:
    return fingerprint(sample_id, key, str(number), "sitting")


def answer(store: Store, sitting_id: str, position: int, letter: str) -> None:
    """Note the answer to a question, by its place from 0. Raises InputError for a question or an
    option that does not exist, ChangedError once the sitting is finished."""
    with store.write() as db:
        sitting = next(iter(_read(db, sitting_id=sitting_id)), None)
        if sitting is None:
            raise InputError(
                f"There is no sitting {sitting_id!r}; start one on the page Take the quiz."
            )
        if not 0 <= position < len(sitting.items):
            raise InputError(
                f"There is no question {position + 1}; this sitting has {len(sitting.items)}."
            )
        options = LETTERS[: len(sitting.items[position].options)]
        if len(letter) != 1 or letter not in options:
            raise InputError(f"There is no option {letter!r}; choose from {', '.join(options)}.")
        if sitting.letters[position] == letter:  # a second click
            return
        if sitting.finished:
            raise ChangedError(
                "This sitting is finished and its originals were shown, so nothing was changed."
            )
        db.execute(
            "INSERT INTO sitting_answer (sitting_id, instance_id, letter, made_at) "
            "VALUES (?,?,?,?)",
            [sitting_id, sitting.items[position].instance_id, letter, utc_now()],
        )


def find(store: Store, sitting_id: str) -> Sitting | None:
    """The sitting of this id; None if there is none."""
    with store.read() as db:
        return next(iter(_read(db, sitting_id=sitting_id)), None)


def of_person(store: Store, person: str) -> list[Sitting]:
    """A person's sittings, oldest first."""
    with store.read() as db:
        return _read(db, key=person_key(person))


def every(store: Store) -> list[Sitting]:
    """All sittings, oldest first."""
    with store.read() as db:
        return _read(db)


def curations(store: Store, sample_ids: Iterable[str]) -> list[Curation]:
    """Who has decided about variants, written some, moved a cut or labelled completions, of these
    samples or of others that share an instance with them, and since when."""
    with store.read() as db:
        rows = db.execute(
            "WITH worked AS ("
            "  SELECT sample_id, author, made_at FROM review "
            "  UNION ALL SELECT sample_id, undone_by, made_at FROM review "
            "  UNION ALL SELECT sample_id, author, made_at FROM variant WHERE origin = 'person' "
            "  UNION ALL SELECT sample_id, annotator, made_at FROM opinion "
            "  UNION ALL SELECT sample_id, author, made_at FROM flag "
            "  UNION ALL SELECT sample_id, author, made_at FROM cut "
            "  UNION ALL SELECT r.sample_id, m.annotator, m.made_at FROM match_label m "
            "    JOIN run r ON r.id = m.run_id), "
            "alike AS ("
            "  SELECT DISTINCT one.sample_id, other.sample_id AS other FROM instance one "
            "  JOIN instance other ON other.id = one.id "
            "  WHERE one.sample_id IN (SELECT unnest(?::VARCHAR[]))) "
            "SELECT a.sample_id, w.author, min(w.made_at) FROM alike a "
            "JOIN worked w ON w.sample_id = a.other WHERE w.author <> '' GROUP BY ALL",
            [list(sample_ids)],
        ).fetchall()
    return [Curation(sample_id, person_key(author), at) for sample_id, author, at in rows]


def curated_by(store: Store, sample_id: str, person: str) -> bool:
    """Whether a person is among the ``curations`` of a sample."""
    key = person_key(person)
    return any(curation.key == key for curation in curations(store, [sample_id]))


def _read(
    db: duckdb.DuckDBPyConnection, *, sitting_id: str | None = None, key: str | None = None
) -> list[Sitting]:
    """Sittings, oldest first: all of them, the one with an id, or the ones of a person."""
    rows = db.execute(
        "SELECT s.id, s.sample_id, s.person, s.made_at AS at, "  # noqa: S608  (our own words)
        "list({'instance_id': i.instance_id, 'options': i.options, 'correct': i.correct} "
        "  ORDER BY i.position) AS items, "
        "list(a.letter ORDER BY i.position) AS letters, max(a.made_at) AS answered_at "
        "FROM sitting s JOIN sitting_item i ON i.sitting_id = s.id "
        f"LEFT JOIN {newest_rows('sitting_answer', 'sitting_id', 'instance_id')} a "
        "  ON a.sitting_id = s.id AND a.instance_id = i.instance_id "
        "WHERE ($id IS NULL OR s.id = $id) AND ($key IS NULL OR s.person_key = $key) "
        "GROUP BY ALL ORDER BY s.made_at, s.id",
        {"id": sitting_id, "key": key},
    )
    return records(rows, Sitting)
