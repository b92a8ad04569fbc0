"""Brings a store up to date, and recognises one from a later release.

A store that lacks steps gets them on opening; a store that has unknown steps is from a later
release.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from dcq.errors import StoreCorruptError, StoreTooNewError
from dcq.store.steps import STEPS
from dcq.store.steps.first import Connection

# A table that is there already, or is not; a column likewise; values of another type.
_NOT_AS_LEFT = (
    *(duckdb.CatalogException, duckdb.BinderException, duckdb.DependencyException),
    *(duckdb.ConversionException, duckdb.ConstraintException),
)


def names() -> tuple[str, ...]:
    """The names of all steps, in order."""
    return tuple(step.__name__ for step in STEPS)


def applied(db: Connection) -> set[str] | None:
    """Names of the steps that this store has; None where it was not made by dcq."""
    try:
        return {name for (name,) in db.execute("SELECT name FROM migration").fetchall()}
    except (duckdb.CatalogException, duckdb.BinderException):
        # Only now: on a connection just opened, a list of the tables costs half the opening.
        tables = "SELECT 1 FROM duckdb_tables() WHERE database_name = current_database()"
        return None if db.execute(tables).fetchone() else set()


def check(db: Connection, path: Path) -> bool:
    """Whether the store has all steps. Raises if it is from a later release, or is another
    program's database."""
    applied_steps = applied(db)
    if applied_steps is None:
        if _has_our_tables(db):
            raise StoreCorruptError(damaged(path))
        raise StoreCorruptError(
            f"The file {path} is a database, but not one of dcq's; point DCQ_STORE elsewhere."
        )
    if applied_steps - set(names()):
        raise StoreTooNewError(too_new(path))
    return len(applied_steps) == len(STEPS)


def _has_our_tables(db: Connection) -> bool:
    row = db.execute(
        "SELECT count(*) FROM duckdb_tables() WHERE database_name = current_database() "
        "AND table_name IN ('partition', 'sample', 'instance')"
    ).fetchone()
    return row == (3,)


def too_new(path: Path) -> str:
    """The error message for a store from a later release."""
    return f"The store {path} was written by a later release of dcq; update dcq to open it."


def damaged(path: Path) -> str:
    """The error message for a store that has not what its release made."""
    return (
        f"Another program has changed the store {path}, so it cannot be used; put a copy back that "
        "`dcq backup` made: python -m dcq restore FILE."
    )


def apply(db: Connection, path: Path, steps: Collection[str] | None = None) -> None:
    """Bring the store at ``path`` up to date, or to these ``steps``; all of them or none. Raises
    StoreCorruptError where it has not what the steps before made, and is left as it is."""
    missing = set(names() if steps is None else steps) - (applied(db) or set())
    if not missing:
        return
    db.begin()
    try:
        db.execute(
            "CREATE TABLE IF NOT EXISTS migration (name VARCHAR PRIMARY KEY, made_at TIMESTAMP)"
        )
        for name, step in zip(names(), STEPS, strict=True):
            if name in missing:
                try:
                    step(db)
                except _NOT_AS_LEFT as error:
                    raise StoreCorruptError(damaged(path)) from error
                db.execute(
                    "INSERT INTO migration VALUES (?, ?)",
                    [name, datetime.now(UTC).replace(tzinfo=None)],
                )
    except BaseException:
        db.rollback()
        raise
    db.commit()
