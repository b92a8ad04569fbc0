"""Completions of runs, read again and again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from dcq.records import Outcome
from dcq.replication import results
from dcq.store import Store
from dcq.store.method_runs import ReadAnswer
from dcq.store.replications import Replication, StoredPiece


def test_no_completion_of_a_large_study_is_scored_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All of them are read a second time while the store is held."""
    scored: list[int] = []

    def score(references: Sequence[str], _: Sequence[str], __: str) -> NDArray[np.float64]:
        scored.append(len(references))
        return np.full(len(references), 0.5)

    monkeypatch.setattr(results, "rouge_l", score)
    monkeypatch.setattr(results, "meaning_for", lambda *_: None)
    piece = StoredPiece("i", "text", "The brook", "runs.", None, " ", inside_sentence=True)
    share, made = (0.4, 0.7), (piece,)
    replication = Replication("t", "s", "paper", ("guided",), "", 0, *share, "", {}, made)
    answers = {0: ReadAnswer(0, Outcome.ANSWERED, "runs.", "", "runs.")}
    store = Store("never-opened.duckdb")
    names = [f"run-{number}" for number in range(1000)]
    for name in (*names, *names):
        assert results._scores(store, name, replication, answers, "en") == {0: (0.5, None)}
    assert len(scored) == len(names)
