"""Steps of the store's shape for several sets of variants."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m025_sets_of_variants(db: Connection) -> None:
    """A set of variants is a sample over the instances of a first one. Which set stands for them in
    the study may be said by a person; the rows are a history, the newest of a first sample
    counts."""
    db.execute("ALTER TABLE sample ADD COLUMN set_of VARCHAR")
    db.execute("ALTER TABLE sample ADD COLUMN set_name VARCHAR")
    db.execute("CREATE SEQUENCE standing_set_seq")
    db.execute("""
        CREATE TABLE standing_set (
            seq BIGINT DEFAULT nextval('standing_set_seq'), first_id VARCHAR NOT NULL,
            sample_id VARCHAR NOT NULL, author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
