"""The rank of originals among their variants in quizzes whose options were scored, from the mean
log-probabilities that such runs keep."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dcq.evidence.midrank import midranks
from dcq.quiz.build import SLOTS, WITHOUT_ORIGINAL
from dcq.quiz.results import Result
from dcq.records import LETTERS
from dcq.store import Store, choices

MIDRANK = "midrank"  # the name of the measure, which stands beside the one that decides
Ranks = NDArray[np.float64]


def ranks(store: Store, results: Sequence[Result]) -> dict[str, Ranks]:
    """The midrank of each original among its variants (``dcq.evidence.midrank``), by run: one
    column, one row for each instance."""
    tables_by_run = {
        result.run: _ranks(store, result.run, tuple(result.outcomes.values()))
        for result in results
        if not result.how.lettered and result.kind not in WITHOUT_ORIGINAL
    }
    return {run: table for run, table in tables_by_run.items() if table is not None}


@lru_cache(maxsize=256)
def _ranks(store: Store, run_id: str, outcomes: tuple[int, ...]) -> Ranks | None:
    """Of a rotated quiz any call has the same options. None where no scores are kept; ``outcomes``
    tell the cache that there are other answers: an error may be asked again."""
    calls = choices.calls(store, [run_id])
    calls = calls[calls["logprobs"].notna() & calls["slot"].notna()].drop_duplicates("instance")
    if calls.empty:
        return None
    scores = np.array(
        [[call_scores.get(x, np.nan) for x in LETTERS[:SLOTS]] for call_scores in calls["logprobs"]]
    )
    slots = calls["slot"].to_numpy(np.int64)
    # The original first, then the others.
    order = np.argsort(np.arange(SLOTS) != slots[:, None], axis=1, kind="stable")
    return midranks(np.take_along_axis(scores, order, axis=1))[:, None]
