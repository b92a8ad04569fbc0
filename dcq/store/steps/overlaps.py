"""Steps of the store's shape for overlaps, after those that made their tables."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m030_tokens_of_an_overlap(db: Connection) -> None:
    """How texts become words; before, there was one way, ours."""
    db.execute("ALTER TABLE overlap ADD COLUMN tokens VARCHAR DEFAULT 'words'")
