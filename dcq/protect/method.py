"""Protected benchmarks as a kind of run: what is asked, and how a reply is read.

Nothing here knows which wording is published, and nothing here stores a wording: texts come from
the secret while it is open, and of a reply only a letter or numbers are stored.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from dcq import settings
from dcq.asking.calls import scoring, write_texts
from dcq.asking.prompt import Prompt
from dcq.asking.task import Method, Proposal, Task
from dcq.errors import InputError
from dcq.models.endpoints import LIKELIHOOD, Endpoint, names_folder, resolve, split_mode
from dcq.models.hooks import Hooks
from dcq.models.scorers.likelihood import Likelihood
from dcq.private_texts import PrivateTexts
from dcq.protect import NAME
from dcq.protect.shuffle import By, Sheet
from dcq.quiz.parse import read_reply
from dcq.quiz.prompts import QUIZ_V1, as_stored, quiz_prompt
from dcq.records import LETTERS, Ask, Mode, Outcome, Reading, Reply, read_nothing
from dcq.store import Store, frozen
from dcq.store.frozen import FrozenRequest
from dcq.store.runs import Plan

WORDINGS = Prompt(
    name=NAME,
    version="v1",
    wording="The text of each wording alone, after the model's beginning-of-text token if any.",
    temperature=0.0,
    max_tokens=16,  # an endpoint has to generate one after each wording
)


@dataclass(frozen=True)
class ProtectTask:
    """The requests about a ``sheet``: by letter with ``prompt``, ``asks`` times for each item; or
    by likelihood, once for each item."""

    sheet: Sheet
    prompt: Prompt

    @property
    def size(self) -> int:
        """How many requests there are."""
        return len(self.sheet.items) * self.sheet.asks

    def count_first(self, limit: int) -> int:
        """How many requests are about the first items."""
        return min(limit, len(self.sheet.items)) * self.sheet.asks

    def text(self, position: int) -> str:
        """The question, or the texts to be scored."""
        options = self.options(position)
        if self.sheet.by is By.LIKELIHOOD:
            return write_texts(options)
        return quiz_prompt(self.prompt, self.sheet.title, self.sheet.split, options)

    def options(self, position: int) -> tuple[str, ...]:
        """The wordings in the order of a request. Each further request about an item rotates them
        by one, so that four requests put every wording into every slot."""
        place, turn = divmod(position, self.sheet.asks)
        wordings = self.sheet.items[place].wordings
        return wordings[turn:] + wordings[:turn]

    def read(self, position: int, reply: Reply) -> Reading:
        """The place of the wording that was chosen, or the score of each."""
        if self.sheet.by is By.LIKELIHOOD:
            return _read_scores(reply, len(self.sheet.items[position].wordings))
        options = self.options(position)
        reading = read_reply(reply, len(options))
        if reading.outcome is not Outcome.ANSWERED or reading.value is None:
            return reading
        place = (LETTERS.index(reading.value) + position % self.sheet.asks) % len(options)
        return replace(reading, value=str(place))


class ProtectMethod(Method):
    """The kind of run whose requests are those of a ``sheet``, which is made from the ``secret`` in
    a file. Without a sheet, as where results are read, nothing can be asked."""

    def __init__(self, sheet: Sheet | None = None, secret: Path | None = None) -> None:
        self._sheet, self._secret = sheet, secret

    @property
    def name(self) -> str:
        """As kept with each run."""
        return NAME

    @property
    def reads_again(self) -> bool:
        """No: of a reply the letter alone is kept."""
        return False

    @property
    def command(self) -> str:
        """The command that asks; it needs the secret."""
        return shlex.join(
            [NAME, "check", *([str(self._secret.absolute())] if self._secret else [])]
        )

    @property
    def gives_private(self) -> bool:
        """Wordings are sent to whoever is asked, so that they are burnt for them."""
        return True

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        """The requests about the open sheet."""
        sheet = self._open(store, subject)
        if (mode is Mode.LIKELIHOOD) != (sheet.by is By.LIKELIHOOD):
            raise InputError("A model named with likelihood: is checked with --by likelihood.")
        prompt = WORDINGS if sheet.by is By.LIKELIHOOD else QUIZ_V1
        return Proposal(prompt, ProtectTask(sheet, prompt), frozen.load(store, subject).sample_id)

    def reopen(self, store: Store, plan: Plan) -> Task:
        """The same requests again, as long as the same secret is open."""
        sheet = self._open(store, plan.subject)
        prompt = WORDINGS if sheet.by is By.LIKELIHOOD else as_stored(plan.prompt, plan.wording)
        return ProtectTask(sheet, prompt)

    def endpoint(self, model: str) -> Endpoint:
        """The endpoint of a model; by likelihood with or without ``likelihood:`` before its name.
        Its results are the model's, however it was asked."""
        if self._sheet is None or self._sheet.by is By.LETTER:
            return resolve(model, settings.load())
        endpoint = resolve(f"{LIKELIHOOD}{split_mode(model)[0]}", settings.load())
        return (
            endpoint
            if names_folder(endpoint.name)
            else replace(endpoint, name=split_mode(endpoint.name)[0])
        )

    def asking(
        self, endpoint: Endpoint, plan: Plan, task: Task, *, logprobs: bool, hooks: Hooks
    ) -> AbstractAsyncContextManager[Ask]:
        """Open what answers. Nothing that comes back has a part of a wording."""
        hooks = replace(hooks, private=(self._wordings(), *hooks.private))
        if endpoint.mode is Mode.LIKELIHOOD:
            return scoring(endpoint, hooks, _scores)
        asked = super().asking(endpoint, plan, task, logprobs=False, hooks=hooks)
        return _letters_only(asked)

    def _wordings(self) -> PrivateTexts:
        """All wordings of the sheet: nothing here knows which of them are published."""
        items = self._sheet.items if self._sheet else ()
        return PrivateTexts(text for item in items for text in item.wordings)

    def _open(self, store: Store, subject: str) -> Sheet:
        if self._sheet is None:
            raise InputError("This run needs its secret; use: python -m dcq protect check SECRET")
        if frozen.design_of(store, subject).get("sheet") != self._sheet.mark:
            raise InputError(
                "That run is about another secret, or asked in another way; leave --resume out to "
                "start a new one."
            )
        return self._sheet


