"""The request for one question, rebuilt and verified, and its reply."""

from __future__ import annotations

from dataclasses import dataclass

from dcq.asking.prompt import sha256
from dcq.errors import InputError
from dcq.quiz.method import task_of
from dcq.records import LETTERS, Answer
from dcq.store import Store, quizzes, results, runs
from dcq.store.moment import at_one_moment


@dataclass(frozen=True)
class Sent:
    """One question of one run. ``verified``: ``prompt`` has the hash that was stored when it was
    sent; ``original`` is the original's letter, None if it is absent; ``parameters`` are those of
    the successful call; ``usage_reported`` False means that the token counts are upper bounds;
    ``served_model`` and ``fingerprint`` are what the endpoint reported."""

    prompt: str
    verified: bool
    original: str | None
    answer: Answer


@at_one_moment
def recall(store: Store, run_id: str, position: int) -> Sent:
    """The question at ``position`` (from 0) of a run. Raises InputError where there is no answer
    to it yet."""
    answer = results.one_answer(store, run_id, position)
    if answer is None:
        raise InputError(
            f"Question {position + 1} has no answer in this run yet; choose another, or wait."
        )
    plan = runs.load(store, run_id).plan
    question = quizzes.question(store, plan.subject, position)
    item = question.item
    prompt = task_of(plan, question.dataset, question.split, [item]).text(0)
    return Sent(
        prompt=prompt,
        verified=sha256(prompt) == answer.prompt_sha256,
        original=None if item.correct is None else LETTERS[item.correct],
        answer=answer,
    )
