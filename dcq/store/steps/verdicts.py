"""Steps of the store's shape for verdicts as they were shown."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m032_verdicts_shown(db: Connection) -> None:
    """What was said of a result whenever it differed from the last time, and what it rested on: its
    run with so many answers ``n``, the runs of its controls, how many results were corrected
    together in ``family``, the checks that were bad, and the release. A result is told apart by
    ``study`` (empty for the whole store), model, partition, kind, slot (NULL for all) and
    prompt."""
    db.execute("CREATE SEQUENCE verdict_seq")
    db.execute("""
        CREATE TABLE verdict (
            seq BIGINT DEFAULT nextval('verdict_seq') PRIMARY KEY, study VARCHAR NOT NULL,
            model VARCHAR NOT NULL, partition_id VARCHAR NOT NULL, kind VARCHAR NOT NULL,
            slot INTEGER, prompt VARCHAR NOT NULL, ruling VARCHAR NOT NULL, p_value DOUBLE,
            q_value DOUBLE, run_id VARCHAR NOT NULL, n INTEGER NOT NULL,
            controls VARCHAR[] NOT NULL, family INTEGER NOT NULL, bad VARCHAR[] NOT NULL,
            version VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
