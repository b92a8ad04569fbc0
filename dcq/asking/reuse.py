"""Answers taken from earlier runs instead of being asked and paid for again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from dcq.asking.prompt import sha256
from dcq.asking.read_again import read_now
from dcq.asking.task import Method, Task
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.jobs.journal import Journal
from dcq.records import Answer, Mode
from dcq.store import Store, answers, looks, runs
from dcq.store.answers import add_answers, answered_and_failed
from dcq.store.readings import StoredReply


def _read_now(task: Task, position: int, answer: Answer) -> Answer:
    """The answer as the reader of today reads it."""
    if answer.reply is None:
        return answer
    stored = StoredReply(
        position, answer.attempt, answer.outcome, answer.value, answer.reason, answer.reply
    )
    reading = read_now(task, stored)
    if reading is None:
        return answer
    return replace(answer, outcome=reading.outcome, value=reading.value, reason=reading.reason)


def reuse_answers(store: Store, method: Method, run_id: str, *, logprobs: bool = False) -> int:
    """Fill open questions of a run with stored answers to identical requests; returns how many.

    Identical are model, address, mode, prompt, temperature and token limit. ``logprobs``: take only
    answers that have log-probabilities. The reason of a reused answer says so; it made no call and
    used no token. Raises InputError if another process is at work on the run or it has planned
    looks.
    """
    if looks.plans_of(store, [run_id]):
        raise InputError(
            f"Run {run_id} has planned looks at its answers as they come, so none can be reused; "
            "resume it without."
        )
    with lock.hold(store, run_id):
        plan = runs.load(store, run_id).plan
        task = method.reopen(store, plan)
        done, failed = answered_and_failed(store, run_id)
        hashes = {
            position: sha256(task.text(position))
            for position in range(plan.items)
            if position not in done
        }
        stored_answers = answers.find(store, plan, list(hashes.values()), logprobs=logprobs)
        reads_again = method.reads_again and plan.mode is Mode.LETTER
        now = datetime.now(UTC)
        reused_answers = [
            replace(
                answer,
                position=position,
                attempt=failed.get(position, 0) + 1,
                reason=f"{answer.reason}; reused from run {source}",
                tokens_in=0,
                tokens_out=0,
                seconds=0.0,
                calls=0,
                usage_reported=True,
                at=now,
            )
            for position, digest in hashes.items()
            if digest in stored_answers
            for source, found in [stored_answers[digest]]
            for answer in [_read_now(task, position, found) if reads_again else found]
        ]
        add_answers(store, run_id, reused_answers)
        method.on_stored(store, run_id, task, reused_answers)
        Journal(store, run_id).write("reused", answers=len(reused_answers))
    return len(reused_answers)
