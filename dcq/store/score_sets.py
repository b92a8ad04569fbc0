"""Scores on originals and rewordings that a person brought, by benchmark."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dcq.naming import check_name
from dcq.store.connect import Store, utc_now
from dcq.store.rows import newest_rows, records

LONGEST_NAME = 200


@dataclass(frozen=True)
class ScoreSet:
    """The newest scores of one ``benchmark`` (``key/split``, or any name), as JSON has them;
    ``made_at`` UTC."""

    seq: int
    benchmark: str
    scores: dict[str, Any]
    author: str
    made_at: datetime


def checked_name(name: str) -> str:
    """The name of a benchmark that is no partition here, in single spaces. Raises ``InputError``
    for one that is empty or too long."""
    name = " ".join(name.split())
    check_name(name, "benchmark", LONGEST_NAME)
    return name


def keep(store: Store, benchmark: str, scores: dict[str, Any] | None, author: str = "") -> None:
    """Store scores in place of earlier ones, which stay in the history; None takes the benchmark
    off the list."""
    content = None if scores is None else json.dumps(scores, ensure_ascii=False)
    with store.write() as db:
        db.execute(
            "INSERT INTO score_set (benchmark, scores, author, made_at) VALUES (?,?,?,?)",
            [benchmark, content, author, utc_now()],
        )


def current(store: Store) -> list[ScoreSet]:
    """The newest scores of each benchmark, by name."""
    with store.read() as db:
        rows = db.execute(
            f"FROM {newest_rows('score_set', 'benchmark')} "
            "WHERE scores IS NOT NULL ORDER BY benchmark"
        )
        return records(rows, ScoreSet)


def state(store: Store) -> int:
    """A value that changes whenever scores are stored."""
    with store.read() as db:
        row = db.execute("SELECT coalesce(max(seq), 0) FROM score_set").fetchone()
    return int(row[0]) if row else 0
