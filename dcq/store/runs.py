"""Runs (one model taking one quiz, or asked by another method), their events and their answers.
Rows are only added.

Where a run to go on with is sought, runs of others are left out (``dcq.store.sources``).
"""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum

import duckdb

from dcq.errors import InputError, StoreError
from dcq.naming import check_model
from dcq.records import DatasetTask, Mode, Partition, QuizKind
from dcq.said import READER
from dcq.store import earlier_prices, readings, samples, sources
from dcq.store.connect import Store, utc_now
from dcq.store.earlier_prices import NONE_EARLIER, Earlier
from dcq.store.moment import RUNS, until_run_written, until_written_to
from dcq.store.rows import column, insert_records, newest_rows, records


class Event(StrEnum):
    """The events in the history of a run."""

    PLANNED = "planned"
    STARTED = "started"
    CANCEL_REQUESTED = "cancel requested"
    CANCELLED = "cancelled"
    FINISHED = "finished"
    STOPPED = "stopped"  # by a budget or a permanent error; the detail says which


@dataclass(frozen=True)
class Plan:
    """Everything about a run that is fixed before its first call. ``items`` is how many questions
    of the quiz are asked, from its start; prices are USD per million tokens, None where unknown;
    ``max_calls`` is a cap on calls with retries, None where there is none; ``method`` is the name
    of the method that asks, ``subject`` the id of what it asks about (a quiz, say) and
    ``sample_id`` the sample of that; ``by_batch``: through a batch API. ``dataset`` and ``split``
    are what its requests call the sample's partition; replies are read, and controls found, by
    ``task`` and ``language``. ``create`` takes these four from the partition."""

    subject: str
    sample_id: str
    model: str
    base_url: str
    prompt: str
    wording: str
    temperature: float
    max_tokens: int
    items: int
    concurrency: int
    budget_usd: float | None
    price_in: float | None
    price_out: float | None
    price_date: date | None
    version: str
    mode: Mode = Mode.LETTER
    max_calls: int | None = None
    method: str = "quiz"
    by_batch: bool = False
    dataset: str = ""
    split: str = ""
    task: str = ""
    language: str = ""


@dataclass(frozen=True)
class StoredRun:
    """A stored run, its time of creation, and its newest event."""

    id: str
    plan: Plan
    at: datetime
    event: Event
    detail: str
    event_at: datetime


def create(store: Store, plan: Plan) -> str:
    """Keep a new run; returns its id. Raises InputError for a model with a name that none has."""
    check_model(plan.model)
    now = utc_now()
    run_id = f"{now:%y%m%d}-{secrets.token_hex(4)}"
    with store.write([RUNS]) as db:
        insert_records(db, "run", [plan], id=run_id, made_at=now)
        note_partitions(db)
        db.execute(_NOTE, [run_id, Event.PLANNED, "", now])
        readings.note(db, run_id, READER)
    return run_id


def note_partitions(db: duckdb.DuckDBPyConnection, prefix: str = "") -> None:
    """Write down with runs what their partitions are called now, with task and language, where that
    was not done; the tables have this ``prefix``."""
    db.execute(
        f"UPDATE {prefix}run SET dataset = p.title, split = p.split_title, task = p.task, "  # noqa: S608  (our own names)
        f"language = p.language FROM {prefix}sample s JOIN {prefix}partition p "
        f"ON p.id = s.partition_id WHERE s.id = {prefix}run.sample_id AND {prefix}run.task = ''"
    )


def partition_asked(store: Store, plan: Plan) -> Partition:
    """The partition of a run's sample with the names, task and language that it was asked with."""
    return replace(
        samples.partition_of(store, plan.sample_id),
        title=plan.dataset,
        split_title=plan.split,
        task=DatasetTask(plan.task),
        language=plan.language,
    )


_NOTE = "INSERT INTO run_event (run_id, event, detail, made_at) VALUES (?,?,?,?)"


def note(store: Store, run_id: str, event: Event, detail: str = "") -> None:
    """Add an event to a run's history. Raises StoreError if the store has no such run."""
    store.check_there()
    # An endpoint's words, as the id of a batch, may hold what DuckDB refuses: half a surrogate.
    detail = detail.encode("utf-8", "replace").decode("utf-8")
    with store.write([run_id]) as db:
        newest_event(db, run_id)
        db.execute(_NOTE, [run_id, event, detail, utc_now()])


def events(store: Store, run_id: str) -> list[tuple[Event, str, datetime]]:
    """A run's history, oldest first."""
    with store.read() as db:
        rows = db.execute(
            "SELECT event, detail, made_at FROM run_event WHERE run_id = ? ORDER BY seq", [run_id]
        ).fetchall()
    return [(Event(event), detail, at) for event, detail, at in rows]


