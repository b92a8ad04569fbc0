"""Migration steps for the reader of replies."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m042_readers_of_runs(db: Connection) -> None:
    """Which version of the reader (``dcq.said.READER``) has read the replies of a run, and how many
    outcomes that changed; a run without a row was read by version 1 alone."""
    db.execute("""
        CREATE TABLE run_reader (
            run_id VARCHAR NOT NULL, reader INTEGER NOT NULL, changed INTEGER NOT NULL,
            made_at TIMESTAMP NOT NULL, PRIMARY KEY (run_id, reader))""")
