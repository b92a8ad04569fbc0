"""The store's shape, as a list of small steps whose names the store keeps.

A step is never changed once released: a new shape is a new step at the end. A store that lacks
steps gets them on opening; a store that has steps unknown here is from a later release. The file
is as long as there are steps: each is read beside the ones before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import duckdb

from dcq.errors import StoreCorruptError, StoreTooNewError

Connection = duckdb.DuckDBPyConnection


def _m001_partitions_and_samples(db: Connection) -> None:
    db.execute("""
        CREATE TABLE partition (
            id VARCHAR PRIMARY KEY, key VARCHAR NOT NULL, split VARCHAR NOT NULL,
            title VARCHAR NOT NULL, split_title VARCHAR NOT NULL, role VARCHAR NOT NULL,
            task VARCHAR NOT NULL, language VARCHAR NOT NULL, licence VARCHAR NOT NULL,
            published DATE, source VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE sample (
            id VARCHAR PRIMARY KEY, partition_id VARCHAR NOT NULL, source VARCHAR NOT NULL,
            n INTEGER NOT NULL, requested INTEGER NOT NULL, available INTEGER NOT NULL,
            seed BIGINT NOT NULL, stratified BOOLEAN NOT NULL, notes VARCHAR NOT NULL,
            made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE instance (
            sample_id VARCHAR NOT NULL, position INTEGER NOT NULL, id VARCHAR NOT NULL,
            text VARCHAR NOT NULL, fields VARCHAR NOT NULL, label VARCHAR,
            protected VARCHAR[] NOT NULL)""")


def _m002_variants_and_reviews(db: Connection) -> None:
    db.execute("CREATE SEQUENCE variant_seq")
    db.execute("""
        CREATE TABLE variant (
            seq BIGINT DEFAULT nextval('variant_seq'), sample_id VARCHAR NOT NULL,
            instance_id VARCHAR NOT NULL, slot TINYINT NOT NULL, text VARCHAR NOT NULL,
            origin VARCHAR NOT NULL, author VARCHAR NOT NULL, findings VARCHAR NOT NULL,
            made_at TIMESTAMP NOT NULL)""")
    db.execute("CREATE SEQUENCE review_seq")
    db.execute("""
        CREATE TABLE review (
            seq BIGINT DEFAULT nextval('review_seq'), variant_seq BIGINT NOT NULL,
            sample_id VARCHAR NOT NULL, decision VARCHAR NOT NULL, author VARCHAR NOT NULL,
            made_at TIMESTAMP NOT NULL)""")


def _m003_quizzes(db: Connection) -> None:
    db.execute("""
        CREATE TABLE quiz (
            id VARCHAR PRIMARY KEY, sample_id VARCHAR NOT NULL, kind VARCHAR NOT NULL,
            slot TINYINT, prompt VARCHAR NOT NULL, items INTEGER NOT NULL,
            left_out VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE item (
            quiz_id VARCHAR NOT NULL, position INTEGER NOT NULL, instance_id VARCHAR NOT NULL,
            options VARCHAR[] NOT NULL, correct TINYINT)""")


def _m004_runs_and_answers(db: Connection) -> None:
    db.execute("""
        CREATE TABLE run (
            id VARCHAR PRIMARY KEY, quiz_id VARCHAR NOT NULL, model VARCHAR NOT NULL,
            base_url VARCHAR NOT NULL, prompt VARCHAR NOT NULL, wording VARCHAR NOT NULL,
            temperature DOUBLE, max_tokens INTEGER NOT NULL, items INTEGER NOT NULL,
            concurrency INTEGER NOT NULL, budget_usd DOUBLE, price_in DOUBLE, price_out DOUBLE,
            price_date DATE, version VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("CREATE SEQUENCE run_event_seq")
    db.execute("""
        CREATE TABLE run_event (
            seq BIGINT DEFAULT nextval('run_event_seq'), run_id VARCHAR NOT NULL,
            event VARCHAR NOT NULL, detail VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE answer (
            run_id VARCHAR NOT NULL, position INTEGER NOT NULL, attempt INTEGER NOT NULL,
            outcome VARCHAR NOT NULL, letter VARCHAR, reason VARCHAR NOT NULL, reply VARCHAR,
            prompt_sha256 VARCHAR NOT NULL, tokens_in INTEGER NOT NULL,
            tokens_out INTEGER NOT NULL, seconds DOUBLE NOT NULL, calls INTEGER NOT NULL,
            sent VARCHAR NOT NULL, logprobs VARCHAR, made_at TIMESTAMP NOT NULL)""")
    # The answer that counts for each item: only a retried error has more than one.
    db.execute("""
        CREATE VIEW final_answer AS SELECT * FROM answer
        QUALIFY row_number() OVER (PARTITION BY run_id, position ORDER BY attempt DESC) = 1""")


def _m005_mode_of_a_run(db: Connection) -> None:
    db.execute("ALTER TABLE run ADD COLUMN mode VARCHAR DEFAULT 'letter'")


# The answer that counts for each request: only a retried error has more than one. To rank all
# attempts takes three times as long over a million answers as to leave out the few that were tried
# again. Made again whenever ``answer`` gets a column, which a view does not see.
_FINAL_ANSWER = """
    CREATE OR REPLACE VIEW final_answer AS SELECT * FROM answer AS one
    WHERE NOT EXISTS (
        SELECT 1 FROM answer AS later
        WHERE later.attempt > 1 AND later.attempt > one.attempt
            AND later.run_id = one.run_id AND later.position = one.position)"""


def _m006_final_answers_without_sorting(db: Connection) -> None:
    db.execute(_FINAL_ANSWER)


def _m007_cap_on_calls(db: Connection) -> None:
    db.execute("ALTER TABLE run ADD COLUMN max_calls INTEGER")
    db.execute("ALTER TABLE run ADD COLUMN calls INTEGER DEFAULT 0")


def _m008_prompt_of_a_variant(db: Connection) -> None:
    # NULL: nobody was asked, or the variant is from before prompts of variants were recorded.
    db.execute("ALTER TABLE variant ADD COLUMN prompt VARCHAR")


def _m009_layout_of_a_sample(db: Connection) -> None:
    # NULL: from before there was a choice of layouts.
    db.execute("ALTER TABLE sample ADD COLUMN layout VARCHAR")


def _m010_served_model(db: Connection) -> None:
    db.execute("ALTER TABLE answer ADD COLUMN served_model VARCHAR")
    db.execute("ALTER TABLE answer ADD COLUMN fingerprint VARCHAR")
    db.execute(_FINAL_ANSWER)


def _m011_usage_reported(db: Connection) -> None:
    # False: the tokens of an answer are the most that its calls can have taken, not what the
    # endpoint reported. Earlier releases counted 0 where nothing was reported.
    db.execute("ALTER TABLE answer ADD COLUMN usage_reported BOOLEAN DEFAULT true")
    db.execute(
        "UPDATE answer SET usage_reported = false "
        "WHERE tokens_in = 0 AND calls > 0 AND outcome <> 'error'"
    )
    # What calls that left no answer can have cost.
    db.execute("ALTER TABLE run ADD COLUMN lost_usd DOUBLE DEFAULT 0")
    # A view keeps the columns that its table had when it was made.
    db.execute(_FINAL_ANSWER)


def _m012_planned_looks(db: Connection) -> None:
    db.execute("""
        CREATE TABLE planned_looks (
            run_id VARCHAR PRIMARY KEY, n INTEGER[] NOT NULL, limits DOUBLE[] NOT NULL,
            times DOUBLE[] NOT NULL, controls VARCHAR[] NOT NULL, futility BOOLEAN NOT NULL,
            made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE look (
            run_id VARCHAR NOT NULL, place INTEGER NOT NULL, n INTEGER NOT NULL, p_value DOUBLE,
            p_limit DOUBLE NOT NULL, decision VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL,
            PRIMARY KEY (run_id, place))""")


def _m013_drafts(db: Connection) -> None:
    db.execute("""
        CREATE TABLE draft (
            sample_id VARCHAR NOT NULL, instance_id VARCHAR NOT NULL, slot TINYINT NOT NULL,
            author VARCHAR NOT NULL, text VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL,
            PRIMARY KEY (sample_id, instance_id, slot, author))""")


def _m014_undone_decisions(db: Connection) -> None:
    db.execute("ALTER TABLE review ADD COLUMN undone_by VARCHAR DEFAULT ''")


def _m015_history_of_roles(db: Connection) -> None:
    # The first role of each partition starts its history; what reads a role reads the view.
    db.execute("CREATE SEQUENCE partition_role_seq")
    db.execute("""
        CREATE TABLE partition_role (
            seq BIGINT DEFAULT nextval('partition_role_seq'), partition_id VARCHAR NOT NULL,
            role VARCHAR NOT NULL, author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute(
        "INSERT INTO partition_role (partition_id, role, author, made_at) "
        "SELECT id, role, '', made_at FROM partition ORDER BY made_at, id"
    )
    db.execute("""
        CREATE VIEW partition_now AS
        SELECT p.* REPLACE (r.role AS role) FROM partition p JOIN (
            SELECT partition_id, arg_max(role, seq) AS role FROM partition_role
            GROUP BY partition_id) r ON r.partition_id = p.id""")


def _m016_writers_of_imports(db: Connection) -> None:
    """Earlier releases took a published quiz for data of dcq's, and all sample files for those of
    one writer; nobody knows who wrote either."""
    db.execute(
        "UPDATE variant SET origin = 'imported:' || s.partition_id FROM sample s "
        "WHERE s.id = variant.sample_id AND (origin = 'imported' "
        "  OR (origin = 'bundled' AND starts_with(s.source, 'file:')))"
    )


def _m017_methods_and_values(db: Connection) -> None:
    """A run is of a method, and what a reply was read as is a value: a letter, for the quiz."""
    db.execute("ALTER TABLE run ADD COLUMN method VARCHAR DEFAULT 'quiz'")
    db.execute("DROP VIEW final_answer")
    db.execute("ALTER TABLE answer RENAME COLUMN letter TO value")
    db.execute(_FINAL_ANSWER)


def _m018_batches(db: Connection) -> None:
    """What was sent as a batch stood in sentences of a run's history."""
    db.execute("ALTER TABLE run ADD COLUMN by_batch BOOLEAN DEFAULT false")
    db.execute("""
        CREATE TABLE batch (
            run_id VARCHAR NOT NULL, file VARCHAR NOT NULL, batch_id VARCHAR,
            requests INTEGER, reply_tokens INTEGER, usd DOUBLE, collected BOOLEAN NOT NULL,
            made_at TIMESTAMP NOT NULL)""")
    rows = db.execute("SELECT run_id, detail, made_at FROM run_event ORDER BY seq").fetchall()
    planned = {run for run, detail, _ in rows if detail == "by batch, at half the list price"}
    for run in planned:
        db.execute("UPDATE run SET by_batch = true WHERE id = ?", [run])
    for values in _batches_of_notes(rows):
        db.execute(
            "INSERT INTO batch (run_id, file, batch_id, requests, reply_tokens, usd, collected, "
            "made_at) VALUES (?,?,?,?,?,?,?,?)",
            values,
        )


def _batches_of_notes(rows: Sequence[tuple[str, str, datetime]]) -> list[list[object]]:
    """The rows of ``batch`` that notes of earlier releases amount to."""
    set_aside: dict[tuple[str, str], tuple[re.Match[str], datetime]] = {}
    sent: dict[tuple[str, str], tuple[str, datetime]] = {}
    done: set[tuple[str, str]] = set()
    for run, detail, at in rows:
        if found := re.match(
            r"batch file (\S*): (\d+) questions, replies of (\d+) tokens, "
            r"([\d.]+) USD",
            detail,
        ):
            set_aside[run, unquote(found[1])] = found, at
        elif found := re.match(r"batch (\S+) sent: .*?(?:, from file (\S*))?$", detail):
            sent[run, found[1]] = unquote(found[2] or ""), at
        elif found := re.match(r"batch (\S+) done:", detail):
            done.add((run, found[1]))
    made: list[list[object]] = []
    for (run, batch), (file, at) in sent.items():
        held, _ = set_aside.pop((run, file), (None, None))
        amounts = [int(held[2]), int(held[3]), float(held[4])] if held else [None] * 3
        made.append([run, file, batch, *amounts, (run, batch) in done, at])
    for (run, file), (held, at) in set_aside.items():  # whose process died before they were started
        made.append([run, file, None, int(held[2]), int(held[3]), float(held[4]), False, at])
    return made


def _m019_placebos(db: Connection) -> None:
    """That a partition is a placebo stood in its name."""
    db.execute("ALTER TABLE partition ADD COLUMN placebo_of VARCHAR")
    db.execute(
        "UPDATE partition SET placebo_of = substr(source, 9) WHERE starts_with(source, 'placebo:')"
    )
    # A prompt names a placebo as the dataset that it was made of; a screen says that it is one.
    db.execute("""
        CREATE OR REPLACE VIEW partition_now AS
        SELECT p.* REPLACE (r.role AS role),
            CASE WHEN p.placebo_of IS NULL THEN p.title ELSE p.title || ' (placebo)' END
                AS shown_title
        FROM partition p JOIN (
            SELECT partition_id, arg_max(role, seq) AS role FROM partition_role
            GROUP BY partition_id) r ON r.partition_id = p.id""")


STEPS: Sequence[Callable[[Connection], None]] = (
    _m001_partitions_and_samples,
    _m002_variants_and_reviews,
    _m003_quizzes,
    _m004_runs_and_answers,
    _m005_mode_of_a_run,
    _m006_final_answers_without_sorting,
    _m007_cap_on_calls,
    _m008_prompt_of_a_variant,
    _m009_layout_of_a_sample,
    _m010_served_model,
    _m011_usage_reported,
    _m012_planned_looks,
    _m013_drafts,
    _m014_undone_decisions,
    _m015_history_of_roles,
    _m016_writers_of_imports,
    _m017_methods_and_values,
    _m018_batches,
    _m019_placebos,
)
NAMES = tuple(step.__name__.removeprefix("_") for step in STEPS)


def applied(db: Connection) -> set[str] | None:
    """Names of the steps that this store has; None where it was not made by dcq."""
    try:
        return {name for (name,) in db.execute("SELECT name FROM migration").fetchall()}
    except (duckdb.CatalogException, duckdb.BinderException):
        # Only now: on a connection just opened, a list of the tables costs half the opening.
        tables = "SELECT 1 FROM duckdb_tables() WHERE database_name = current_database()"
        return None if db.execute(tables).fetchone() else set()


def pending(db: Connection) -> bool:
    """True if the store lacks a step."""
    return bool(set(NAMES) - (applied(db) or set()))


def check(db: Connection, path: Path) -> None:
    """Raise if the store is from a later release, or is some other program's database."""
    names = applied(db)
    if names is None:
        raise StoreCorruptError(
            f"The file {path} is a database, but not one of dcq's; point DCQ_STORE elsewhere."
        )
    if names - set(NAMES):
        raise StoreTooNewError(too_new(path))


def too_new(path: Path) -> str:
    """The sentence for a store from a later release."""
    return f"The store {path} was written by a later release of dcq; update dcq to open it."


def apply(db: Connection) -> None:
    """Bring the store up to date, all steps or none."""
    missing = set(NAMES) - (applied(db) or set())
    if not missing:
        return
    db.begin()
    try:
        db.execute(
            "CREATE TABLE IF NOT EXISTS migration (name VARCHAR PRIMARY KEY, made_at TIMESTAMP)"
        )
        for name, step in zip(NAMES, STEPS, strict=True):
            if name in missing:
                step(db)
                db.execute(
                    "INSERT INTO migration VALUES (?, ?)",
                    [name, datetime.now(UTC).replace(tzinfo=None)],
                )
    except BaseException:
        db.rollback()
        raise
    db.commit()
