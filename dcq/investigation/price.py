"""The price of an investigation, quiz by quiz, before anything is spent."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from dcq import methods, settings
from dcq.asking.cost import estimate
from dcq.asking.options import Terms
from dcq.asking.task import Task
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
from dcq.models.endpoints import Endpoint, resolve
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
from dcq.words import listed, usd_words


@dataclass(frozen=True)
class Need:
    """What one model still has to be asked in one quiz, or by one other method. ``slot`` is the
    letter of the original (None: it has none, or the modified quiz has to show it). ``calls`` are
    to be made besides ``had`` answers of its ``run``; ``usd`` is None where the price is
    unknown."""

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


def needs(store: Store, choice: QuizChoice, models: Sequence[str], terms: Terms) -> list[Need]:
    """The needs of each model in each quiz, in the order in which they are asked. While a slot is
    not known yet, all questions of its quizzes are counted; there are as many at any slot.
    Rewordings that controls lack come first, for the first model alone, because they are written
    once; of those controls all instances are counted, as if each could be reworded."""
    unwritten = to_write(store, choice)
    questions = _Questions(store, unwritten)
    written = [_rewording(store, choice, sample_id, models[0]) for sample_id in unwritten if models]
    return written + [
        need for model in models for need in _of_model(store, questions, choice, model, terms)
    ]


def _rewording(store: Store, choice: QuizChoice, sample_id: str, model: str) -> Need:
    """The rewordings of a control, by the writer of the target's; ``model`` is on whose budget."""
    writer = placebo_writing.writer_of(store, choice.sample)
    assert writer is not None  # noqa: S101  (or it would have nothing to write)
    cost = control_writing.estimate(store, sample_id, writer)
    run = rewordings.newest_run(store, sample_id, control_writing.name_of(writer))
    figures = (cost.calls, cost.tokens_in, cost.tokens_out, cost.cost_usd)
    return Need(REWORDING.name, sample_id, model, None, run, 0, *figures)


def of_method(store: Store, place: Place, model: str) -> Need:
    """The need of a method besides the quiz, for a model and one sample. Raises ModelChoiceError
    where the model cannot be asked."""
    return _of_method(store, place, model, resolve(model, settings.load()), None, Terms())


def rewordings_words(store: Store, choice: QuizChoice) -> str:
    """Which controls of a choice have their rewordings written first, by whom and at what price, as
    a sentence; empty where all are written."""
    unwritten, writer = to_write(store, choice), placebo_writing.writer_of(store, choice.sample)
    if not unwritten or writer is None:
        return ""
    costs = [control_writing.estimate(store, sample_id, writer) for sample_id in unwritten]
    known = [cost.cost_usd for cost in costs if cost.cost_usd is not None]
    usd = sum(known) if len(known) == len(costs) else None
    names = [partitions.place(store, samples.partition_of(store, each)) for each in unwritten]
    noun = "control is" if len(names) == 1 else "controls are"
    price = "free of charge" if usd == 0 else usd_words(usd)
    return (
        f"{len(names)} {noun} reworded first, by {writer.model or 'the offline generator'} like "
        f"the target ({sum(cost.calls for cost in costs):,} calls, {price}): {listed(names)}."
    )


class _Questions:
    """The questions of each quiz, built once for all models. Of samples that are ``unwritten`` yet
    each instance stands for its rewordings, which are about as long."""

    def __init__(self, store: Store, unwritten: Collection[str] = ()) -> None:
        self.store, self.unwritten = store, unwritten
        self._samples: dict[str, StoredSample] = {}
        self._built: dict[tuple[QuizKind, str, str | None], tuple[Item, ...]] = {}

    def sample(self, sample_id: str) -> StoredSample:
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
        slot = freeze.read_slot(letter) if letter else None
        prompt = prompts.prompt_for(kind).id
        return quizzes.identify(
            self.sample(sample_id).id, kind, slot, prompt, self.of(place, letter)
        )


def _of_model(
    store: Store, questions: _Questions, choice: QuizChoice, model: str, terms: Terms
) -> list[Need]:
    try:
        endpoint: Endpoint | None = resolve(model, settings.load())
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
            need = _of_method(store, other, model, endpoint, record, terms)
            if other[1] in questions.unwritten and not need.calls:
                need = _like_the_target(questions, others[other[0], choice.sample], need)
            others[other] = need
    return [*needs, *others.values()]


def _like_the_target(questions: _Questions, target: Need, control: Need) -> Need:
    """The need of a method that asks about rewordings, of a control that has none yet: that of the
    target for as many instances."""
    sizes = [len(questions.sample(need.sample).instances) for need in (control, target)]
    part = sizes[0] / max(1, sizes[1])
    return replace(
        control,
        calls=math.ceil(target.calls * part),
        tokens_in=math.ceil(target.tokens_in * part),
        tokens_out=math.ceil(target.tokens_out * part),
        usd=None if target.usd is None else target.usd * part,
    )


def _of_method(
    store: Store,
    place: Place,
    model: str,
    endpoint: Endpoint | None,
    record: Investigation | None,
    terms: Terms,
) -> Need:
    """What another method still asks. Where a sample cannot be asked about, that is said when it
    is tried."""
    name, sample_id = place
    run, had, texts, max_tokens = None, 0, [], 0
    if record is not None and place in record.runs:
        run = record.runs[place].run
    elif endpoint is not None:
        with contextlib.suppress(ModelChoiceError):  # said where it is asked
            run = method_run(store, place, endpoint_for(name, endpoint).name, terms.limit)
    if run is not None:
        plan = runs.load(store, run).plan
        task: Task | None = methods.kind_of(plan.method).reopen(store, plan)
        max_tokens = plan.max_tokens
    else:
        try:
            proposal = methods.named(name).propose(store, sample_id)
            task, max_tokens = proposal.task, proposal.prompt.max_tokens
        except InputError:
            task = None
    if task is not None:
        count = task.size if terms.limit is None else task.count_first(terms.limit)
        done = answered_and_failed(store, run)[0] if run else set()
        had = len(done)
        texts = [task.text(position) for position in range(count) if position not in done]
    cost_estimate = estimate(model, texts, max_tokens)
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
    )


def _run(
    store: Store,
    questions: _Questions,
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
    questions: _Questions,
    place: Place,
    letter: str | None,
    model: str,
    run: str | None,
    terms: Terms,
) -> Need:
    kind, sample_id = QuizKind(place[0]), place[1]
    items = questions.of(place, letter)
    count = len(first_of(items, terms.limit))
    had: Collection[int] = ()
    if run is not None:
        plan = runs.load(store, run).plan
        items = quizzes.load(store, plan.subject).items
        count = len(first_of(items, terms.limit))
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
    )
