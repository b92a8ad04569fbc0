"""Next words as a kind of run: the wording, the requests, and how a reply is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dcq.asking.prompt import Prompt, fill
from dcq.asking.task import Method, Proposal, Task
from dcq.errors import InputError
from dcq.records import Mode, Outcome, Reading, Reply, read_nothing
from dcq.store import Store, frozen
from dcq.store.frozen import FrozenRequest
from dcq.store.runs import Plan
from tests.support.next_word.cut import NAME

PROMPT = Prompt(NAME, "v1", "Which word comes next?\n\n{text}", 0.0, 8)


@dataclass(frozen=True)
class NextWordTask:
    """Asks for the last word of each instance, given the rest."""

    wording: str
    requests: Sequence[FrozenRequest]

    @property
    def size(self) -> int:
        """One request for each instance."""
        return len(self.requests)

    def count_first(self, limit: int) -> int:
        """As many requests as instances."""
        return min(limit, self.size)

    def text(self, position: int) -> str:
        """The wording with the text in it."""
        return fill(self.wording, {"{text}": self.requests[position].text})

    def read(self, position: int, reply: Reply) -> Reading:
        """The first word."""
        if (nothing := read_nothing(reply)) is not None:
            return nothing
        if reply.finish_reason == "length":
            return Reading(Outcome.INVALID, None, "cut off")
        return Reading(Outcome.ANSWERED, (reply.text or "").split()[0], "the first word")


class NextWord(Method):
    """How its runs are asked; their subject is what was cut of a sample."""

    @property
    def name(self) -> str:
        """As kept with each run."""
        return NAME

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        """What is asked, of what was frozen."""
        if mode is Mode.LIKELIHOOD:
            raise InputError("A next word is asked for; name a model without likelihood:.")
        known = frozen.load(store, subject)
        return Proposal(PROMPT, NextWordTask(PROMPT.wording, known.requests), known.sample_id)

    def reopen(self, store: Store, plan: Plan) -> Task:
        """The same again."""
        return NextWordTask(plan.wording, frozen.load(store, plan.subject).requests)


METHOD = NextWord()
