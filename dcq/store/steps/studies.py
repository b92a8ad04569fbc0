"""Steps of the store's shape for studies."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m028_studies(db: Connection) -> None:
    """Named choices of what is judged together, as lists in JSON; NULL stands for all there is. The
    rows are a history, the newest of a name counts; one without methods takes it off the list."""
    db.execute("CREATE SEQUENCE study_seq")
    db.execute("""
        CREATE TABLE study (
            seq BIGINT DEFAULT nextval('study_seq'), name VARCHAR NOT NULL, partitions VARCHAR,
            models VARCHAR, methods VARCHAR, controls VARCHAR, author VARCHAR NOT NULL,
            made_at TIMESTAMP NOT NULL)""")


def m035_all_methods_of_a_study(db: Connection) -> None:
    """A study that was not narrowed to some methods takes those of later releases too: JSON's
    ``null`` says so. No list at all still takes a study off the list."""
    db.execute("""
        UPDATE study SET methods = 'null'
        WHERE methods IS NOT NULL
            AND list_sort(methods::JSON::VARCHAR[]) = ['overlap', 'quiz', 'replication']""")
