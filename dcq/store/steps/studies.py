"""Steps of the store's shape for studies."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m028_studies(db: Connection) -> None:
    """Named choices of what is judged together, as lists in JSON; NULL stands for all there is. The
    rows are a history, the newest of a name counts; one without methods takes it off the list."""
    db.execute("CREATE SEQUENCE study_seq")
    db.execute("""
        CREATE TABLE study (
            seq BIGINT DEFAULT nextval('study_seq'), name VARCHAR NOT NULL, partitions VARCHAR,
            models VARCHAR, methods VARCHAR, controls VARCHAR, author VARCHAR NOT NULL,
            made_at TIMESTAMP NOT NULL)""")
