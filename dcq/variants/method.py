"""Rewordings as a method of the engine: requests for texts out, usable texts back.

A reply may lack some of the texts, and candidates are rewordings of the variants, so a run goes in
rounds: once all requests are answered, one more is added for each instance that still lacks texts.
The texts go into the slots that still lack one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from dcq.asking.exclusive import Exclusive
from dcq.asking.prompt import Prompt
from dcq.asking.task import Method, Proposal, Stages, Task
from dcq.errors import InputError, ModelChoiceError
from dcq.models.endpoints import LIKELIHOOD, Endpoint
from dcq.models.hooks import Hooks
from dcq.records import Answer, Ask, Instance, Mode, Outcome, Reading, Reply
from dcq.store import Store, rewordings, variants
from dcq.store.answers import answered_and_failed
from dcq.store.moment import at_one_moment
from dcq.store.rewordings import RewordingPlan, RewordingRequest
from dcq.store.runs import Plan
from dcq.store.variants import NewVariant
from dcq.variants import offline, offline_writer
from dcq.variants.checks import check, passes
from dcq.variants.curation import compare_meaning
from dcq.variants.freeze import (
    SLOTS,
    Recipe,
    is_variant,
    open_slots,
    read_recipe,
    request_for,
    slots_of,
)
from dcq.variants.perturbations import Perturbation
from dcq.variants.prompts import (
    INSTRUCTED,
    PROMPTS,
    Protocol,
    choose_rewording,
    count_requests,
    instruct,
    perturbation_prompt,
)
from dcq.variants.reply import read_usable

TRIES = 3  # requests for what one request asks for

_TOO_LITTLE = {
    Perturbation.WORD: "The offline generator knows too few synonyms for this text.",
    Perturbation.CHARACTER: "This text has too few words that may be misspelt.",
    Perturbation.ORDER: "This text has too few neighbouring words that may change places.",
}


class RewordingTask:
    """The requests of a rewording, to which each round adds."""

    def __init__(self, rewording: RewordingPlan, model: str) -> None:
        self.rewording, self.model = rewording, model
        self._instances = {instance.id: instance for instance in rewording.sample.instances}
        self._first = len(rewording.requests)

    @property
    def size(self) -> int:
        """The number of requests planned so far."""
        return len(self.rewording.requests)

    def count_first(self, limit: int) -> int:
        """How many of the first round's requests are about the first ``limit`` instances."""
        return min(limit, self._first)

    def instance(self, position: int) -> Instance:
        """The instance that a request is about."""
        return self._instances[self.rewording.requests[position].instance_id]

    def text(self, position: int) -> str:
        """The exact text sent."""
        request, instance = self.rewording.requests[position], self.instance(position)
        if (kind := offline_writer.KINDS.get(request.prompt)) is not None:
            language = self.rewording.sample.partition.language
            return offline_writer.write_request(
                instance,
                request.count,
                language,
                self.rewording.seed,
                kind,
                prefer_common=request.source is not None,
            )
        prompt = PROMPTS.get(request.prompt)
        if prompt is None:
            raise InputError(
                f"The prompt {request.prompt} is not one that this release of dcq has; update dcq "
                "to go on."
            )
        text = instance.text if request.source is None else request.source
        return perturbation_prompt(prompt, text, request.count, self.rewording.instruction)

    def read(self, position: int, reply: Reply) -> Reading:
        """The texts that pass the checks, as a JSON list; the reason says why others do not."""
        request, instance = self.rewording.requests[position], self.instance(position)
        if (kind := offline_writer.KINDS.get(request.prompt)) is not None:
            texts = offline_writer.read_reply(reply)
            lacking = "" if texts else _TOO_LITTLE[kind]
            return _reading(texts, lacking)
        if reply.refusal or reply.finish_reason == "content_filter":
            why = "The model or its filter refused to reword this text."
            return Reading(Outcome.REFUSED, None, why)
        language = self.rewording.sample.partition.language
        return _reading(*read_usable(reply, request.count, instance, language))


