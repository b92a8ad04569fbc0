"""Originals and rewordings as requests to a model, and how its replies are read.

They are frozen, so that a rewording that is edited later changes nothing. Which models are
references is frozen with them, before any reply.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from dcq.asking.prompt import Prompt, fill
from dcq.effect.reply import first_line, is_same, read_choice
from dcq.effect.scores import ItemVersion, ModelRole
from dcq.effect.task import LONGEST_ANSWER, REQUEST, HarnessTask, make
from dcq.records import Outcome, Reading, Reply, read_nothing
from dcq.refusal import REFUSAL
from dcq.store import Store, frozen
from dcq.store.frozen import FrozenRequest, FrozenRequests
from dcq.store.method_runs import ReadAnswer

NAME = "score"
_MOST_TOKENS = 64  # as the exported task has it
# Ours: exactly what the exported tasks send, so that scores can be compared.
CHOICE = Prompt(f"{NAME}-choice", "v1", f"{{question}}{REQUEST}{{choices}}", 0.0, _MOST_TOKENS)
SHORT = Prompt(f"{NAME}-short", "v1", "{question}", 0.0, _MOST_TOKENS)
_EACH = len(ItemVersion)  # requests about an instance


@dataclass(frozen=True)
class ScoreTask:
    """The requests of one run: of each instance the original and then its rewording. ``choices``
    are all answers where there are few, else empty."""

    wording: str
    requests: Sequence[FrozenRequest]
    choices: Sequence[str]

    @classmethod
    def of(cls, wording: str, frozen_requests: FrozenRequests) -> Self:
        """The task of what was frozen."""
        choices = frozen_requests.design.get("choices") or ()
        return cls(wording, frozen_requests.requests, [str(choice) for choice in choices])

    @property
    def size(self) -> int:
        """Two requests for each instance."""
        return len(self.requests)

    def count_first(self, limit: int) -> int:
        """Both wordings of so many instances."""
        return min(_EACH * limit, self.size)

    def text(self, position: int) -> str:
        """The question, and what may be answered where that is few."""
        values = {"{question}": self.requests[position].text, "{choices}": "; ".join(self.choices)}
        return fill(self.wording, values)

    def read(self, position: int, reply: Reply) -> Reading:
        """The choice or the short answer, right or wrong."""
        if (nothing := read_nothing(reply)) is not None:
            return nothing
        text = reply.text or ""
        # A short answer ends with its line, and what is cut off after that is none of it.
        if reply.finish_reason == "length" and (self.choices or "\n" not in text.strip()):
            return Reading(Outcome.INVALID, None, "cut off")
        answer = read_choice(text, self.choices) if self.choices else first_line(text)
        if answer is not None and self._is_right(position, answer):
            return Reading(Outcome.ANSWERED, answer, "right")
        if (answer is None or not self.choices) and REFUSAL.search(text):
            return Reading(Outcome.REFUSED, None, "refusal in words")
        if answer is None:
            return Reading(Outcome.INVALID, None, "not one of the choices")
        if len(answer) > 2 * LONGEST_ANSWER:
            return Reading(Outcome.INVALID, None, "longer than an answer")
        return Reading(Outcome.ANSWERED, answer, "wrong")

    def is_right(self, position: int, answer: ReadAnswer) -> bool:
        """Whether a stored reply gives the right answer; one that gives none is wrong."""
        return (
            answer.outcome == Outcome.ANSWERED
            and answer.value is not None
            and self._is_right(position, answer.value)
        )

    def _is_right(self, position: int, answer: str) -> bool:
        right = str(self.requests[position].facts.get("answer"))
        if self.choices:
            return answer == right
        return len(answer) <= 2 * LONGEST_ANSWER and is_same(answer, right)


def task_of(made: HarnessTask) -> ScoreTask:
    """What a run would ask, before anything is frozen."""
    return ScoreTask(prompt_of(made.choices).wording, _requests(made), made.choices)


def prompt_of(choices: Sequence[str]) -> Prompt:
    """The wording for questions with these choices, or without any."""
    return CHOICE if choices else SHORT


def freeze(store: Store, sample_id: str, references: Sequence[str] = (), author: str = "") -> str:
    """Keep what is asked about a sample, and the models that are references; returns its id. Raises
    InputError as ``dcq.effect.task.make``."""
    made = make(store, sample_id)
    design = {"choices": list(made.choices), "references": list(references)}
    return frozen.freeze(store, NAME, sample_id, _requests(made), design=design, author=author)


def role_of(design: Mapping[str, Any], model: str) -> ModelRole:
    """What a model is by the design that was frozen before it was asked."""
    is_reference = model in (design.get("references") or ())
    return ModelRole.REFERENCE if is_reference else ModelRole.TARGET


def _requests(made: HarnessTask) -> list[FrozenRequest]:
    wordings = [
        (item.instance_id, version, named, item.answer)
        for item in made.items
        for version, named in (
            (ItemVersion.ORIGINAL, item.original),
            (ItemVersion.REWORDED, item.reworded),
        )
    ]
    return [
        FrozenRequest(instance_id, question, {"id": name, "version": version, "answer": answer})
        for instance_id, version, (name, question), answer in wordings
    ]
