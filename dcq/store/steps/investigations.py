"""Steps of the store's shape for investigations."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m029_investigations(db: Connection) -> None:
    """What was chosen for an investigation, NULL for no limit, and its runs in the order in which
    they became part of it. A run may be part of several; ``usd_before`` is what it had cost when it
    became part of this one."""
    db.execute("CREATE SEQUENCE investigation_seq")
    db.execute("""
        CREATE TABLE investigation (
            seq BIGINT DEFAULT nextval('investigation_seq'), id VARCHAR PRIMARY KEY,
            sample_id VARCHAR NOT NULL, model VARCHAR NOT NULL, kind VARCHAR NOT NULL,
            controls VARCHAR[] NOT NULL, instances INTEGER, budget_usd DOUBLE,
            made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE investigation_run (
            investigation_id VARCHAR NOT NULL, kind VARCHAR NOT NULL, sample_id VARCHAR NOT NULL,
            run_id VARCHAR NOT NULL, usd_before DOUBLE NOT NULL,
            PRIMARY KEY (investigation_id, kind, sample_id))""")


def m036_methods_of_an_investigation(db: Connection) -> None:
    """Which methods are asked beside the quiz. A run of theirs has the method's name as its
    kind."""
    db.execute("ALTER TABLE investigation ADD COLUMN methods VARCHAR[] DEFAULT []")
