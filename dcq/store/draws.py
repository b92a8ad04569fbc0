"""Draws by lot of a sample's wordings. Rows are only added, so that a draw that was thrown away
counts too."""

from __future__ import annotations

from dcq.store.connect import Store, utc_now
from dcq.store.rows import insert_rows

_COLUMNS = ("sample_id", "root", "made_at")


def add(store: Store, sample_id: str, root: str) -> None:
    """Keep that lots were drawn; ``root`` is that of the wordings in their commitment."""
    with store.write() as db:
        insert_rows(db, "lot_draw", _COLUMNS, [[sample_id, root, utc_now()]])


def count(store: Store, sample_id: str) -> int:
    """How many draws of a sample's wordings this store knows of."""
    with store.read() as db:
        rows = db.execute("SELECT root FROM lot_draw WHERE sample_id = ?", [sample_id]).fetchall()
    return len(rows)
