"""The answers of a run as they come in, and stored answers to earlier identical requests. Rows are
only added."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC

import duckdb

from dcq.records import Answer, Outcome
from dcq.store.connect import Store
from dcq.store.moment import until_run_written
from dcq.store.rows import column, insert_rows, records
from dcq.store.runs import Event, Plan, newest_event

_ROOM = 64  # tokens; a limit is moved by fewer where an endpoint names a least value


def add_answers(store: Store, run_id: str, answers: Sequence[Answer]) -> Event:
    """Store a batch of answers, if any. Returns the run's newest event, so that the writer learns
    of a wish to cancel without opening the store once more. An attempt that is stored already is
    left as it is. Raises StoreError, and stores nothing, if the store has no such run."""
    store.check_there()
    if not answers:
        with store.read() as db:
            return newest_event(db, run_id)
    try:
        return _add(store, run_id, answers)
    except duckdb.Error:  # about one of the values: the store's own trouble is a StoreError
        return [_add_alone(store, run_id, answer) for answer in answers][-1]


def _add_alone(store: Store, run_id: str, answer: Answer) -> Event:
    """Store one answer; where the store cannot hold it, a failed one with the reason."""
    try:
        return _add(store, run_id, [answer])
    except duckdb.Error:
        bare = replace(
            answer,
            outcome=Outcome.ERROR,
            value=None,
            reason="the reply could not be stored",
            reply=None,
            tokens_in=_fitting(answer.tokens_in),
            tokens_out=_fitting(answer.tokens_out),
            logprobs=None,
            served_model=None,
            fingerprint=None,
            usage_reported=False,
        )
        return _add(store, run_id, [bare])


def _fitting(count: int) -> int:
    """The count, or what its column can hold."""
    return min(max(count, 0), 2**31 - 1)


def _add(store: Store, run_id: str, answers: Sequence[Answer]) -> Event:
    with store.write([run_id]) as db:
        event = newest_event(db, run_id)
        # Two processes at work on one run, as through two names of one file, answer twice; a second
        # row would count as a second question.
        stored_keys = set(
            db.execute(
                "SELECT position, attempt FROM answer "
                "WHERE run_id = ? AND position IN (SELECT unnest(?))",
                [run_id, [answer.position for answer in answers]],
            ).fetchall()
        )
        new = {(a.position, a.attempt): a for a in reversed(answers)}  # the first of equals
        insert_rows(
            db,
            "answer",
            (
                *("run_id", "position", "attempt", "outcome", "value", "reason", "reply"),
                *("prompt_sha256", "tokens_in", "tokens_out", "seconds", "calls", "sent"),
                *("logprobs", "made_at", "usage_reported", "served_model", "fingerprint"),
            ),
            [
                [
                    *(run_id, a.position, a.attempt, a.outcome, a.value, a.reason, a.reply),
                    *(a.prompt_sha256, a.tokens_in, a.tokens_out, a.seconds, a.calls),
                    json.dumps(dict(a.sent), sort_keys=True),
                    None if a.logprobs is None else json.dumps(dict(a.logprobs)),
                    a.at.astimezone(UTC).replace(tzinfo=None),
                    *(a.usage_reported, a.served_model, a.fingerprint),
                ]
                for key, a in reversed(new.items())
                if key not in stored_keys
            ],
        )
        return event


def answered_and_failed(store: Store, run_id: str) -> tuple[set[int], dict[int, int]]:
    """The positions with an answer that counts, and the number of attempts so far at positions
    whose newest attempt is an error."""
    done, failed = _answered_and_failed(store, run_id)
    return set(done), dict(failed)


@until_run_written
def _answered_and_failed(store: Store, run_id: str) -> tuple[frozenset[int], Mapping[int, int]]:
    with store.read() as db:
        rows = db.execute(
            "SELECT position, attempt, outcome = 'error' FROM final_answer WHERE run_id = ?",
            [run_id],
        ).fetchall()
    done = frozenset(position for position, _, failed in rows if not failed)
    return done, {position: attempt for position, attempt, failed in rows if failed}


def lost_reasons(store: Store, run_id: str) -> dict[tuple[Outcome, str], int]:
    """How many replies of a run cannot be used, by outcome and reason, the commonest first; empty
    where any reply can be used, or none came."""
    with store.read() as db:
        rows = db.execute(
            "SELECT outcome, reason, count(*) AS n FROM final_answer WHERE run_id = ? GROUP BY ALL "
            "ORDER BY n DESC, outcome, reason",
            [run_id],
        ).fetchall()
    counts = {(Outcome(outcome), reason): n for outcome, reason, n in rows}
    usable = {Outcome.ANSWERED, Outcome.NONE}
    return {} if any(outcome in usable for outcome, _ in counts) else counts


def find(
    store: Store, plan: Plan, prompt_hashes: Sequence[str], *, logprobs: bool = False
) -> dict[str, tuple[str, Answer]]:
    """The newest answer to each prompt that was sent as ``plan`` would send it, with its run's id,
    by prompt hash. Errors do not count, nor answers that were themselves taken from another run.
    ``logprobs``: only answers that have log-probabilities."""
    with store.read() as db:
        rows = db.execute(
            # Whether its usage was reported is told of the call itself.
            "SELECT a.* REPLACE (true AS usage_reported), a.made_at AS at FROM answer a "
            "JOIN own_run r ON r.id = a.run_id "
            "WHERE r.model = ? AND r.base_url = ? AND r.mode = ? AND r.temperature = ? "
            "AND r.max_tokens = ? AND a.prompt_sha256 IN (SELECT unnest(?::VARCHAR[])) "
            "AND a.outcome <> 'error' AND a.calls > 0 AND (NOT ? OR a.logprobs IS NOT NULL) "
            "QUALIFY row_number() OVER "
            "(PARTITION BY a.prompt_sha256 ORDER BY a.made_at DESC, a.run_id, a.position) = 1",
            [
                plan.model,
                plan.base_url,
                plan.mode,
                plan.temperature,
                plan.max_tokens,
                list(prompt_hashes),
                logprobs,
            ],
        )
        found = records(rows, _OfRun)
    return {one.answer.prompt_sha256: (one.run_id, in_utc(one.answer)) for one in found}


@dataclass(frozen=True)
class _OfRun:
    run_id: str
    answer: Answer


def in_utc(answer: Answer) -> Answer:
    """An answer as the store has it, with the zone of its time."""
    return replace(answer, at=answer.at.replace(tzinfo=UTC))


def were_given_room(store: Store, model: str, base_url: str) -> bool:
    """Whether the newest reply of this model at this address had a larger token limit than its run
    planned, because thinking takes tokens. Later runs are then asked alike, or one comparison would
    mix two limits."""
    with store.read() as db:
        row = db.execute(
            "SELECT greatest(coalesce(TRY_CAST(a.sent->>'max_tokens' AS DOUBLE), 0), coalesce("
            "TRY_CAST(a.sent->>'max_completion_tokens' AS DOUBLE), 0)) >= r.max_tokens + ? "
            "FROM answer a JOIN own_run r ON r.id = a.run_id "
            "WHERE r.model = ? AND r.base_url = ? AND a.outcome <> 'error' AND a.calls > 0 "
            "ORDER BY a.made_at DESC LIMIT 1",
            [_ROOM, model, base_url],
        ).fetchone()
    return bool(row and row[0])


def stored_prompts(
    store: Store, model: str, base_url: str, prompt_hashes: Sequence[str]
) -> set[str]:
    """Which of these prompts have a stored answer of this model at this address that ``find`` could
    give; for methods whose requests have no further parameters."""
    with store.read() as db:
        rows = db.execute(
            "SELECT DISTINCT a.prompt_sha256 FROM answer a JOIN own_run r ON r.id = a.run_id "
            "WHERE r.model = ? AND r.base_url = ? AND a.outcome <> 'error' AND a.calls > 0 "
            "AND a.prompt_sha256 IN (SELECT unnest(?::VARCHAR[]))",
            [model, base_url, list(prompt_hashes)],
        )
        return set(column(rows))
