"""Migration steps for benchmarks by lot."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m044_draws_by_lot(db: Connection) -> None:
    """Each draw of a sample's wordings, by the root of their commitment."""
    db.execute("""
        CREATE TABLE lot_draw (
            sample_id VARCHAR NOT NULL, root VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
