"""Steps of the store's shape for what came from elsewhere."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m033_imported_runs(db: Connection) -> None:
    """Which runs came with a bundle or with a copy of a store, and when."""
    db.execute("""
        CREATE TABLE imported_run (
            run_id VARCHAR PRIMARY KEY, made_at TIMESTAMP NOT NULL)""")
