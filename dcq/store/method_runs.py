"""The runs of any method with the outcomes of their requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dcq.store.connect import Store
from dcq.store.rows import grouped, record, records


@dataclass(frozen=True)
class MethodRun:
    """A run of the kind ``method``. ``subject`` is the id of what it asks about, such as a quiz, a
    sample or another run. ``asked`` of its ``items`` requests have an answer, ``replies`` one that
    is no error, the last of these at ``answered_at``; times are UTC. ``task`` and ``language`` are
    those it was asked with (``dcq.store.runs.Plan``)."""

    run: str
    method: str
    subject: str
    sample: str
    model: str
    prompt: str
    task: str
    language: str
    items: int
    asked: int
    replies: int
    made_at: datetime
    answered_at: datetime | None


@dataclass(frozen=True)
class ReadAnswer:
    """The outcome of one request, as stored; ``value`` is what the reply was read as."""

    position: int
    outcome: str
    value: str | None
    reason: str
    reply: str | None


def runs_of(store: Store, methods: Sequence[str]) -> list[MethodRun]:
    """All runs of these kinds, newest first."""
    with store.read() as db:
        return records(
            db.execute(
                "SELECT r.id AS run, r.method, r.subject, r.sample_id AS sample, r.model, "
                "r.prompt, r.task, r.language, r.items, count(a.position) AS asked, "
                "count(a.position) FILTER (a.outcome <> 'error') AS replies, r.made_at, "
                "max(a.made_at) FILTER (a.outcome <> 'error') AS answered_at "
                "FROM judged_run r LEFT JOIN final_answer a ON a.run_id = r.id "
                "WHERE r.method IN (SELECT unnest(?::VARCHAR[])) "
                "GROUP BY ALL ORDER BY r.made_at DESC, r.id DESC",
                [list(methods)],
            ),
            MethodRun,
        )


def answers(store: Store, run_id: str, *, replies: bool = True) -> dict[int, ReadAnswer]:
    """The answers of a run that count, by position. Replies can be long, so they are None unless
    ``replies`` is True."""
    return answers_by_run(store, [run_id], replies=replies).get(run_id, {})


def answers_by_run(
    store: Store, run_ids: Sequence[str], *, replies: bool = True
) -> dict[str, dict[int, ReadAnswer]]:
    """As ``answers``, of many runs; those without an answer are left out."""
    if not run_ids:
        return {}
    reply = "reply" if replies else "NULL"
    marks = ",".join("?" * len(run_ids))  # not a list: of one run DuckDB then reads its rows alone
    with store.read() as db:
        rows = grouped(
            db.execute(
                f"SELECT run_id, position, outcome, value, reason, {reply} FROM final_answer "  # noqa: S608  (our own names)
                f"WHERE run_id IN ({marks}) ORDER BY run_id, position",
                list(run_ids),
            )
        )
    return {run: {row[0]: ReadAnswer(*row) for row in of_run} for run, of_run in rows.items()}


def answer_at(store: Store, run_id: str, position: int) -> ReadAnswer | None:
    """The answer of a run to one request; None if it has none that counts."""
    with store.read() as db:
        return record(
            db.execute(
                "SELECT * FROM final_answer WHERE run_id = ? AND position = ?", [run_id, position]
            ),
            ReadAnswer,
        )
