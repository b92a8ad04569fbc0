"""Verdicts as they were shown: a row whenever one differed from the last time. Rows are only
added."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime

import duckdb

from dcq.store.connect import Store
from dcq.store.rows import insert_records, records


@dataclass(frozen=True)
class ShownVerdict:
    """A verdict as shown at ``made_at`` (UTC), and the facts that it rested on: see the step
    ``m032_verdicts_shown``."""

    study: str
    model: str
    partition_id: str
    kind: str
    slot: int | None
    prompt: str
    ruling: str
    p_value: float | None
    q_value: float | None
    run_id: str
    n: int
    controls: tuple[str, ...]
    family: int
    bad: tuple[str, ...]
    version: str
    made_at: datetime

    @property
    def key(self) -> tuple[object, ...]:
        """The result that it is about."""
        return self.study, self.model, self.partition_id, self.kind, self.slot, self.prompt

    def same(self, other_verdict: ShownVerdict) -> bool:
        """True if two shown verdicts on one result say the same, apart from the time."""
        numbers = ((self.p_value, other_verdict.p_value), (self.q_value, other_verdict.q_value))
        return all(map(_close, *zip(*numbers, strict=True))) and all(
            getattr(self, name) == getattr(other_verdict, name) for name in _EXACT
        )


_EXACT = {field.name for field in fields(ShownVerdict)} - {"p_value", "q_value", "made_at"}


def history(store: Store, study: str) -> dict[tuple[object, ...], list[ShownVerdict]]:
    """The verdicts shown for each result of a study, oldest first."""
    with store.read() as db:
        return _read(db, study)


def add(store: Store, study: str, verdicts: Sequence[ShownVerdict]) -> int:
    """Store the verdicts that differ from those last shown for the same result; returns how
    many."""
    with store.write() as db:
        stored_verdicts = _read(
            db, study
        )  # another process may have kept them since they were compared
        new = [verdict for verdict in verdicts if differs(stored_verdicts, verdict)]
        insert_records(db, "verdict", new)
    return len(new)


def differs(verdicts: dict[tuple[object, ...], list[ShownVerdict]], verdict: ShownVerdict) -> bool:
    """True if a verdict differs from the one last shown."""
    before = verdicts.get(verdict.key)
    return not before or not before[-1].same(verdict)


def places(store: Store, run_ids: Sequence[str]) -> dict[str, tuple[str, str, str]]:
    """The partition of each run, with the two parts of its name on screens."""
    with store.read() as db:
        rows = db.execute(
            "SELECT r.id, p.id, p.shown_title, p.shown_split AS split_title FROM run r "
            "JOIN sample s ON s.id = r.sample_id JOIN partition_now p ON p.id = s.partition_id "
            "WHERE r.id IN (SELECT unnest(?::VARCHAR[]))",
            [list(run_ids)],
        ).fetchall()
    return {run: (partition, title, split) for run, partition, title, split in rows}


def _read(
    db: duckdb.DuckDBPyConnection, study: str
) -> dict[tuple[object, ...], list[ShownVerdict]]:
    verdicts_by_key: dict[tuple[object, ...], list[ShownVerdict]] = {}
    rows = db.execute("SELECT * FROM verdict WHERE study = ? ORDER BY seq", [study])
    for verdict in records(rows, ShownVerdict):
        verdicts_by_key.setdefault(verdict.key, []).append(verdict)
    return verdicts_by_key


def _close(value: float | None, other: float | None) -> bool:
    """The same number; another machine's arithmetic may differ in the last digits."""
    if value is None or other is None:
        return value is other
    return math.isclose(value, other, rel_tol=1e-6)
