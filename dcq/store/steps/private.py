"""Migration steps for wordings that are kept secret."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m047_private_wordings(db: Connection) -> None:
    """Which variants are wordings of a protected benchmark, by the root of its commitment and the
    id of their item; and which of them anybody may see, by whose decision and why: the lot
    published it, or a person gave it up."""
    db.execute("""
        CREATE TABLE private_wording (
            root VARCHAR NOT NULL, item VARCHAR NOT NULL, variant_seq BIGINT NOT NULL,
            made_at TIMESTAMP NOT NULL, PRIMARY KEY (root, item, variant_seq))""")
    db.execute("""
        CREATE TABLE burnt_wording (
            root VARCHAR NOT NULL, item VARCHAR NOT NULL, variant_seq BIGINT NOT NULL,
            why VARCHAR NOT NULL, author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL,
            PRIMARY KEY (root, item, variant_seq))""")
