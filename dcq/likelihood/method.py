"""Likelihoods as a kind of run: which texts are scored, and how a reply is read."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any

from dcq import settings
from dcq.asking.calls import scoring, write_texts
from dcq.asking.prompt import Prompt
from dcq.asking.task import Method, Proposal, Task
from dcq.errors import InputError
from dcq.evidence.midrank import midranks
from dcq.likelihood import NAME
from dcq.likelihood.cut import MOST_VARIANTS
from dcq.likelihood.measures import DECIDING, LikelihoodMeasure, Scored, ScoringContext, choose
from dcq.likelihood.reply import BadReplyError, read_likelihoods, write_likelihoods
from dcq.likelihood.values import values_of
from dcq.models.endpoints import LIKELIHOOD, Endpoint, model_itself, resolve, split_mode
from dcq.models.hooks import Hooks
from dcq.models.scorers.likelihood import Likelihood, ScoredText
from dcq.records import Answer, Ask, Mode, Outcome, Reading, Reply, fingerprint, read_nothing
from dcq.store import Store, frozen, method_runs, samples
from dcq.store.frozen import FrozenRequest, FrozenRequests
from dcq.store.runs import Plan
from dcq.variants.leakage import credits_of

PROMPT = Prompt(
    name=NAME,
    version="v1",
    wording="Each wording alone, after the model's beginning-of-text token if any; and after the "
    "context that a measure needs.",
    temperature=0.0,
    # An endpoint has to generate one after each text.
    max_tokens=len(ScoringContext) * (1 + MOST_VARIANTS),
)


@dataclass(frozen=True)
class LikelihoodTask:
    """The requests of one run: each scores an instance and its rewordings. ``language`` is that of
    the texts."""

    requests: Sequence[FrozenRequest]
    measures: Sequence[LikelihoodMeasure]
    language: str

    @property
    def size(self) -> int:
        """One request for each instance."""
        return len(self.requests)

    def count_first(self, limit: int) -> int:
        """As many requests as instances."""
        return min(limit, self.size)

    def text(self, position: int) -> str:
        """The texts to score, in an order that does not tell which is the original."""
        return write_texts(self.texts(position))

    def texts(self, position: int) -> list[ScoredText]:
        """The texts to score, in the order in which they are sent."""
        return [text for _, _, text in self._entries(position)]

    def read(self, position: int, reply: Reply) -> Reading:
        """The original's midrank by the deciding measure."""
        if (nothing := read_nothing(reply)) is not None:
            return nothing
        try:
            wordings = self.scored(position, reply.text or "")
        except BadReplyError as error:
            return Reading(Outcome.INVALID, None, str(error))
        [rank] = midranks([[DECIDING.of(wording) or 0.0 for wording in wordings]])
        return Reading(Outcome.ANSWERED, f"{rank:.3g}", "the original's midrank")

    def scored(self, position: int, reply_text: str) -> list[Scored]:
        """The wordings of an instance with their likelihoods, the original first. Raises
        ``BadReplyError`` where a reply does not have them."""
        entries = self._entries(position)
        likelihoods: list[dict[ScoringContext, Likelihood]] = [{} for _ in self._wordings(position)]
        read = read_likelihoods(reply_text, len(entries))
        for (place, context, _), likelihood in zip(entries, read, strict=True):
            likelihoods[place][context] = likelihood
        return [
            Scored(text, by_context)
            for text, by_context in zip(self._wordings(position), likelihoods, strict=True)
        ]

    def values(self, position: int, reply_text: str) -> dict[str, float]:
        """The numbers of a usable reply that are stored."""
        credit = credits_of(self._wordings(position), 0, self.language)
        return values_of(self.scored(position, reply_text), self.measures, credit)

    def _wordings(self, position: int) -> list[str]:
        """The original and its rewordings."""
        request = self.requests[position]
        return [request.text, *map(str, request.facts["variants"])]

    def _entries(self, position: int) -> list[tuple[int, ScoringContext, ScoredText]]:
        """What is scored: the place of the wording, what stands before it, and both as sent. Sorted
        by a fingerprint, which says nothing of the original."""
        facts = self.requests[position].facts
        before = {
            ScoringContext.ALONE: "",
            ScoringContext.PREFIX: str(facts["prefix"]),
            ScoringContext.NEIGHBOUR: str(facts["neighbour"]),
        }
        contexts = {ScoringContext.ALONE, *(entry.context for entry in self.measures)}
        entries = [
            (place, context, ScoredText(text, before[context]))
            for context in ScoringContext
            if context in contexts
            for place, text in enumerate(self._wordings(position))
        ]
        return sorted(entries, key=lambda entry: fingerprint(entry[1], entry[2].text))


class _Likelihood(Method):
    name = NAME
    reads_again = False
    command = NAME

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        if mode is not Mode.LIKELIHOOD:
            raise InputError(
                f"Texts are scored and no question is asked; name the model with {LIKELIHOOD}."
            )
        frozen_requests = frozen.load(store, subject)
        language = samples.partition_of(store, frozen_requests.sample_id).language
        return Proposal(PROMPT, _task(frozen_requests, language), frozen_requests.sample_id)

    def reopen(self, store: Store, plan: Plan) -> Task:
        return _task(frozen.load(store, plan.subject), plan.language)

    def endpoint(self, model: str) -> Endpoint:
        """A model that scores, with or without ``likelihood:`` before its name. Its results are
        those of the model, so it is called as by other methods; a folder is named here alone."""
        name, _ = split_mode(model)
        endpoint = resolve(f"{LIKELIHOOD}{name}", settings.load())
        return replace(endpoint, name=model_itself(endpoint.name))

    def asking(
        self, endpoint: Endpoint, plan: Plan, task: Task, *, logprobs: bool, hooks: Hooks
    ) -> AbstractAsyncContextManager[Ask]:
        return scoring(endpoint, hooks, write_likelihoods)

    def on_stored(
        self, store: Store, run_id: str, task: Task, answers: Collection[Answer] | None
    ) -> None:
        """Keep the numbers of what was scored."""
        assert isinstance(task, LikelihoodTask)  # noqa: S101  (reopen() made it)
        frozen.keep_values(store, run_id, dict(_new_values(store, run_id, task, answers)))


def _new_values(
    store: Store, run_id: str, task: LikelihoodTask, answers: Collection[Answer] | None
) -> Iterator[tuple[int, Mapping[str, float]]]:
    stored_positions: Collection[int] = ()
    all_answers: Collection[Any] = answers or ()
    if answers is None:
        stored_positions = frozen.values_of(store, run_id).get(f"{DECIDING.name}-0", {})
        all_answers = method_runs.answers(store, run_id).values()
    for answer in all_answers:
        if answer.outcome == Outcome.ANSWERED and answer.position not in stored_positions:
            with contextlib.suppress(BadReplyError):  # that of a stranger's run, changed since
                yield answer.position, task.values(answer.position, answer.reply or "")


def _task(frozen_requests: FrozenRequests, language: str) -> LikelihoodTask:
    return LikelihoodTask(
        frozen_requests.requests, choose(frozen_requests.design["measures"]), language
    )


METHOD = _Likelihood()
