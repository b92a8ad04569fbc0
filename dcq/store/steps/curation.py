"""Migration steps for curating variants, two annotators, sets of variants, and people who take the
quiz."""

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


def m024_two_annotators(db: Connection) -> None:
    """Who are assigned to which instances of a sample, and what each says of a variant."""
    db.execute("CREATE SEQUENCE annotator_pair_seq")
    # Without instances, the assignment before it has ended.
    db.execute("""
        CREATE TABLE annotator_pair (
            seq BIGINT DEFAULT nextval('annotator_pair_seq'), sample_id VARCHAR NOT NULL,
            first VARCHAR NOT NULL, second VARCHAR NOT NULL, share DOUBLE NOT NULL,
            seed BIGINT NOT NULL, instances VARCHAR[] NOT NULL, author VARCHAR NOT NULL,
            made_at TIMESTAMP NOT NULL)""")
    # ``person`` is what all spellings of the annotator's name share.
    db.execute("CREATE SEQUENCE opinion_seq")
    db.execute("""
        CREATE TABLE opinion (
            seq BIGINT DEFAULT nextval('opinion_seq'), sample_id VARCHAR NOT NULL,
            instance_id VARCHAR NOT NULL, slot TINYINT NOT NULL, variant_seq BIGINT NOT NULL,
            annotator VARCHAR NOT NULL, person VARCHAR NOT NULL, decision VARCHAR NOT NULL,
            reason VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")


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
