"""The first migration steps: partitions to runs."""

from __future__ import annotations

import duckdb

Connection = duckdb.DuckDBPyConnection


def m001_partitions_and_samples(db: Connection) -> None:
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


def m002_variants_and_reviews(db: Connection) -> None:
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


def m003_quizzes(db: Connection) -> None:
    db.execute("""
        CREATE TABLE quiz (
            id VARCHAR PRIMARY KEY, sample_id VARCHAR NOT NULL, kind VARCHAR NOT NULL,
            slot TINYINT, prompt VARCHAR NOT NULL, items INTEGER NOT NULL,
            left_out VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE item (
            quiz_id VARCHAR NOT NULL, position INTEGER NOT NULL, instance_id VARCHAR NOT NULL,
            options VARCHAR[] NOT NULL, correct TINYINT)""")


def m004_runs_and_answers(db: Connection) -> None:
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


def m005_mode_of_a_run(db: Connection) -> None:
    db.execute("ALTER TABLE run ADD COLUMN mode VARCHAR DEFAULT 'letter'")


# The answer that counts for each request: only a retried error has more than one. To rank all
# attempts takes three times as long over a million answers as to leave out the few that were tried
# again. Made again whenever ``answer`` gets a column, which a view does not see.
FINAL_ANSWER = """
    CREATE OR REPLACE VIEW final_answer AS SELECT * FROM answer AS one
    WHERE NOT EXISTS (
        SELECT 1 FROM answer AS later
        WHERE later.attempt > 1 AND later.attempt > one.attempt
            AND later.run_id = one.run_id AND later.position = one.position)"""


def m006_final_answers_without_sorting(db: Connection) -> None:
    db.execute(FINAL_ANSWER)


def m007_cap_on_calls(db: Connection) -> None:
    db.execute("ALTER TABLE run ADD COLUMN max_calls INTEGER")
    db.execute("ALTER TABLE run ADD COLUMN calls INTEGER DEFAULT 0")


def m008_prompt_of_a_variant(db: Connection) -> None:
    # NULL: nobody was asked, or the variant is from before prompts of variants were recorded.
    db.execute("ALTER TABLE variant ADD COLUMN prompt VARCHAR")


def m009_layout_of_a_sample(db: Connection) -> None:
    # NULL: from before there was a choice of layouts.
    db.execute("ALTER TABLE sample ADD COLUMN layout VARCHAR")


def m010_served_model(db: Connection) -> None:
    db.execute("ALTER TABLE answer ADD COLUMN served_model VARCHAR")
    db.execute("ALTER TABLE answer ADD COLUMN fingerprint VARCHAR")
    db.execute(FINAL_ANSWER)
