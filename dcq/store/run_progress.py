"""How far runs have come and who was asked, as screens show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dcq.store.connect import Store

if TYPE_CHECKING:  # takes half a second to import, which not every reader needs
    import pandas as pd


def progress(store: Store, run_ids: Sequence[str]) -> pd.DataFrame:
    """How far runs are: run, quiz, model, mode, by_batch, partition, title, split_title, kind,
    items, quiz_items, done, errors, correct, chosen (counts of A to E), refused, invalid, calls,
    tokens_in, tokens_out, reported_in, reported_out (those of answers whose usage was reported),
    unreported_in (of replies whose usage was not: bytes of the prompt, once), lost_usd (at most,
    for calls that left no answer), price_in, price_out, budget_usd, max_calls, made_at, started,
    done_since (answers since then), last_answer, event, event_at, detail, stopped_at_look; newest
    run first."""
    with store.read() as db:
        return db.execute(
            """
            WITH wanted AS (SELECT * FROM run WHERE id IN (SELECT unnest(?))),
            state AS (
                SELECT run_id, arg_max(event, seq) AS event, arg_max(detail, seq) AS detail,
                    max(made_at) AS event_at, max(made_at) FILTER (event = 'started') AS started
                FROM run_event WHERE run_id IN (SELECT unnest(?)) GROUP BY ALL),
            told AS (
                SELECT a.run_id, count(*) AS done,
                    count(*) FILTER (a.made_at >= e.started) AS done_since,
                    count(*) FILTER (a.outcome = 'error') AS errors,
                    count(*) FILTER (a.outcome = 'refused') AS refused,
                    count(*) FILTER (a.outcome = 'invalid') AS invalid,
                    count(*) FILTER (a.value = chr(65 + i.correct)) AS correct,
                    [count(*) FILTER (a.value = 'A'), count(*) FILTER (a.value = 'B'),
                     count(*) FILTER (a.value = 'C'), count(*) FILTER (a.value = 'D'),
                     count(*) FILTER (a.value = 'E')] AS chosen,
                    max(a.made_at) AS last_answer
                FROM final_answer a JOIN wanted w ON w.id = a.run_id
                JOIN state e ON e.run_id = a.run_id
                JOIN item i ON i.quiz_id = w.quiz_id AND i.position = a.position GROUP BY ALL),
            spent AS (
                SELECT run_id, sum(calls) AS calls, sum(tokens_in) AS tokens_in,
                    sum(tokens_out) AS tokens_out,
                    sum(tokens_in) FILTER (usage_reported) AS reported_in,
                    sum(tokens_out) FILTER (usage_reported) AS reported_out,
                    sum(tokens_in / calls) FILTER (NOT usage_reported AND outcome <> 'error')
                        AS unreported_in
                FROM answer WHERE run_id IN (SELECT unnest(?)) GROUP BY ALL)
            SELECT w.id AS run, w.quiz_id AS quiz, w.model, w.mode, w.by_batch,
                s.partition_id AS partition, n.shown_title AS title, n.split_title, q.kind,
                w.items, q.items AS quiz_items,
                coalesce(t.done, 0) AS done,
                coalesce(t.errors, 0) AS errors,
                coalesce(t.refused, 0) AS refused, coalesce(t.invalid, 0) AS invalid,
                coalesce(t.correct, 0) AS correct, coalesce(t.chosen, [0,0,0,0,0]) AS chosen,
                greatest(coalesce(p.calls, 0), w.calls) AS calls,
                coalesce(p.tokens_in, 0) AS tokens_in,
                coalesce(p.tokens_out, 0) AS tokens_out,
                coalesce(p.reported_in, 0) AS reported_in,
                coalesce(p.reported_out, 0) AS reported_out,
                coalesce(p.unreported_in, 0) AS unreported_in,
                coalesce(w.lost_usd, 0) AS lost_usd,
                w.price_in, w.price_out, w.budget_usd, w.max_calls, w.made_at, e.started,
                coalesce(t.done_since, 0) AS done_since, t.last_answer,
                e.event, e.event_at, e.detail,
                EXISTS (SELECT 1 FROM look WHERE look.run_id = w.id
                    AND look.decision IN ('seen', 'futile')) AS stopped_at_look
            FROM wanted w JOIN quiz q ON q.id = w.quiz_id JOIN sample s ON s.id = q.sample_id
            JOIN partition_now n ON n.id = s.partition_id
            LEFT JOIN told t ON t.run_id = w.id LEFT JOIN spent p ON p.run_id = w.id
            JOIN state e ON e.run_id = w.id ORDER BY w.made_at DESC
            """,
            [list(run_ids)] * 3,
        ).df()


def newest_events(store: Store, *, limit: int = 200) -> pd.DataFrame:
    """The newest event of each of the newest runs: run, event, at; newest run first."""
    with store.read() as db:
        return db.execute(
            "SELECT r.id AS run, arg_max(e.event, e.seq) AS event, max(e.made_at) AS at "
            "FROM (SELECT id, made_at FROM run ORDER BY made_at DESC LIMIT ?) r "
            "JOIN run_event e ON e.run_id = r.id GROUP BY r.id, r.made_at ORDER BY r.made_at DESC",
            [limit],
        ).df()


def models(store: Store) -> list[str]:
    """Names of the models that have been asked, the latest first."""
    with store.read() as db:
        rows = db.execute(
            "SELECT model FROM run GROUP BY model ORDER BY max(made_at) DESC"
        ).fetchall()
    return [model for (model,) in rows]
