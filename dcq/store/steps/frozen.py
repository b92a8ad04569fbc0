"""Steps of the store's shape for methods without tables of their own."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m037_frozen_requests_and_values(db: Connection) -> None:
    """What a method asks about and numbers that it keeps of replies, for any method."""
    db.execute("""
        CREATE TABLE frozen (
            id VARCHAR PRIMARY KEY, method VARCHAR NOT NULL, sample_id VARCHAR NOT NULL,
            design VARCHAR NOT NULL, author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE frozen_request (
            frozen_id VARCHAR NOT NULL, position INTEGER NOT NULL, instance_id VARCHAR NOT NULL,
            text VARCHAR NOT NULL, facts VARCHAR NOT NULL, PRIMARY KEY (frozen_id, position))""")
    db.execute("""
        CREATE TABLE run_value (
            run_id VARCHAR NOT NULL, position INTEGER NOT NULL, name VARCHAR NOT NULL,
            value DOUBLE NOT NULL, PRIMARY KEY (run_id, position, name))""")
