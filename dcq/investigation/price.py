"""The price of an investigation, quiz by quiz, before anything is spent."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from dcq import methods, settings
from dcq.asking.cost import estimate_counted
from dcq.asking.options import Terms
from dcq.asking.task import Proposal, Task
from dcq.errors import InputError, ModelChoiceError
from dcq.investigation.state import (
    endpoint_for,
    is_asked,
    is_quiz,
    method_run,
    open_record,
    propose,
    quiz_run,
    slot_of,
)
from dcq.judging.answer import Answer
from dcq.judging.answers import lost_to
from dcq.models.endpoints import Endpoint, model_itself, resolve
from dcq.models.prices import estimate_tokens
from dcq.quiz import build, freeze, prompts
from dcq.quiz.build import first_of
from dcq.quiz.choice import QuizChoice, to_write
from dcq.quiz.estimate import estimate_questions
from dcq.records import Item, QuizKind
from dcq.store import Store, partitions, quizzes, rewordings, runs, samples
from dcq.store.answers import answered_and_failed
from dcq.store.investigations import Investigation, Place
from dcq.store.samples import StoredSample
from dcq.variants import control_writing, placebo_writing
from dcq.variants.method import REWORDING
from dcq.words import listed, model_title, usd_words


@dataclass(frozen=True)
class Need:
    """What one model still has to be asked in one quiz, or by one other method. ``slot`` is the
    letter of the original (None: it has none, or the modified quiz has to show it). ``calls`` are
    to be made besides ``had`` answers of its ``run``; ``usd`` is None where the price is
    unknown. It is about so many ``instances`` in all, 0 where nothing can be asked."""

    kind: str
    sample: str
    model: str
    slot: str | None
    run: str | None
    had: int
    calls: int
    tokens_in: int
    tokens_out: int
    usd: float | None
    instances: int = 0


def needs(
    store: Store,
    choice: QuizChoice,
    models: Sequence[str],
    terms: Terms,
    questions: Questions | None = None,
) -> list[Need]:
    """The needs of each model in each quiz, in the order in which they are asked. While a slot is
    not known yet, all questions of its quizzes are counted; there are as many at any slot.
    Rewordings that controls lack come first, for the first model alone, because they are written
    once; of those controls all instances are counted, as if each could be reworded."""
    unwritten = to_write(store, choice)
    questions = questions or Questions(store)
    questions.unwritten.update(unwritten)
    written = [_rewording(store, choice, sample_id, models[0]) for sample_id in unwritten if models]
    return written + [
        need for model in models for need in _of_model(store, questions, choice, model, terms)
    ]


def _rewording(store: Store, choice: QuizChoice, sample_id: str, model: str) -> Need:
    """The rewordings of a control, by the writer of the target's; ``model`` is on whose budget."""
    writer = placebo_writing.writer_of(store, choice.sample)
    assert writer is not None  # noqa: S101  (or it would have nothing to write)
    texts = control_writing.texts_each(store, choice.sample)
    cost = control_writing.estimate(store, sample_id, writer, texts)
    run = rewordings.newest_run(store, sample_id, control_writing.name_of(writer))
    figures = (cost.calls, cost.tokens_in, cost.tokens_out, cost.cost_usd)
    return Need(REWORDING.name, sample_id, model, None, run, 0, *figures)


def of_method(store: Store, place: Place, model: str, questions: Questions | None = None) -> Need:
    """The need of a method besides the quiz, for a model and one sample. Raises ModelChoiceError
    where the model cannot be asked."""
    questions = questions or Questions(store)
    endpoint = questions.endpoint(model)
    return _of_method(store, questions, place, model, endpoint, None, Terms())


def rewordings_words(store: Store, choice: QuizChoice) -> str:
    """Which controls of a choice have their rewordings written first, by whom and at what price, as
    a sentence; empty where all are written."""
    unwritten, writer = to_write(store, choice), placebo_writing.writer_of(store, choice.sample)
    if not unwritten or writer is None:
        return ""
    texts = control_writing.texts_each(store, choice.sample)
    costs = [control_writing.estimate(store, sample_id, writer, texts) for sample_id in unwritten]
    known = [cost.cost_usd for cost in costs if cost.cost_usd is not None]
    usd = sum(known) if len(known) == len(costs) else None
    names = [partitions.place(store, samples.partition_of(store, each)) for each in unwritten]
    noun = "control is" if len(names) == 1 else "controls are"
    price = "free of charge" if usd == 0 else usd_words(usd)
    return (
        f"{len(names)} {noun} reworded first, by {writer.model or 'the offline generator'} like "
        f"the target ({sum(cost.calls for cost in costs):,} calls, {price}): {listed(names)}."
    )