def _reading(texts: Sequence[str], lacking: str) -> Reading:
    if not texts:
        return Reading(Outcome.INVALID, None, lacking)
    return Reading(Outcome.ANSWERED, json.dumps(texts, ensure_ascii=False), lacking)


# Whoever writes them: two would write, and one would pay for, the same variants.
EXCLUSIVE = Exclusive(
    "reword-",
    "The variants of this sample are being written already; wait or stop it.",
    by_sample=True,
)


class _Rewording(Method):
    name = "rewording"
    reads_again = False  # its texts are variants that people have reviewed since
    exclusive = EXCLUSIVE
    command = "perturb"

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        rewording = rewordings.load(store, subject)
        if mode is Mode.LIKELIHOOD:
            raise ModelChoiceError(
                f"A model named with {LIKELIHOOD} scores texts and writes none; name one without."
            )
        task = RewordingTask(rewording, "")
        return Proposal(_prompt(rewording), task, rewording.sample.id)

    def reopen(self, store: Store, plan: Plan) -> Task:
        return RewordingTask(rewordings.load(store, plan.subject), plan.model)

    def stages(
        self, store: Store, run_id: str, task: Task, note: Callable[..., None]
    ) -> Stages | None:
        return Stages(_rounds(store, run_id, _own(task)))

    def on_stored(
        self, store: Store, run_id: str, task: Task, answers: Collection[Answer] | None
    ) -> None:
        rewording_task = _own(task)
        ids = None
        if answers is not None:
            ids = {
                rewording_task.rewording.requests[answer.position].instance_id for answer in answers
            }
        fill(store, rewording_task.rewording, rewording_task.model, ids)

    def endpoint(self, model: str) -> Endpoint:
        return offline_writer.ENDPOINTS.get(model) or super().endpoint(model)

    def asking(
        self, endpoint: Endpoint, plan: Plan, task: Task, *, logprobs: bool, hooks: Hooks
    ) -> AbstractAsyncContextManager[Ask]:
        if endpoint.name in offline_writer.ENDPOINTS:
            return offline_writer.asking(hooks)
        return super().asking(endpoint, plan, task, logprobs=logprobs, hooks=hooks)


REWORDING: Method = _Rewording()


def _own(task: Task) -> RewordingTask:
    assert isinstance(task, RewordingTask)  # noqa: S101  (reopen() made it)
    return task


def _prompt(rewording: RewordingPlan) -> Prompt:
    recipe = read_recipe(rewording.protocol)
    if isinstance(recipe, Protocol):
        prompt = choose_rewording(recipe, SLOTS)[0]
        if not rewording.instruction:
            return prompt
        wording = instruct(prompt.wording, rewording.instruction)
        return replace(prompt, version=f"{prompt.version}{INSTRUCTED}", wording=wording)
    if recipe is Perturbation.WORD:
        offline.check_language(rewording.sample.partition.language)
    return offline_writer.PROMPTS[recipe]


def _rounds(store: Store, run_id: str, task: RewordingTask) -> Iterator[Sequence[int]]:
    """The requests of each round that are about an instance which still lacks variants."""
    while True:
        present = variants.current(store, task.rewording.sample.id, candidates=True)
        lacking = open_slots(task.rewording, present)
        yield [p for p in range(task.size) if task.instance(p).id in lacking]
        more = _next_round(store, run_id, task)
        if not more:
            return
        task.rewording = rewordings.add_requests(store, task.rewording, run_id, more)


