"""Steps of the store's shape for what is computed of rows that never change."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m034_derived_values(db: Connection) -> None:
    """Values by what they are of: nothing is lost with them, so they are left out of bundles and
    copies and computed anew."""
    db.execute("""
        CREATE TABLE derived (
            subject VARCHAR NOT NULL, name VARCHAR NOT NULL, value VARCHAR NOT NULL,
            made_at TIMESTAMP NOT NULL, PRIMARY KEY (subject, name))""")
