"""Values that were computed from rows that never change, stored because computing them takes long.

A value's name has a version that changes when the computation does. All of them can be computed
again, so bundles and copies, which come from strangers, do not carry them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dcq.errors import StoreError
from dcq.store.connect import Store, utc_now

_WAIT = 2.0  # seconds for a busy store: nobody must wait long for what can be computed again


def read(store: Store, name: str, subjects: Sequence[str]) -> dict[str, Any]:
    """The stored values of this name, by subject, as JSON has them."""
    with store.read() as db:
        rows = db.execute(
            "SELECT subject, value FROM derived "
            "WHERE name = ? AND subject IN (SELECT unnest(?::VARCHAR[]))",
            [name, list(subjects)],
        ).fetchall()
    return {subject: json.loads(value) for subject, value in rows}


def keep(store: Store, name: str, values: Mapping[str, Any]) -> None:
    """Store values by subject. Nothing happens if the store is busy, held or cannot be written."""
    rows = [[subject, name, json.dumps(value), utc_now()] for subject, value in values.items()]
    if not rows or store.is_held:
        return
    try:
        with store.waiting(_WAIT).write() as db:
            db.executemany(
                "INSERT OR IGNORE INTO derived (subject, name, value, made_at) VALUES (?,?,?,?)",
                rows,
            )
    except StoreError:
        return  # whoever needs them next keeps them
