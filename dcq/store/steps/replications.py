"""Steps of the store's shape for replications."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m031_places_of_cuts(db: Connection) -> None:
    """Between which shares of a text its cut was drawn, 0.4 and 0.7 for all replications so far,
    and what decided the cut of a piece, NULL where that was not kept."""
    for name, share in (("earliest", 0.4), ("latest", 0.7)):
        db.execute(f"ALTER TABLE replication ADD COLUMN {name} DOUBLE DEFAULT {share}")
    db.execute("ALTER TABLE piece ADD COLUMN cut_by VARCHAR")
