"""Everything that a store holds, in plain rows: for whoever looks at it from a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb

from dcq.store.connect import Store

Row = dict[str, Any]


@dataclass(frozen=True)
class Overview:
    """``runs``: run, model, partition, kind, mode, done, items, errors, event, event_at, detail;
    ``quizzes``: quiz, sample, partition, kind, items; ``samples``: sample, partition, n,
    with_variants (instances with three or more). Newest first."""

    runs: list[Row]
    quizzes: list[Row]
    samples: list[Row]


def overview(store: Store, *, limit: int = 200) -> Overview:
    """All samples and quizzes, and the newest ``limit`` runs."""
    with store.read() as db:
        return Overview(
            runs=_rows(
                db,
                """
                WITH newest AS (SELECT * FROM run ORDER BY made_at DESC LIMIT ?),
                state AS (
                    SELECT run_id, arg_max(event, seq) AS event, arg_max(detail, seq) AS detail,
                        max(made_at) AS event_at
                    FROM run_event WHERE run_id IN (SELECT id FROM newest) GROUP BY ALL),
                told AS (
                    SELECT run_id, count(*) AS done, count(*) FILTER (outcome = 'error') AS errors
                    FROM final_answer WHERE run_id IN (SELECT id FROM newest) GROUP BY ALL)
                SELECT r.id AS run, r.model, s.partition_id AS partition, q.kind, r.mode,
                    coalesce(t.done, 0) AS done, r.items, coalesce(t.errors, 0) AS errors,
                    e.event, e.event_at, e.detail
                FROM newest r JOIN quiz q ON q.id = r.quiz_id JOIN sample s ON s.id = q.sample_id
                JOIN state e ON e.run_id = r.id LEFT JOIN told t ON t.run_id = r.id
                ORDER BY r.made_at DESC
                """,
                [limit],
            ),
            quizzes=_rows(
                db,
                """
                SELECT q.id AS quiz, q.sample_id AS sample, s.partition_id AS partition, q.kind,
                    q.items
                FROM quiz q JOIN sample s ON s.id = q.sample_id ORDER BY q.made_at DESC
                """,
            ),
            samples=_rows(
                db,
                """
                WITH filled AS (
                    SELECT sample_id, instance_id FROM variant
                    GROUP BY ALL HAVING count(DISTINCT slot) >= 3),
                counts AS (SELECT sample_id, count(*) AS filled FROM filled GROUP BY ALL)
                SELECT s.id AS sample, s.partition_id AS partition, s.n,
                    coalesce(c.filled, 0) AS with_variants
                FROM sample s LEFT JOIN counts c ON c.sample_id = s.id ORDER BY s.made_at DESC
                """,
            ),
        )


def _rows(
    db: duckdb.DuckDBPyConnection, query: str, values: list[object] | None = None
) -> list[Row]:
    found = db.execute(query, values or [])
    names = [name for name, *_ in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
