"""The quiz as a method of the engine: a question is a request, a letter is the value."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dcq.asking.prompt import Prompt
from dcq.asking.task import Method, Proposal, Stages, Task
from dcq.models.endpoints import Endpoint
from dcq.quiz import looks, modes, sequential
from dcq.quiz.build import first_of
from dcq.records import Item, Mode, Reading, Reply
from dcq.store import Store, quizzes
from dcq.store.runs import Plan

_BETWEEN_LOOKS = (
    "cancelled between planned looks, so it counts as unfinished; what was answered is kept"
)


@dataclass(frozen=True)
class QuizTask:
    """The questions of a quiz, asked with ``prompt`` in ``mode``."""

    prompt: Prompt
    mode: Mode
    dataset: str
    split: str
    items: Sequence[Item]

    @property
    def size(self) -> int:
        """How many questions there are."""
        return len(self.items)

    def count_first(self, limit: int) -> int:
        """How many questions the first ``limit`` instances have."""
        return len(first_of(self.items, limit))

    def text(self, position: int) -> str:
        """The exact text sent: the question, or in likelihood mode the texts to be scored."""
        options = self.items[position].options
        return modes.of(self.mode).text(self.prompt, self.dataset, self.split, options)

    def read(self, position: int, reply: Reply) -> Reading:
        """The letter that a reply chose; None where it chose none."""
        return modes.of(self.mode).read(reply, len(self.items[position].options))


class _Quiz(Method):
    name = "quiz"
    command = "run"

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        quiz = quizzes.load(store, subject)
        prompt = modes.of(mode).prompt_of(quiz)
        task = QuizTask(prompt, mode, quiz.dataset, quiz.split, quiz.items)
        return Proposal(prompt, task, quiz.sample_id)

    def reopen(self, store: Store, plan: Plan) -> Task:
        return task_of(plan, quizzes.load(store, plan.subject).items)

    def check_looks(self, store: Store, subject: str, endpoint: Endpoint) -> None:
        sequential.check(store, subject, endpoint)

    def plan_looks(self, store: Store, run_id: str, endpoint: Endpoint, *, futility: bool) -> None:
        sequential.plan(store, run_id, endpoint, futility=futility)

    def stages(
        self, store: Store, run_id: str, task: Task, note: Callable[..., None]
    ) -> Stages | None:
        looking = looks.looking(store, run_id)
        if looking is None:
            return None
        known_stored_looks = looks.outcome(store, run_id)
        if known_stored_looks and known_stored_looks.fallen:
            return Stages((), ended=known_stored_looks.words)

        def look() -> str:
            stored_looks = looking.look()
            note(
                "look",
                look=stored_looks.look,
                of=stored_looks.of,
                decision=str(stored_looks.decision),
            )
            return stored_looks.words if stored_looks.fallen else ""

        parts = itertools.starmap(range, itertools.pairwise([0, *looking.ends]))
        return Stages(parts, look, cancelled=_BETWEEN_LOOKS)


QUIZ: Method = _Quiz()


def task_of(plan: Plan, items: Sequence[Item]) -> QuizTask:
    """Questions as a stored run asks them: with the wording and the names that were saved with it
    and the layout of its prompt version. Raises InputError if this release does not know the
    version."""
    prompt = modes.of(plan.mode).prompt_as_stored(plan.prompt, plan.wording)
    return QuizTask(prompt, plan.mode, plan.dataset, plan.split, items)
