"""Quizzes put to the test provider, for tests that start where the answers are in."""

from __future__ import annotations

import asyncio

from dcq import settings
from dcq.asking import prepare
from dcq.asking.calls import asking
from dcq.asking.session import Session
from dcq.asking.task import Task
from dcq.asking.worker import work
from dcq.models.endpoints import resolve
from dcq.models.hooks import Hooks
from dcq.models.pacing.pace import Pace
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ, task_of
from dcq.records import Item, QuizKind
from dcq.store import Store, runs
from dcq.store.runs import Plan


def ask(
    store: Store, sample_id: str, kind: QuizKind, model: str, *, slot: str | None = None
) -> str:
    """Freeze a quiz of ``kind``, put all of it to ``model`` and return the run's id."""
    letter = slot or ("D" if kind is QuizKind.STANDARD else None)
    quiz = freeze.freeze(store, sample_id, kind, slot=letter).quiz
    endpoint = resolve(model, settings.load())
    run = prepare.plan_run(store, QUIZ, quiz, endpoint)
    asyncio.run(_work(store, run))
    return run


async def _work(store: Store, run: str) -> None:
    plan = runs.load(store, run).plan
    endpoint = resolve(plan.model, settings.load())
    async with asking(
        endpoint, temperature=plan.temperature, max_tokens=plan.max_tokens, hooks=Hooks(Pace(8))
    ) as ask_one:
        await work(Session(store, run, reopen(store, run), ask_one))


def reopen(store: Store, run_id: str) -> Task:
    """The questions of a run as it asks them."""
    return QUIZ.reopen(store, runs.load(store, run_id).plan)


def prompt_of(plan: Plan, item: Item) -> str:
    """What a run of ``plan`` sends for one of its questions."""
    return task_of(plan, [item]).text(0)