@until_run_written
def load(store: Store, run_id: str) -> StoredRun:
    """The run of this id, or of the only id that starts with it. Raises InputError if there is
    none, and for one of a bundle that was not taken in."""
    with store.read() as db:
        found = records(
            db.execute(
                "SELECT r.*, r.made_at AS at, e.event, e.detail, e.made_at AS event_at "
                "FROM run r, (FROM run_event WHERE starts_with(run_id, $run) "
                "ORDER BY seq DESC LIMIT 1) e WHERE starts_with(r.id, $run)",
                {"run": run_id},
            ),
            StoredRun,
        )
        if not found and (theirs := sources.run_of_others(store, run_id)):
            raise InputError(sources.refusal(*theirs))
        if len(found) != 1 or not run_id:
            raise InputError(
                f"{'No run' if not found else 'More than one run'} has the id {run_id!r}; "
                "`python -m dcq status` lists the runs."
            )
    return found[0]


def load_all(store: Store, run_ids: Collection[str]) -> dict[str, StoredRun]:
    """Those of these runs that are in the store, by their whole ids, in one reading."""
    with store.read() as db:
        found = records(
            db.execute(
                "SELECT r.*, r.made_at AS at, e.event, e.detail, e.made_at AS event_at FROM run r "  # noqa: S608  (our own words)
                f"JOIN {events_now('SELECT unnest($runs::VARCHAR[])')} e ON e.run_id = r.id",
                {"runs": list(run_ids)},
            ),
            StoredRun,
        )
    return {run.id: run for run in found}


def newest_run(
    store: Store,
    method: str | None,
    model: str | None,
    *,
    subject: str | None = None,
    sample_id: str | None = None,
    kind: QuizKind | None = None,
    own: bool = True,
) -> str | None:
    """The id of the newest run of ``all_of``, finished or not; None if there is none."""
    of = all_of(store, method, model, subject=subject, sample_id=sample_id, kind=kind, own=own)
    return next(iter(of), None)


def all_of(
    store: Store,
    method: str | None = None,
    model: str | None = None,
    *,
    subject: str | None = None,
    sample_id: str | None = None,
    kind: QuizKind | None = None,
    own: bool = True,
) -> list[str]:
    """Ids of the runs of a method, a model, a subject (a quiz, say, or another run), a sample and a
    kind of quiz, as far as they are given, newest first. Without ``own`` also those of others."""
    wanted = {"subject": subject, "sample_id": sample_id, "kind": kind}
    given = {name: value for name, value in wanted.items() if value is not None}
    return [
        run.id
        for run in _by_asker(store).get((method, model), ())
        if (run.own or not own) and all(getattr(run, name) == given[name] for name in given)
    ]


@dataclass(frozen=True)
class _ListedRun:
    """A run by what ``all_of`` looks for; ``kind`` is that of its quiz."""

    id: str
    method: str
    model: str
    subject: str
    sample_id: str
    kind: str | None
    own: bool


@until_written_to(RUNS)
def _by_asker(store: Store) -> Mapping[tuple[str | None, str | None], Sequence[_ListedRun]]:
    """All runs, newest first, by method and model; where one of these is None, by the other. They
    are read at once, because a study looks for hundreds."""
    with store.read() as db:
        found = records(
            db.execute(
                # By its first event, because a clock may have been set back since.
                "SELECT r.id, r.method, r.model, r.subject, r.sample_id, q.kind, "
                "o.id IS NOT NULL AS own FROM run r "
                "JOIN (SELECT run_id, min(seq) AS first FROM run_event GROUP BY run_id) e "
                "ON e.run_id = r.id LEFT JOIN own_run o ON o.id = r.id "
                "LEFT JOIN quiz q ON q.id = r.subject ORDER BY e.first DESC"
            ),
            _ListedRun,
        )
    by_asker: dict[tuple[str | None, str | None], list[_ListedRun]] = {}
    for run in found:
        for key in itertools.product((run.method, None), (run.model, None)):
            by_asker.setdefault(key, []).append(run)
    return by_asker


def exists(store: Store, run_id: str) -> bool:
    """Whether there is a run with exactly this id."""
    with store.read() as db:
        return db.execute("SELECT 1 FROM run WHERE id = ?", [run_id]).fetchone() is not None


@dataclass(frozen=True)
class Follower:
    """A run with the original at ``slot`` that was planned after another run."""

    id: str
    quiz_id: str
    slot: int


