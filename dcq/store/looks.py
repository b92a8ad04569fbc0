"""Planned looks at runs before their end, and the result of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from dcq.errors import InputError
from dcq.store.connect import Store, utc_now
from dcq.store.rows import grouped, insert_records, records


@dataclass(frozen=True)
class LookPlan:
    """The plan of looks at a run, fixed before its first call. One entry for each look have ``n``,
    the instances asked about by then, ``limits``, the p-values at or below which the run ends, and
    ``times``, the information fractions. ``controls`` are the ids of the runs that it is compared
    with; ``futility``: it may also end because an effect has become unlikely."""

    n: tuple[int, ...]
    limits: tuple[float, ...]
    times: tuple[float, ...]
    controls: tuple[str, ...]
    futility: bool


@dataclass(frozen=True)
class Look:
    """One look: ``place`` in the plan from 0, after ``n`` instances. The run ends if ``p_value`` is
    at most ``limit``; it is None where no instance was complete. ``decision`` is the value of a
    ``dcq.quiz.looks.LookDecision``."""

    place: int
    n: int
    p_value: float | None
    limit: float
    decision: str
    at: datetime


@dataclass(frozen=True)
class _PlanOfRun:
    run_id: str
    looks: LookPlan


def save_plan(store: Store, run_id: str, looks: LookPlan) -> None:
    """Store the plan of looks at a run. Raises ``InputError`` if the run has answers, because they
    may not influence when to look."""
    with store.write() as db:
        _check_no_answers(db, run_id)
        db.execute("DELETE FROM planned_looks WHERE run_id = ?", [run_id])
        insert_records(db, "planned_looks", [looks], run_id=run_id, made_at=utc_now())


def check_no_answers(store: Store, run_id: str) -> None:
    """Raise ``InputError`` if the run has answers, so that looks can no longer be planned."""
    with store.read() as db:
        _check_no_answers(db, run_id)


def _check_no_answers(db: duckdb.DuckDBPyConnection, run_id: str) -> None:
    if db.execute("SELECT 1 FROM answer WHERE run_id = ? LIMIT 1", [run_id]).fetchone():
        raise InputError(
            f"Run {run_id} was begun without planned looks; go on with it without --sequential."
        )


def plans_of(store: Store, run_ids: Sequence[str] | None = None) -> dict[str, LookPlan]:
    """The plans of these runs, or of all, by run; runs without one are left out."""
    with store.read() as db:
        rows = db.execute(
            "SELECT * FROM planned_looks "
            "WHERE ? IS NULL OR run_id IN (SELECT unnest(?::VARCHAR[]))",
            [*_run_filter(run_ids)],
        )
        return {found.run_id: found.looks for found in records(rows, _PlanOfRun)}


def add(store: Store, run_id: str, look: Look) -> None:
    """Store the result of a look; a stored look is never overwritten."""
    with store.write() as db:
        db.execute(
            "INSERT OR IGNORE INTO look VALUES (?,?,?,?,?,?,?)",
            [run_id, look.place, look.n, look.p_value, look.limit, look.decision, look.at],
        )


def looks_of(store: Store, run_ids: Sequence[str] | None = None) -> dict[str, list[Look]]:
    """The looks made at these runs, or at all runs, by run and in order."""
    with store.read() as db:
        rows = db.execute(
            "SELECT * FROM look WHERE ? IS NULL OR run_id IN (SELECT unnest(?::VARCHAR[])) "
            "ORDER BY run_id, place",
            [*_run_filter(run_ids)],
        )
        return {run: [Look(*look) for look in looks] for run, looks in grouped(rows).items()}


def _run_filter(run_ids: Sequence[str] | None) -> tuple[bool | None, list[str]]:
    """The two parameters of SQL that select these runs, or all."""
    return (None, []) if run_ids is None else (True, list(run_ids))