def freeze(store: Store, sample_id: str, sheet: Sheet) -> str:
    """Store the subject of a run, without a single wording; returns its id."""
    requests = [FrozenRequest(item.id, "") for item in sheet.items for _ in range(sheet.asks)]
    design = {
        "sheet": sheet.mark,
        "by": sheet.by.value,
        "asks": sheet.asks,
        "wordings": len(sheet.items[0].wordings),
        "root": sheet.root,
    }
    return frozen.freeze(store, NAME, sample_id, requests, design=design)


@asynccontextmanager
async def _letters_only(asked: AbstractAsyncContextManager[Ask]) -> AsyncIterator[Ask]:
    async with asked as ask:

        async def answer(prompt: str) -> Reply:
            reply = await ask(prompt)
            reading = read_reply(reply, len(LETTERS) - 1)
            if reading.outcome is Outcome.REFUSED:
                return replace(reply, text=None, as_sent=None, refusal=reading.reason)
            return replace(reply, text=reading.value or "", as_sent=None, refusal=None)

        yield answer


def _scores(likelihoods: Sequence[Likelihood]) -> tuple[str, None]:
    """What is kept of likelihoods: a number a wording, none of its tokens."""
    return json.dumps([likelihood.per_token for likelihood in likelihoods]), None


def _read_scores(reply: Reply, count: int) -> Reading:
    if (nothing := read_nothing(reply)) is not None:
        return nothing
    scores = read_scores(reply.text, count)
    if scores is None:
        return Reading(Outcome.INVALID, None, f"not the scores of {count} wordings")
    return Reading(Outcome.ANSWERED, str(scores.index(max(scores))), "the likeliest wording")


def read_scores(text: str | None, count: int) -> list[float] | None:
    """The scores of ``count`` wordings in a stored reply; None where it has another number."""
    try:
        scores = [float(value) for value in json.loads(text or "")]
    except (ValueError, TypeError, RecursionError):
        return None
    return scores if len(scores) == count and all(map(math.isfinite, scores)) else None