def followers(store: Store, run_id: str, kind: QuizKind) -> list[Follower]:
    """The runs of quizzes of this kind that the same model took of the same sample in the same
    words and mode, planned after the run; oldest first."""
    with store.read() as db:
        rows = db.execute(
            "SELECT r.id, q.id AS quiz_id, q.slot FROM run f JOIN quiz fq ON fq.id = f.subject "
            "JOIN quiz q ON q.sample_id = fq.sample_id AND q.kind = ? "
            "JOIN own_run r ON r.subject = q.id AND r.model = f.model AND r.prompt = f.prompt "
            "AND r.mode = f.mode "
            "JOIN run_event e ON e.run_id = r.id WHERE f.id = ? GROUP BY r.id, q.id, q.slot "
            "HAVING min(e.seq) > (SELECT min(seq) FROM run_event WHERE run_id = ?) "
            "ORDER BY min(e.seq)",
            [kind, run_id, run_id],
        )
        return records(rows, Follower)


def events_now(ids: str) -> str:
    """SQL for the newest event of each run whose id the query ``ids`` gives, as ``newest_rows``."""
    return newest_rows("run_event", "run_id", where=f"run_id IN ({ids})")


def newest_event(db: duckdb.DuckDBPyConnection, run_id: str) -> Event:
    """The newest event of a run. Raises StoreError if there is no such run."""
    events_of_run = column(
        db.execute(
            "SELECT event FROM run_event WHERE run_id = ? ORDER BY seq DESC LIMIT 1", [run_id]
        )
    )
    if not events_of_run:  # create() writes the first event with the run
        raise StoreError(f"The store no longer has run {run_id}; put it back and resume.")
    return Event(events_of_run[0])


@dataclass(frozen=True)
class Spent:
    """The calls, tokens and money of a run. ``calls`` includes those that left no answer, whose
    tokens are unknown and which cost ``lost_usd`` at most. Some of the tokens may be charged at
    ``earlier`` prices."""

    calls: int
    tokens_in: int
    tokens_out: int
    lost_usd: float = 0.0
    earlier: Earlier = NONE_EARLIER


@until_run_written
def spent(store: Store, run_id: str) -> Spent:
    """The money and tokens that a run has used so far."""
    with store.read() as db:
        row = db.execute(
            "SELECT greatest(coalesce(sum(calls), 0), (SELECT calls FROM run WHERE id = ?)), "
            "coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), "
            "(SELECT coalesce(lost_usd, 0) FROM run WHERE id = ?) "
            "FROM answer WHERE run_id = ?",
            [run_id, run_id, run_id],
        ).fetchone()
        earlier = earlier_prices.total(db, run_id)
    calls, tokens_in, tokens_out, lost_usd = (value or 0 for value in row or (0, 0, 0, 0))
    return Spent(int(calls), int(tokens_in), int(tokens_out), float(lost_usd), earlier)


def over_limit(store: Store, plan: Plan) -> int:
    """By how many tokens a call of the plan's model has passed the limit of its run, in one's own
    runs; 0 where none has."""
    with store.read() as db:
        row = db.execute(
            "SELECT max(a.tokens_out // greatest(a.calls, 1) - r.max_tokens) FROM answer a "
            "JOIN own_run r ON r.id = a.run_id WHERE r.model = ? AND r.base_url = ?",
            [plan.model, plan.base_url],
        ).fetchone()
    return max(0, int(row[0] or 0)) if row else 0


def note_unanswered(store: Store, run_id: str, calls: int, lost_usd: float) -> None:
    """Store how many calls a run has made in all, and the most that calls without an answer can
    have cost (USD): calls that stopped it, or whose process was killed."""
    store.check_there()
    with store.write([run_id]) as db:
        db.execute("UPDATE run SET calls = ?, lost_usd = ? WHERE id = ?", [calls, lost_usd, run_id])


def listing(store: Store, *, limit: int = 200) -> list[str]:
    """Ids of the newest runs, newest first."""
    with store.read() as db:
        return column(db.execute("SELECT id FROM run ORDER BY made_at DESC LIMIT ?", [limit]))


def replan(
    store: Store,
    run_id: str,
    *,
    items: int,
    budget_usd: float | None,
    max_calls: int | None,
    concurrency: int,
) -> None:
    """Change how far a run goes, what it may spend, and how many calls it has in flight."""
    with store.write([run_id]) as db:
        db.execute(
            "UPDATE run SET items = ?, budget_usd = ?, max_calls = ?, concurrency = ? WHERE id = ?",
            [items, budget_usd, max_calls, concurrency, run_id],
        )


def reprice(
    store: Store,
    run_id: str,
    *,
    price_in: float | None,
    price_out: float | None,
    price_date: date | None,
) -> None:
    """Change the price of a run: USD per million tokens, None where unknown, and its date. What was
    asked before is charged as it was, except in a run that was imported."""
    with store.write([run_id]) as db:
        row = db.execute("SELECT price_in, price_out FROM run WHERE id = ?", [run_id]).fetchone()
        if row != (price_in, price_out):
            earlier_prices.close(db, run_id)
        db.execute(
            "UPDATE run SET price_in = ?, price_out = ?, price_date = ? WHERE id = ?",
            [price_in, price_out, price_date, run_id],
        )