def others_words(
    store: Store, sample_id: str, models: Sequence[str], among: Sequence[Answer]
) -> str:
    """Which of the conclusions ``among`` all of a store would no longer hold if these models were
    asked about a sample too and showed nothing, as a sentence; empty where all would. The more is
    asked about a benchmark, the more there is to correct for."""
    partition = samples.partition_of(store, sample_id)
    new = {(model_itself(model), partition.id) for model in models}
    lost = lost_to(new, among)
    if not lost:
        return ""
    names = listed([f"{model_title(answer.model)} on {answer.place}" for answer in lost])
    return (
        f"All models that are asked about {partition.title} are corrected together. If this finds "
        f"nothing, the conclusion on {names} will be undecided."
    )


class Questions:
    """What is asked by each quiz and other method, built once for all models. Of samples that are
    ``unwritten`` yet each instance stands for its rewordings, which are about as long."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.unwritten: set[str] = set()
        self._endpoints: dict[tuple[str, str], Endpoint | ModelChoiceError] = {}
        self._samples: dict[str, StoredSample] = {}
        self._built: dict[tuple[QuizKind, str, str | None], tuple[Item, ...]] = {}
        self._ids: dict[tuple[QuizKind, str, str | None], str] = {}
        self._proposed: dict[Place, Proposal | InputError] = {}
        self._tokens: dict[Place, list[int]] = {}

    def endpoint(self, model: str, method: str = "") -> Endpoint:
        """Who a model's name means, as a ``method`` asks it. Raises ModelChoiceError where it
        cannot be asked."""
        key = (model, method)
        if key not in self._endpoints:
            try:
                found = resolve(model, settings.load())
                self._endpoints[key] = endpoint_for(method, found) if method else found
            except ModelChoiceError as error:
                self._endpoints[key] = error
        known = self._endpoints[key]
        if isinstance(known, ModelChoiceError):
            raise known
        return known

    def proposal(self, place: Place) -> Proposal:
        """What a new run of another method would ask. Raises InputError where the sample cannot be
        asked about."""
        if place not in self._proposed:
            try:
                self._proposed[place] = methods.named(place[0]).propose(self.store, place[1])
            except InputError as error:
                self._proposed[place] = error
        proposed = self._proposed[place]
        if isinstance(proposed, InputError):
            raise proposed
        return proposed

    def tokens(self, place: Place, count: int) -> list[int]:
        """The estimated tokens of the first ``count`` requests of ``proposal``."""
        known, task = self._tokens.setdefault(place, []), self.proposal(place).task
        known += [estimate_tokens(task.text(each)) for each in range(len(known), count)]
        return known[:count]

    def sample(self, sample_id: str) -> StoredSample:
        """A sample with its instances."""
        if sample_id not in self._samples:
            self._samples[sample_id] = samples.load(self.store, sample_id)
        return self._samples[sample_id]

    def of(self, place: Place, letter: str | None) -> tuple[Item, ...]:
        """Empty where no question can be built."""
        kind, sample_id = QuizKind(place[0]), place[1]
        key = (kind, sample_id, letter)
        if key not in self._built:
            slot = freeze.read_slot(letter) if letter else None
            sample = self.sample(sample_id)
            try:
                if sample_id in self.unwritten:
                    built = build.build_from_originals(kind, sample.instances).items
                else:
                    built = freeze.questions(self.store, sample, kind, slot).items
            except InputError:
                built = ()
            self._built[key] = built
        return self._built[key]

    def quiz(self, place: Place, letter: str | None) -> str:
        """The id that the quiz has, or will have once it is frozen."""
        kind, sample_id = QuizKind(place[0]), place[1]
        key = (kind, sample_id, letter)
        if key not in self._ids:
            slot = freeze.read_slot(letter) if letter else None
            self._ids[key] = quizzes.identify(
                self.sample(sample_id).id,
                kind,
                slot,
                prompts.prompt_for(kind).id,
                self.of(place, letter),
            )
        return self._ids[key]


def _of_model(
    store: Store, questions: Questions, choice: QuizChoice, model: str, terms: Terms
) -> list[Need]:
    try:
        endpoint: Endpoint | None = questions.endpoint(model)
    except ModelChoiceError:  # said where it is asked
        endpoint = None
    record = open_record(store, choice, endpoint.name, terms.limit) if endpoint else None
    needs: list[Need] = []
    letter: str | None = None
    for place in choice.quizzes:
        # After the modified quiz the place of the original is known only if that is done.
        slot_known = endpoint is not None and (
            not needs or choice.kind not in build.PLACED or not needs[0].calls
        )
        if len(needs) == 1 and slot_known and endpoint is not None:
            letter = slot_of(store, record) if record else None
            letter = letter or propose(store, choice.sample, endpoint, choice.kind)
        run = _run(store, questions, place, letter, endpoint, record, terms) if slot_known else None
        needs.append(_need(store, questions, place, letter, model, run, terms))
    others: dict[Place, Need] = {}
    for other in choice.places:
        if not is_quiz(other):
            need = _of_method(store, questions, other, model, endpoint, record, terms)
            if other[1] in questions.unwritten and not need.calls:
                need = _like_the_target(questions, others[other[0], choice.sample], need)
            others[other] = need
    return [*needs, *others.values()]


def _like_the_target(questions: Questions, target: Need, control: Need) -> Need:
    """The need of a method that asks about rewordings, of a control that has none yet: that of the
    target for as many instances."""
    sizes = [len(questions.sample(need.sample).instances) for need in (control, target)]
    part = sizes[0] / max(1, sizes[1])
    return replace(
        control,
        instances=sizes[0],
        calls=math.ceil(target.calls * part),
        tokens_in=math.ceil(target.tokens_in * part),
        tokens_out=math.ceil(target.tokens_out * part),
        usd=None if target.usd is None else target.usd * part,
    )


def _of_method(
    store: Store,
    questions: Questions,
    place: Place,
    model: str,
    endpoint: Endpoint | None,
    record: Investigation | None,
    terms: Terms,
) -> Need:
    """What another method still asks. Where a sample cannot be asked about, that is said when it
    is tried."""
    name, sample_id = place
    run, had, tokens, max_tokens, instances = None, 0, [], 0, 0
    if record is not None and place in record.runs:
        run = record.runs[place].run
    elif endpoint is not None:
        with contextlib.suppress(ModelChoiceError):  # said where it is asked
            asked = questions.endpoint(endpoint.name, name)
            run = method_run(store, place, asked.name, terms.limit)
    if run is not None:
        plan = runs.load(store, run).plan
        task = methods.kind_of(plan.method).reopen(store, plan)
        done, max_tokens = answered_and_failed(store, run)[0], plan.max_tokens
        had = len(done)
        left = (position for position in range(_count(task, terms)) if position not in done)
        tokens = [estimate_tokens(task.text(position)) for position in left]
        instances = _instances(task, terms)
    else:
        with contextlib.suppress(InputError):
            proposal = questions.proposal(place)
            max_tokens = proposal.prompt.max_tokens
            tokens = questions.tokens(place, _count(proposal.task, terms))
            instances = _instances(proposal.task, terms)
    cost_estimate = estimate_counted(model, tokens, max_tokens)
    return Need(
        name,
        sample_id,
        model,
        None,
        run,
        had,
        cost_estimate.calls,
        cost_estimate.tokens_in,
        cost_estimate.tokens_out,
        cost_estimate.cost_usd,
        instances,
    )


def _instances(task: Task, terms: Terms) -> int:
    """How many instances are asked about."""
    return _count(task, terms) // max(1, task.count_first(1))


def _count(task: Task, terms: Terms) -> int:
    return task.size if terms.limit is None else task.count_first(terms.limit)


def _run(
    store: Store,
    questions: Questions,
    place: Place,
    letter: str | None,
    endpoint: Endpoint | None,
    record: Investigation | None,
    terms: Terms,
) -> str | None:
    """The run that the investigation will resume; None where it starts a new one."""
    if endpoint is None:
        return None
    if record is not None and place in record.runs:
        return record.runs[place].run
    if not questions.of(place, letter):
        return None
    return quiz_run(store, questions.quiz(place, letter), endpoint.name, terms.limit)


def _need(
    store: Store,
    questions: Questions,
    place: Place,
    letter: str | None,
    model: str,
    run: str | None,
    terms: Terms,
) -> Need:
    kind, sample_id = QuizKind(place[0]), place[1]
    plan = runs.load(store, run).plan if run is not None else None
    items = quizzes.load(store, plan.subject).items if plan else questions.of(place, letter)
    wanted_items = first_of(items, terms.limit)
    count = len(wanted_items)
    had: Collection[int] = ()
    if run is not None and plan is not None:
        had, _ = answered_and_failed(store, run)
        done = is_asked(store, run, terms.limit, failed_too=False)
        count = 0 if done else max(count, plan.items)
    remaining_items = [items[position] for position in range(count) if position not in had]
    partition = questions.sample(sample_id).partition
    estimate = estimate_questions(
        model, prompts.prompt_for(kind), partition.title, partition.split_title, remaining_items
    )
    return Need(
        kind,
        sample_id,
        model,
        letter,
        run,
        len(had),
        estimate.calls,
        estimate.tokens_in,
        estimate.tokens_out,
        estimate.cost_usd,
        len({item.instance_id for item in wanted_items}),
    )
