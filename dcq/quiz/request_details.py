"""The request for one question, rebuilt and verified, and its reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dcq.asking.prompt import sha256
from dcq.errors import InputError
from dcq.quiz.method import task_of
from dcq.records import LETTERS, Outcome
from dcq.store import Store, quizzes, results, runs


@dataclass(frozen=True)
class Sent:
    """One question of one run. ``verified``: ``prompt`` has the hash that was stored when it was
    sent; ``original`` is the original's letter, None if it is absent; ``parameters`` are those of
    the successful call; ``usage_reported`` False means that the token counts are upper bounds;
    ``served_model`` and ``fingerprint`` are what the endpoint reported."""

    prompt: str
    verified: bool
    original: str | None
    outcome: Outcome
    letter: str | None
    reason: str
    reply: str | None
    parameters: Mapping[str, Any]
    tokens_in: int
    tokens_out: int
    usage_reported: bool
    seconds: float
    calls: int
    attempt: int
    at: datetime
    served_model: str | None
    fingerprint: str | None


def recall(store: Store, run_id: str, position: int) -> Sent:
    """The question at ``position`` (from 0) of a run. Raises InputError if it has no answer yet."""
    found = results.one_answer(store, run_id, position)
    if found is None:
        raise InputError(
            f"Question {position + 1} has no answer in this run yet; choose another, or wait."
        )
    plan = runs.load(store, run_id).plan
    question = quizzes.question(store, plan.quiz_id, position)
    item = question.item
    prompt = task_of(plan, question.dataset, question.split, [item]).text(0)
    answer: dict[str, Any] = found
    return Sent(
        prompt=prompt,
        verified=sha256(prompt) == answer["prompt_sha256"],
        original=None if item.correct is None else LETTERS[item.correct],
        outcome=Outcome(answer["outcome"]),
        letter=_text(answer["letter"]),
        reason=answer["reason"],
        reply=_text(answer["reply"]),
        parameters=json.loads(answer["sent"]),
        tokens_in=int(answer["tokens_in"]),
        tokens_out=int(answer["tokens_out"]),
        usage_reported=bool(answer["usage_reported"]),
        seconds=float(answer["seconds"]),
        calls=int(answer["calls"]),
        attempt=int(answer["attempt"]),
        at=answer["made_at"].to_pydatetime(),
        served_model=_text(answer["served_model"]),
        fingerprint=_text(answer["fingerprint"]),
    )


def _text(cell: object) -> str | None:
    return cell if isinstance(cell, str) else None
