"""What was computed of rows that never change, kept because it takes long to compute.

Whoever computes it names it, with a version that changes when the computation does. Nothing rests
on it that could not be computed again: bundles and copies, which come from strangers, do without.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dcq.errors import StoreError
from dcq.store.connect import Store, utc_now

_WAIT = 2.0  # seconds for a busy store: nobody must wait long for what can be computed again


def read(store: Store, name: str, subjects: Sequence[str]) -> dict[str, Any]:
    """The values of this name that are kept, by subject, as JSON has them."""
    with store.read() as db:
        rows = db.execute(
            "SELECT subject, value FROM derived "
            "WHERE name = ? AND subject IN (SELECT unnest(?::VARCHAR[]))",
            [name, list(subjects)],
        ).fetchall()
    return {subject: json.loads(value) for subject, value in rows}


def keep(store: Store, name: str, values: Mapping[str, Any]) -> None:
    """Keep values by subject. A store that is busy or cannot be written is left as it is."""
    rows = [[subject, name, json.dumps(value), utc_now()] for subject, value in values.items()]
    if not rows:
        return
    try:
        with Store(store.path, timeout=_WAIT).write() as db:
            db.executemany(
                "INSERT OR IGNORE INTO derived (subject, name, value, made_at) VALUES (?,?,?,?)",
                rows,
            )
    except StoreError:
        return  # whoever needs them next keeps them
