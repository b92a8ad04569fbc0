"""Which bdq a bcq belongs to."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from dcq.store import Store, quizzes

ALIKE = ["model", "sample", "prompt", "mode"]


def pair_bcqs(store: Store, bcqs: pd.DataFrame, bdqs: pd.DataFrame) -> pd.DataFrame:
    """Each run of ``bcqs`` joined with each run of ``bdqs`` that it belongs to, in the order of the
    former, then of the latter: the columns of both, those of the bdq with the suffix ``_without``.
    Both are rows of ``dcq.store.results.counts``.

    A bcq belongs to a bdq of the same model, sample, mode and wording if their quizzes differ only
    in the original (``dcq.store.quizzes.same_variants``): variants may be edited between the two,
    and choices in other questions are not a baseline.
    """
    ordered = bdqs.assign(place=range(len(bdqs)))
    known = bcqs.assign(place=range(len(bcqs))).merge(ordered, on=ALIKE, suffixes=("", "_without"))
    known = known.sort_values(["place", "place_without"])
    pairs = list(zip(known["quiz_without"].astype(str), known["quiz"].astype(str), strict=True))
    same = _same_variants(store, frozenset(pairs))
    return known[np.array([pair in same for pair in pairs], dtype=bool)]


@lru_cache(maxsize=32)  # a quiz never changes, and a page calls this at every click
def _same_variants(store: Store, pairs: frozenset[tuple[str, str]]) -> set[tuple[str, str]]:
    return quizzes.same_variants(store, pairs)
