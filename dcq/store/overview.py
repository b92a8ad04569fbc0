"""Everything that a store holds, one line for each thing, for a look from a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dcq.store import variants
from dcq.store.connect import Store
from dcq.store.rows import records
from dcq.store.runs import Event, events_now


@dataclass(frozen=True)
class RunLine:
    """A run with its newest event: ``done`` of its ``items`` questions have an answer, ``errors``
    of these are errors. ``kind`` is that of its quiz, None where it is of another method."""

    run: str
    method: str
    model: str
    partition: str
    kind: str | None
    mode: str
    done: int
    items: int
    errors: int
    event: Event
    event_at: datetime
    detail: str


@dataclass(frozen=True)
class QuizLine:
    """A quiz and the sample that it was made of."""

    quiz: str
    sample: str
    partition: str
    kind: str
    items: int


@dataclass(frozen=True)
class SampleLine:
    """A sample of ``n`` instances, of which ``with_variants`` have three or more."""

    sample: str
    partition: str
    n: int
    with_variants: int


@dataclass(frozen=True)
class Overview:
    """All lines, newest first."""

    runs: list[RunLine]
    quizzes: list[QuizLine]
    samples: list[SampleLine]


def overview(store: Store, *, limit: int = 200) -> Overview:
    """All samples and quizzes, and the newest ``limit`` runs."""
    with store.read() as db:
        runs = db.execute(
            f"""
            WITH newest AS (SELECT * FROM run ORDER BY made_at DESC LIMIT ?),
            counted AS (
                SELECT run_id, count(*) AS done, count(*) FILTER (outcome = 'error') AS errors
                FROM final_answer WHERE run_id IN (SELECT id FROM newest) GROUP BY ALL)
            SELECT r.id AS run, r.method, r.model, s.partition_id AS partition, q.kind, r.mode,
                coalesce(t.done, 0) AS done, r.items, coalesce(t.errors, 0) AS errors,
                e.event, e.made_at AS event_at, e.detail
            FROM newest r LEFT JOIN quiz q ON q.id = r.subject
            JOIN sample s ON s.id = r.sample_id
            JOIN {events_now("SELECT id FROM newest")} e
                ON e.run_id = r.id
            LEFT JOIN counted t ON t.run_id = r.id
            ORDER BY r.made_at DESC
            """,  # noqa: S608  (our own words)
            [limit],
        )
        run_lines = records(runs, RunLine)
        quizzes = db.execute(
            """
            SELECT q.id AS quiz, q.sample_id AS sample, s.partition_id AS partition, q.kind,
                q.items
            FROM quiz q JOIN sample s ON s.id = q.sample_id ORDER BY q.made_at DESC
            """
        )
        quiz_lines = records(quizzes, QuizLine)
        samples = db.execute(
            """
            WITH filled AS (
                SELECT sample_id, instance_id FROM variant WHERE slot < ?
                GROUP BY ALL HAVING count(DISTINCT slot) >= 3),
            counts AS (SELECT sample_id, count(*) AS filled FROM filled GROUP BY ALL)
            SELECT s.id AS sample, s.partition_id AS partition, s.n,
                coalesce(c.filled, 0) AS with_variants
            FROM sample s LEFT JOIN counts c ON c.sample_id = s.id ORDER BY s.made_at DESC
            """,
            [variants.SLOTS],
        )
        return Overview(run_lines, quiz_lines, records(samples, SampleLine))
