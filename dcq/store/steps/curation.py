"""Steps of the store's shape for curating variants."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m026_guidelines_flags_and_instructions(db: Connection) -> None:
    """Guidelines of a sample and flags of people at variants, of which the newest count; what a
    person added to the prompt of a rewording; and who brought an earlier text back."""
    db.execute("ALTER TABLE variant ADD COLUMN undone_by VARCHAR DEFAULT ''")
    db.execute("ALTER TABLE rewording ADD COLUMN instruction VARCHAR DEFAULT ''")
    db.execute("CREATE SEQUENCE guideline_seq")
    db.execute("""
        CREATE TABLE guideline (
            seq BIGINT DEFAULT nextval('guideline_seq'), sample_id VARCHAR NOT NULL,
            text VARCHAR NOT NULL, author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    # One sequence for flags and reviews: its newest number says whether a variant has changed.
    db.execute("""
        CREATE TABLE flag (
            seq BIGINT DEFAULT nextval('review_seq'), variant_seq BIGINT NOT NULL,
            sample_id VARCHAR NOT NULL, raised BOOLEAN NOT NULL, note VARCHAR NOT NULL,
            author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