@at_one_moment
def _next_round(store: Store, run_id: str, task: RewordingTask) -> list[RewordingRequest]:
    """A request for each instance that lacks texts, unless it has had its share of them or one of
    them waits to be asked again. Candidates come after the variants that they are made from."""
    rewording, recipe = task.rewording, read_recipe(task.rewording.protocol)
    done, _ = answered_and_failed(store, run_id)
    positions: dict[str, list[int]] = {}
    for position, request in enumerate(rewording.requests):
        positions.setdefault(request.instance_id, []).append(position)
    present = variants.current(store, rewording.sample.id, candidates=True)
    more = []
    for instance_id, lacking in open_slots(rewording, present).items():
        if not done.issuperset(positions[instance_id]):
            continue
        instance, stored_variants = (
            task.instance(positions[instance_id][0]),
            present.get(instance_id, {}),
        )
        for first in (True, False):
            slots = [slot for slot in lacking if is_variant(slot) is first]
            asked = [
                p for p in positions[instance_id] if (rewording.requests[p].source is None) is first
            ]
            all_slots = [s for s in slots_of(rewording, instance_id) if is_variant(s) is first]
            if not slots or len(asked) >= _most_requests(recipe, len(all_slots)):
                continue
            another = request_for(
                instance,
                slots,
                stored_variants,
                recipe,
                seed=rewording.seed,
                round_number=len(asked),
            )
            if another is not None:
                more.append(another)
                break
    return more


def _most_requests(recipe: Recipe, count: int) -> int:
    """How often ``count`` texts may be asked for. An offline generator would say the same
    again."""
    if isinstance(recipe, Perturbation):
        return 1
    return TRIES - 1 + count_requests(recipe, count)


def fill(
    store: Store, rewording: RewordingPlan, model: str, instance_ids: Collection[str] | None = None
) -> None:
    """Write a rewording's texts by ``model`` into its open slots, of all instances or of these.
    Repeating it changes nothing: a slot that was filled, or changed by a person since the rewording
    was frozen, is no longer open, and no text is written twice."""
    sample = rewording.sample
    with store.hold():  # opened once: this runs for every few replies
        present = variants.current(store, sample.id, instance_ids, candidates=True)
        lacking = open_slots(rewording, present, instance_ids)
        if not lacking:
            return
        read = rewordings.reply_values(store, rewording.id, list(lacking))
        used = rewordings.written_texts(store, rewording.id, list(lacking))
    instances = {instance.id: instance for instance in sample.instances if instance.id in lacking}
    offered: dict[str, list[tuple[str, RewordingRequest]]] = {}
    for position, value in read.items():
        request = rewording.requests[position]
        offered.setdefault(request.instance_id, []).extend(
            (text, request)
            for text in json.loads(value)
            if text not in used.get(request.instance_id, ())
        )
    offline = model in offline_writer.ENDPOINTS
    added = INSTRUCTED if rewording.instruction else ""
    keys = [(instance_id, text) for instance_id, texts in offered.items() for text, _ in texts]
    compared = [(instances[instance_id].text, text) for instance_id, text in keys]
    language = sample.partition.language
    meant = compare_meaning(compared, language)
    close = dict(zip(keys, meant, strict=True))
    pairs = []
    for instance_id, texts in offered.items():
        slots = list(lacking[instance_id])
        stored_variants = present.get(instance_id, {})
        others = [stored_variants[slot].text for slot in stored_variants if slot not in slots]
        # The generator draws again from the same words.
        stored_texts = {variant.text for variant in stored_variants.values()} if offline else set()
        for text, request in texts:
            # A rewording of the original becomes a variant, one of a variant a candidate.
            slot = next((s for s in slots if is_variant(s) == (request.source is None)), None)
            if slot is None or text in stored_texts:
                continue
            same = close[instance_id, text]
            findings = tuple(check(instances[instance_id], text, others, same, language=language))
            if not passes(findings):
                continue
            slots.remove(slot)
            new = NewVariant(
                instance_id,
                slot,
                text,
                model if offline else f"model:{model}",
                rewording.author,
                findings,
                None if offline else f"{request.prompt}{added}",
                rewording.id,
            )
            pairs.append((new, stored_variants.get(slot)))
            others.append(text)
    variants.replace(store, sample.id, pairs)
