"""The migration step for what others answered."""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime

from dcq.store.steps.first import Connection


def m041_what_others_answered(db: Connection) -> None:
    """Where runs of others came from, who took them in and when, and whose this store is.

    A ``source`` is a bundle, another's backup, or ``earlier`` for all that was marked as imported
    until now. The files of bundles are kept in ``source_part``, what they give in
    ``source_outcome``, and which runs they have in ``source_run``. ``taking`` is a history, the
    newest of a source counts. The view ``own_run`` has one's own runs, ``judged_run`` also those of
    others that somebody took in; both keep the columns that ``run`` has now. What was marked until
    now counts for nothing until somebody takes it in, because nobody can tell a stranger's bundle
    from a moved store.
    """
    now = datetime.now(UTC).replace(tzinfo=None)
    db.execute("CREATE TABLE store_identity (id VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)")
    db.execute("INSERT INTO store_identity VALUES (?, ?)", [_identity(db), now])
    db.execute("""
        CREATE TABLE source (
            id VARCHAR PRIMARY KEY, kind VARCHAR NOT NULL, sender VARCHAR NOT NULL,
            file VARCHAR NOT NULL, study VARCHAR, author VARCHAR NOT NULL,
            made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE source_part (
            source_id VARCHAR NOT NULL, position INTEGER NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY (source_id, position))""")
    db.execute("""
        CREATE TABLE source_outcome (
            source_id VARCHAR NOT NULL, position INTEGER NOT NULL, model VARCHAR NOT NULL,
            partition_id VARCHAR NOT NULL, ruling VARCHAR NOT NULL, sentence VARCHAR NOT NULL,
            runs VARCHAR[] NOT NULL, PRIMARY KEY (source_id, position))""")
    db.execute("""
        CREATE TABLE source_run (
            source_id VARCHAR NOT NULL, run_id VARCHAR NOT NULL, method VARCHAR NOT NULL,
            model VARCHAR NOT NULL, subject VARCHAR NOT NULL, sample_id VARCHAR NOT NULL,
            PRIMARY KEY (source_id, run_id))""")
    db.execute("CREATE SEQUENCE taking_seq")
    db.execute("""
        CREATE TABLE taking (
            seq BIGINT DEFAULT nextval('taking_seq'), source_id VARCHAR NOT NULL,
            taken BOOLEAN NOT NULL, author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("ALTER TABLE imported_run ADD COLUMN source_id VARCHAR DEFAULT 'earlier'")
    db.execute(
        "INSERT INTO source SELECT 'earlier', 'earlier', '', '', NULL, '', min(made_at) "
        "FROM imported_run HAVING count(*) > 0"
    )
    # Weights of pairs that others asked, too, may be theirs: their time proves nothing.
    db.execute("CREATE TABLE imported_plan (plan_id VARCHAR PRIMARY KEY)")
    db.execute("""
        INSERT INTO imported_plan SELECT DISTINCT a.id FROM answer_plan a
        JOIN sample s ON s.partition_id = a.partition_id
        JOIN run r ON r.sample_id = s.id
            AND replace(r.model, 'likelihood:', '') = replace(a.model, 'likelihood:', '')
        JOIN imported_run m ON m.run_id = r.id""")
    db.execute(OWN_RUN)
    db.execute(JUDGED_RUN)


# Made again whenever ``run`` gets a column, which a view does not see.
OWN_RUN = """
    CREATE OR REPLACE VIEW own_run AS SELECT * FROM run
    WHERE id NOT IN (SELECT run_id FROM imported_run)"""
JUDGED_RUN = """
    CREATE OR REPLACE VIEW judged_run AS SELECT * FROM run WHERE id NOT IN (
        SELECT m.run_id FROM imported_run m LEFT JOIN (
            SELECT source_id, arg_max(taken, seq) AS taken FROM taking
            GROUP BY source_id) t USING (source_id)
        WHERE NOT coalesce(t.taken, false))"""


def _identity(db: Connection) -> str:
    """A new one by chance. A store that has something already gets it from the moment at which it
    was made, so that its earlier backups have the same."""
    filled = db.execute("SELECT 1 FROM sample UNION ALL SELECT 1 FROM run LIMIT 1").fetchone()
    made = db.execute("SELECT made_at FROM migration ORDER BY name LIMIT 1").fetchone()
    if filled is None or made is None:
        return secrets.token_hex(16)
    return hashlib.sha256(made[0].isoformat().encode()).hexdigest()[:32]
