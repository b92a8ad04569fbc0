"""Conclusions as they were reached: a row whenever one differed from the last time. Rows are only
added."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime

import duckdb

from dcq.records import PartitionRole
from dcq.store.connect import Store
from dcq.store.rows import insert_records, newest_rows, records
from dcq.store.studies import Study

Subject = tuple[str, str, str]  # a study, a model, and a partition as ``key/split``


@dataclass(frozen=True)
class KeptResult:
    """A result that a conclusion rests on: ``name`` for people, its run with ``n`` answers, the
    runs of the controls that count, the names of the checks that it failed, its p-value, and
    whether it counts."""

    name: str
    run: str
    n: int
    controls: tuple[str, ...]
    bad: tuple[str, ...]
    p_value: float | None
    votes: bool


@dataclass(frozen=True)
class Conclusion:
    """What a ``revision`` of a study said at ``made_at`` (UTC) of a model and a partition, by this
    ``rule`` and ``version`` of dcq; ``pairs`` are corrected together."""

    study: str
    revision: int
    model: str
    partition_id: str
    rule: int
    version: str
    ruling: str
    p_value: float | None
    q_value: float | None
    sentence: str
    pairs: int
    results: tuple[KeptResult, ...]
    made_at: datetime

    @property
    def subject(self) -> Subject:
        """What it is about."""
        return self.study, self.model, self.partition_id

    def same(self, other: Conclusion) -> bool:
        """True if two conclusions say the same, apart from the time. The sentence follows from the
        rest, and another machine's arithmetic may differ in the last digits."""
        numbers = [(self.p_value, other.p_value), (self.q_value, other.q_value)]
        if len(self.results) != len(other.results):
            return False
        numbers += [
            (mine.p_value, theirs.p_value)
            for mine, theirs in zip(self.results, other.results, strict=True)
        ]
        return all(_close(*pair) for pair in numbers) and _exact(self) == _exact(other)


History = Mapping[Subject, Sequence[Conclusion]]


def history(store: Store, studies: Collection[str]) -> dict[Subject, list[Conclusion]]:
    """The conclusions of each study by subject, oldest first."""
    with store.read() as db:
        return _read(db, studies)


def newest(store: Store, within: Study) -> list[Conclusion]:
    """The last conclusion that a study's rule came to on each of its targets. Of all that is in a
    store these are those of each benchmark's own study."""
    with store.read() as db:
        rows = db.execute(
            f"SELECT * FROM {newest_rows('conclusion', 'study', 'model', 'partition_id')} "  # noqa: S608  (our own names)
            "WHERE rule = ? AND partition_id IN (SELECT id FROM partition_now WHERE role = ?) "
            "ORDER BY seq",
            [within.rule, PartitionRole.TARGET],
        )
        last = records(rows, Conclusion)
    return [entry for entry in last if entry.study == within.own(entry.partition_id)]


def add(store: Store, conclusions: Sequence[Conclusion]) -> int:
    """Store the conclusions that differ from the last ones on the same subject; returns how many.
    Another process may have stored them since they were compared."""
    with store.write() as db:
        stored = _read(db, {entry.study for entry in conclusions})
        new = [entry for entry in conclusions if differs(stored, entry)]
        insert_records(db, "conclusion", new)
    return len(new)


def differs(before: History, conclusion: Conclusion) -> bool:
    """True if a conclusion differs from the last one on its subject."""
    last = before.get(conclusion.subject)
    return not last or not last[-1].same(conclusion)


def places(store: Store, run_ids: Iterable[str]) -> dict[str, tuple[str, str, str]]:
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
    db: duckdb.DuckDBPyConnection, studies: Collection[str]
) -> dict[Subject, list[Conclusion]]:
    rows = db.execute(
        "SELECT * FROM conclusion WHERE study IN (SELECT unnest(?::VARCHAR[])) ORDER BY seq",
        [list(studies)],
    )
    by_subject: dict[Subject, list[Conclusion]] = {}
    for conclusion in records(rows, Conclusion):
        by_subject.setdefault(conclusion.subject, []).append(conclusion)
    return by_subject


def _exact(conclusion: Conclusion) -> dict[str, object]:
    apart = {"p_value", "q_value", "sentence", "made_at"}
    return {
        field.name: getattr(conclusion, field.name)
        for field in fields(Conclusion)
        if field.name not in apart
    } | {"results": [replace(result, p_value=None) for result in conclusion.results]}


def _close(value: float | None, other: float | None) -> bool:
    if value is None or other is None:
        return value is other
    return math.isclose(value, other, rel_tol=1e-6)
