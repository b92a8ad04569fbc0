"""Where people moved the cut of an instance. Rows are only added; the newest counts."""

from __future__ import annotations

from dataclasses import dataclass

from dcq.store.connect import Store, utc_now


def move(
    store: Store, sample_id: str, instance_id: str, seed: int, offset: int | None, author: str
) -> None:
    """Note that an instance is cut after ``offset`` characters of its text, under this ``seed``;
    None takes back what was moved."""
    with store.write() as db:
        db.execute(
            "INSERT INTO cut (sample_id, instance_id, seed, cut_offset, author, made_at) "
            "VALUES (?,?,?,?,?,?)",
            [sample_id, instance_id, seed, offset, author, utc_now()],
        )


@dataclass(frozen=True)
class MovedCut:
    """So many characters are before the cut, by the word of ``author``."""

    offset: int
    author: str


def current(store: Store, sample_id: str, seed: int) -> dict[str, MovedCut]:
    """The moved cuts of a sample under this ``seed``, by instance id."""
    with store.read() as db:
        rows = db.execute(
            # Not arg_max, which passes over the newest where it has no offset.
            "SELECT instance_id, cut_offset, author FROM cut WHERE sample_id = ? AND seed = ? "
            "QUALIFY row_number() OVER (PARTITION BY instance_id ORDER BY seq DESC) = 1",
            [sample_id, seed],
        ).fetchall()
    return {
        instance_id: MovedCut(offset, author)
        for instance_id, offset, author in rows
        if offset is not None
    }
