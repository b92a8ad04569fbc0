"""Flags: a person's doubt about a variant, raised with a note and lowered again. Rows are only
added, and the newest of a variant counts; a new text has none."""

from __future__ import annotations

from dcq.errors import InputError
from dcq.store.connect import Store, utc_now
from dcq.store.variants import StoredVariant

MOST_NOTE = 300  # characters


def raise_flag(
    store: Store, sample_id: str, variant: StoredVariant, note: str, author: str
) -> None:
    """Flag a variant with a note, which may be empty, in place of an earlier flag. Raises
    InputError for a long one."""
    said = " ".join(note.split())
    if len(said) > MOST_NOTE:
        raise InputError(f"The note of a flag has at most {MOST_NOTE} characters; shorten it.")
    _add(store, sample_id, variant, said, author, raised=True)


def lower_flag(store: Store, sample_id: str, variant: StoredVariant, author: str) -> None:
    """Take the flag of a variant away."""
    _add(store, sample_id, variant, "", author, raised=False)


def _add(
    store: Store, sample_id: str, variant: StoredVariant, note: str, author: str, *, raised: bool
) -> None:
    with store.write() as db:
        db.execute(
            "INSERT INTO flag (variant_seq, sample_id, raised, note, author, made_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [variant.seq, sample_id, raised, note, author, utc_now()],
        )
