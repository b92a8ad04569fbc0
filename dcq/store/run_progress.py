"""The progress of runs and the models they ask, as screens show it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from dcq.records import QuizKind
from dcq.store.connect import Store
from dcq.store.rows import column, records
from dcq.store.runs import Event, events_now


@dataclass(frozen=True)
class RunProgress:
    """The progress of a run, its cost, and its newest event.

    ``items`` is how many questions it asks, ``quiz_items`` how many its quiz has (as many, where it
    is of another method); ``done`` of them have an answer, ``done_since`` of those since it was
    ``started`` last. ``reported_in`` and ``reported_out`` are the tokens of answers whose usage was
    reported, ``unreported_in`` the bytes of the prompt, once, of replies whose usage was not;
    ``lost_usd`` is the most that calls can have cost that left no answer. Prices are USD per
    million tokens, None where unknown; so many of the tokens (``earlier_in``, ``earlier_out``) were
    charged ``earlier_usd`` at earlier prices, at most at the ``dearest``; a budget or a cap on
    calls is None where there is none. Times are UTC.
    """

    run: str
    method: str
    subject: str
    model: str
    by_batch: bool
    partition: str
    title: str
    split_title: str
    kind: QuizKind | None
    items: int
    quiz_items: int
    done: int
    done_since: int
    errors: int
    refused: int
    invalid: int
    correct: int
    calls: int
    tokens_in: int
    tokens_out: int
    reported_in: int
    reported_out: int
    unreported_in: float
    lost_usd: float
    price_in: float | None
    price_out: float | None
    budget_usd: float | None
    max_calls: int | None
    made_at: datetime
    started: datetime | None
    event: Event
    event_at: datetime
    detail: str
    stopped_at_look: bool
    earlier_in: int = 0
    earlier_out: int = 0
    earlier_usd: float = 0.0
    dearest_in: float | None = None
    dearest_out: float | None = None


@dataclass(frozen=True)
class NewestEvent:
    """The newest event of a run, and when it happened (UTC)."""

    run: str
    event: Event
    at: datetime


def progress(store: Store, run_ids: Sequence[str]) -> list[RunProgress]:
    """The progress of runs, newest first; those that the store does not have are left out."""
    if not run_ids:
        return []
    with store.read() as db:
        rows = db.execute(
            """
            WITH wanted AS (SELECT * FROM run WHERE id IN (SELECT unnest(?))),
            state AS (
                SELECT run_id, arg_max(event, seq) AS event, arg_max(detail, seq) AS detail,
                    max(made_at) AS event_at, max(made_at) FILTER (event = 'started') AS started
                FROM run_event WHERE run_id IN (SELECT id FROM wanted) GROUP BY ALL),
            counted AS (
                SELECT a.run_id, count(*) AS done,
                    count(*) FILTER (a.made_at >= e.started) AS done_since,
                    count(*) FILTER (a.outcome = 'error') AS errors,
                    count(*) FILTER (a.outcome = 'refused') AS refused,
                    count(*) FILTER (a.outcome = 'invalid') AS invalid,
                    count(*) FILTER (a.value = chr(65 + i.correct)) AS correct
                FROM final_answer a JOIN wanted w ON w.id = a.run_id
                JOIN state e ON e.run_id = a.run_id
                LEFT JOIN item i ON i.quiz_id = w.subject AND i.position = a.position
                GROUP BY ALL),
            spent AS (
                SELECT run_id, sum(calls) AS calls, sum(tokens_in) AS tokens_in,
                    sum(tokens_out) AS tokens_out,
                    sum(tokens_in) FILTER (usage_reported) AS reported_in,
                    sum(tokens_out) FILTER (usage_reported) AS reported_out,
                    sum(tokens_in / calls) FILTER (NOT usage_reported AND outcome <> 'error')
                        AS unreported_in
                FROM answer WHERE run_id IN (SELECT id FROM wanted) GROUP BY ALL)
            SELECT w.id AS run, w.method, w.subject, w.model, w.by_batch,
                s.partition_id AS partition, n.shown_title AS title,
                n.shown_split AS split_title, q.kind, w.items,
                coalesce(q.items, w.items) AS quiz_items,
                coalesce(t.done, 0) AS done,
                coalesce(t.errors, 0) AS errors,
                coalesce(t.refused, 0) AS refused, coalesce(t.invalid, 0) AS invalid,
                coalesce(t.correct, 0) AS correct,
                greatest(coalesce(p.calls, 0), w.calls) AS calls,
                coalesce(p.tokens_in, 0) AS tokens_in,
                coalesce(p.tokens_out, 0) AS tokens_out,
                coalesce(p.reported_in, 0) AS reported_in,
                coalesce(p.reported_out, 0) AS reported_out,
                coalesce(p.unreported_in, 0) AS unreported_in,
                coalesce(w.lost_usd, 0) AS lost_usd,
                coalesce(x.earlier_in, 0) AS earlier_in,
                coalesce(x.earlier_out, 0) AS earlier_out,
                coalesce(x.earlier_usd, 0) AS earlier_usd, x.dearest_in, x.dearest_out,
                w.price_in, w.price_out, w.budget_usd, w.max_calls, w.made_at, e.started,
                coalesce(t.done_since, 0) AS done_since,
                e.event, e.event_at, e.detail,
                EXISTS (SELECT 1 FROM look WHERE look.run_id = w.id
                    AND look.decision IN ('seen', 'futile')) AS stopped_at_look
            FROM wanted w LEFT JOIN quiz q ON q.id = w.subject JOIN sample s ON s.id = w.sample_id
            JOIN partition_now n ON n.id = s.partition_id
            LEFT JOIN counted t ON t.run_id = w.id LEFT JOIN spent p ON p.run_id = w.id
            LEFT JOIN charged_earlier x ON x.run_id = w.id
            JOIN state e ON e.run_id = w.id ORDER BY w.made_at DESC
            """,
            [list(run_ids)],
        )
        return records(rows, RunProgress)


def newest_events(store: Store, *, method: str, limit: int = 200) -> list[NewestEvent]:
    """The newest event of each of the newest runs of a method; newest run first."""
    with store.read() as db:
        rows = db.execute(
            "WITH r AS (SELECT id, made_at FROM run WHERE method = ? ORDER BY made_at DESC LIMIT ?)"  # noqa: S608  (our own words)
            " SELECT r.id AS run, e.event, e.made_at AS at FROM r "
            f"JOIN {events_now('SELECT id FROM r')} e "
            "ON e.run_id = r.id ORDER BY r.made_at DESC",
            [method, limit],
        )
        return records(rows, NewestEvent)


# Runs that asked a language model. Others asked a service or read a corpus, or are of the offline
# generator, whose rewordings have no protocol.
_ASKED_A_MODEL = """
    SELECT r.model FROM run r LEFT JOIN rewording w ON w.id = r.subject
    WHERE r.method NOT IN ('search', 'crawl', 'scan')
        AND w.protocol IS DISTINCT FROM ''"""


_HERE = "r.id IN (SELECT id FROM own_run)"


def begun(store: Store) -> list[NewestEvent]:
    """The newest event of each run that has been started, and has not ended by it."""
    with store.read() as db:
        rows = db.execute(
            "SELECT run_id AS run, arg_max(event, seq) AS event, arg_max(made_at, seq) AS at "
            "FROM run_event GROUP BY run_id "
            "HAVING arg_max(event, seq) IN ('started', 'cancel requested')"
        )
        return records(rows, NewestEvent)


def models(store: Store, *, imported: bool = False, by: Collection[str] | None = None) -> list[str]:
    """The names of the language models that have been asked here, the latest first; ``imported``:
    also of those that appear only in a run from elsewhere; ``by`` only in runs of these kinds."""
    where = "true" if imported else _HERE
    with store.read() as db:
        return column(
            db.execute(
                f"{_ASKED_A_MODEL} AND {where} AND (?::VARCHAR[] IS NULL OR r.method IN "
                "(SELECT unnest(?))) GROUP BY r.model ORDER BY max(r.made_at) DESC",
                [None if by is None else list(by)] * 2,
            )
        )


def last_model(store: Store) -> str | None:
    """The language model of the newest run here that has a reply and is no judge's; None while
    there is none."""
    with store.read() as db:
        row = db.execute(
            f"{_ASKED_A_MODEL} AND {_HERE} AND r.method <> 'judge' AND EXISTS ("
            "FROM answer a WHERE a.run_id = r.id AND a.outcome <> 'error') "
            "ORDER BY r.made_at DESC LIMIT 1"
        ).fetchone()
    return None if row is None else str(row[0])
