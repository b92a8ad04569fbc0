"""Two people who decide about the same variants without seeing each other's decisions."""

from __future__ import annotations

from dcq.store.steps.first import Connection


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
