"""What was chosen, call by call: inputs of the evidence that looks at more than counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dcq.store.connect import Store

if TYPE_CHECKING:  # takes half a second to import, which not every reader needs
    import pandas as pd


def calls(store: Store, run_ids: Sequence[str]) -> pd.DataFrame:
    """The replies of these runs that count, in order: run, instance, slot (0–3, where the original
    stood; NA where it was absent), letter (NA where there is none), logprobs (a mapping, or None).
    Errors are no replies."""
    with store.read() as db:
        frame = db.execute(
            "SELECT a.run_id AS run, i.instance_id AS instance, i.correct AS slot, "
            "a.value AS letter, a.logprobs FROM final_answer a JOIN run r ON r.id = a.run_id "
            "JOIN item i ON i.quiz_id = r.subject AND i.position = a.position "
            "WHERE a.outcome <> 'error' AND a.run_id IN (SELECT unnest(?)) "
            "ORDER BY a.run_id, a.position",
            [list(run_ids)],
        ).df()
    texts = frame["logprobs"].astype("object")
    frame["logprobs"] = [json.loads(text) if isinstance(text, str) else None for text in texts]
    return frame
