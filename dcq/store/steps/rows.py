"""Migration steps for where instances stand in their data."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m046_rows_and_revisions(db: Connection) -> None:
    """The row of each instance in its split or file, from 0, and -1 where it is not known; and the
    revision that a sample was drawn from, a commit or the hash of a file."""
    db.execute("ALTER TABLE instance ADD COLUMN row_number BIGINT DEFAULT -1")
    db.execute("ALTER TABLE sample ADD COLUMN revision VARCHAR DEFAULT ''")
