"""The step for people who take the quiz."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m027_sittings(db: Connection) -> None:
    """The questions that a person was given, and what they answered. Answers are only added; the
    newest to a question counts."""
    # ``person_key`` is the name without regard to case and spaces.
    db.execute("""
        CREATE TABLE sitting (
            id VARCHAR PRIMARY KEY, sample_id VARCHAR NOT NULL, person VARCHAR NOT NULL,
            person_key VARCHAR NOT NULL, seed BIGINT NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE sitting_item (
            sitting_id VARCHAR NOT NULL, position INTEGER NOT NULL, instance_id VARCHAR NOT NULL,
            options VARCHAR[] NOT NULL, correct TINYINT NOT NULL)""")
    db.execute("CREATE SEQUENCE sitting_answer_seq")
    db.execute("""
        CREATE TABLE sitting_answer (
            seq BIGINT DEFAULT nextval('sitting_answer_seq'), sitting_id VARCHAR NOT NULL,
            instance_id VARCHAR NOT NULL, letter VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
