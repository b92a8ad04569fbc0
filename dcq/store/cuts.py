"""Where people moved the cut of an instance. Rows are only added; the newest counts."""

from __future__ import annotations

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


def current(store: Store, sample_id: str, seed: int) -> dict[str, int]:
    """The moved cuts of a sample under this ``seed``: instance id → characters before the cut."""
    with store.read() as db:
        rows = db.execute(
            "SELECT instance_id, list(cut_offset ORDER BY seq DESC)[1] FROM cut "
            "WHERE sample_id = ? AND seed = ? GROUP BY instance_id",
            [sample_id, seed],
        ).fetchall()
    return {instance_id: offset for instance_id, offset in rows if offset is not None}
