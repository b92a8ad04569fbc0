"""The choices in the replies of runs, call by call, for evidence that needs more than counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dcq.store.connect import Store
from dcq.store.rows import column

if TYPE_CHECKING:  # takes half a second to import, which not every reader needs
    import pandas as pd


def logged(store: Store, run_ids: Sequence[str]) -> frozenset[str]:
    """The runs, out of these, with log-probabilities for any reply. One query for many runs is
    faster than reading the replies of each."""
    with store.read() as db:
        rows = db.execute(
            "SELECT DISTINCT run_id FROM answer "
            "WHERE logprobs IS NOT NULL AND run_id IN (SELECT unnest(?::VARCHAR[]))",
            [list(run_ids)],
        )
        return frozenset(column(rows))


def calls(store: Store, run_ids: Sequence[str]) -> pd.DataFrame:
    """The replies of these runs that count, in order: run, instance, slot (0–3, where the original
    stood; NA where it was absent), letter (NA where there is none), logprobs (a mapping, or None).
    Errors are left out."""
    # Named one by one (by question marks, so nothing is injected): with a subquery DuckDB joins
    # the answers of all runs first.
    placeholders = ", ".join("?" * len(run_ids)) or "NULL"
    with store.read() as db:
        frame = db.execute(
            "SELECT a.run_id AS run, i.instance_id AS instance, i.correct AS slot, "  # noqa: S608
            "a.value AS letter, a.logprobs FROM final_answer a JOIN run r ON r.id = a.run_id "
            "JOIN item i ON i.quiz_id = r.subject AND i.position = a.position "
            f"WHERE a.outcome <> 'error' AND a.run_id IN ({placeholders}) "
            "ORDER BY a.run_id, a.position",
            list(run_ids),
        ).df()
    texts = frame["logprobs"].astype("object")
    frame["logprobs"] = [json.loads(text) if isinstance(text, str) else None for text in texts]
    return frame
