"""An investigation: a target, its controls and a model, asked in one go.

The model takes the modified quiz of the target, which shows the slot that it chooses least; then
the standard quiz of the target and of each control, with the original in that slot, or the rotated
quiz, which needs no slot. Other methods follow, on the target and on each control. Controls without
rewordings are reworded before the first of them is asked.

Its runs are ordinary runs. A run that has its answers already becomes part of the investigation and
is not asked again. Which runs those are is written down, because a control's answers serve many
targets and its cost counts once. If a process is killed, another continues.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial

from dcq import methods, words
from dcq.asking import launch, prepare
from dcq.asking import task as asking
from dcq.asking.chain import CANCELLED, Chain
from dcq.asking.exclusive import Exclusive, claiming, find_other
from dcq.asking.options import DEFAULTS, NO_TERMS, Options, Terms
from dcq.asking.plan import FINISHED, resolve_all
from dcq.asking.task import Ended
from dcq.errors import AskedAlreadyError
from dcq.investigation import evidence_order
from dcq.investigation.adopt import Adopter
from dcq.investigation.control_rewordings import LOOK_SECONDS, ControlRewordings, check_writer
from dcq.investigation.state import (
    InvestigationStep,
    check_methods,
    endpoint_for,
    is_asked,
    is_quiz,
    method_run,
    of_choice,
    open_record,
    propose,
    quiz_run,
    silent,
    slot_of,
    steps,
)
from dcq.jobs import lock
from dcq.models.endpoints import Endpoint
from dcq.quiz import build, freeze, modes
from dcq.quiz.choice import QuizChoice, check_questions, to_write
from dcq.quiz.method import QUIZ
from dcq.records import QuizKind
from dcq.store import Store, answer_plans, investigations, partitions, runs, samples
from dcq.store.investigations import Investigation, Place
from dcq.store.moment import at_one_moment
from dcq.store.runs import Event

EXCLUSIVE = Exclusive(
    "investigate-", "{who} is investigating this sample already; wait, or cancel its run."
)


@dataclass(frozen=True)
class InvestigationProgress:
    """The present state of an investigation: its steps, the letter of its slot (None where it has
    none or it is not known yet), and how the last run ``ended``."""

    record: Investigation
    steps: tuple[InvestigationStep, ...]
    slot: str | None
    ended: Ended


def begin(
    store: Store, choice: QuizChoice, models: Sequence[str], terms: Terms = NO_TERMS
) -> list[Investigation]:
    """Have each model asked in a separate process, one process for all of them; returns the stored
    investigations. An investigation of the same choice that is not done goes on. Of ``terms``,
    limit and budget count.

    Raises InputError, and starts nothing, if one of the models cannot be asked with these terms or
    is busy with this sample.
    """
    endpoints = resolve_all(models)
    records: list[Investigation] = []

    def plan_first() -> dict[str, str]:
        check_questions(store, choice)
        check_writer(store, choice, terms)
        for endpoint in endpoints:
            prepare.check_price(endpoint, terms)
            check_methods(choice.methods, endpoint)
        firsts = {}
        for endpoint in endpoints:
            known = open_record(store, choice, endpoint.name, terms.limit)
            record = _prepared(store, known, choice, endpoint, terms)
            walk = _Walk(store, record, endpoint, DEFAULTS)
            records.append(record)
            first = walk.first_open()
            if first is not None:
                firsts[endpoint.name] = first
        return firsts

    subject, names = ("investigate", choice.sample), [endpoint.name for endpoint in endpoints]
    launch.begin_chains(store, EXCLUSIVE, subject, names, plan_first)
    return [investigations.load(store, record.id) for record in records]


async def investigate(
    store: Store,
    choice: QuizChoice,
    model: str,
    options: Options = DEFAULTS,
    *,
    resume: bool = False,
) -> InvestigationProgress:
    """Ask the remaining quizzes one after the other, until one does not finish. ``resume`` goes on
    with the newest investigation of the sample by this model, if there is one, whatever else
    ``choice`` says; its limit and budget stay unless others are given. The budget (USD) is for all
    runs of the investigation.

    Raises InputError if the model cannot be asked, or is busy with this sample.
    """
    endpoint, terms = QUIZ.endpoint(model), options.terms
    with store.keep_open(), EXCLUSIVE.hold(store, choice.sample, endpoint.name):
        prepare.check_price(endpoint, terms)
        known = investigations.newest(store, choice.sample, endpoint.name) if resume else None
        if known is None:
            check_questions(store, choice)
            check_writer(store, choice, terms)
            check_methods(choice.methods, endpoint)
        record = _prepared(store, known, choice, endpoint, terms)
        ended = await _Walk(store, record, endpoint, options).go()
    record = investigations.load(store, record.id)
    return InvestigationProgress(record, tuple(steps(store, record)), slot_of(store, record), ended)


@at_one_moment
def is_finished(store: Store, choice: QuizChoice, endpoint: Endpoint, limit: int | None) -> bool:
    """Whether the newest investigation of a model is of this choice, with these weights, and has
    all answers to what would be asked now: another one would only find its runs again."""
    record = investigations.newest(store, choice.sample, endpoint.name)
    if record is None or record.limit != limit or not of_choice(record, choice):
        return False
    modified = record.runs.get((QuizKind.MODIFIED, record.sample))
    if (
        modified is None
        or not _has_weights(store, choice, endpoint)
        or to_write(store, choice)
        or silent(store, QuizKind.MODIFIED, modified.run)
    ):
        return False
    letter = slot_of(store, record) if record.kind in build.PLACED else None
    slot = freeze.read_slot(letter) if letter else None
    return all(_is_answered(store, record, place, slot) for place in record.places)


def _is_answered(store: Store, record: Investigation, place: Place, slot: int | None) -> bool:
    """Whether a place has all answers, and what follows them too. Of a quiz, its questions must be
    those that would be asked now, with the original at the ``slot`` of the investigation."""
    adopted = record.runs.get(place)
    if adopted is None or not is_asked(store, adopted.run, record.limit, failed_too=False):
        return False
    if is_quiz(place):
        kind = QuizKind(place[0])
        placed = slot if kind in build.PLACED else None
        asked = runs.load(store, adopted.run).plan.subject
        return asked == freeze.quiz_now(store, place[1], kind, placed)
    return all(
        step.run is not None and is_asked(store, step.run, None, failed_too=False)
        for step in methods.named(place[0]).kinds[0].followers(store, adopted.run)
    )


def _has_weights(store: Store, choice: QuizChoice, endpoint: Endpoint) -> bool:
    """Whether the weights that were fixed last for a model are those of a choice."""
    wanted = (
        modes.of(endpoint.mode).model(endpoint.name),
        samples.partition_of(store, choice.sample).id,
    )
    fixed = answer_plans.newest(store, *wanted)
    return fixed is not None and list(fixed.methods) == evidence_order.weights(
        choice, endpoint.mode
    )


@dataclass(frozen=True)
class _At:
    """The run of a quiz; ``done`` if it has its answers, ``planned`` if it is new."""

    run: str
    done: bool
    planned: bool


class _Walk:
    """One investigation on its way."""

    def __init__(
        self, store: Store, record: Investigation, endpoint: Endpoint, options: Options
    ) -> None:
        self.store, self.record, self.endpoint = store, record, endpoint
        self.watch = options.watch
        self.runs = {place: adopted_run.run for place, adopted_run in record.runs.items()}
        self.chain = Chain(
            store,
            replace(
                options,
                terms=Terms(record.limit, record.budget_usd, concurrency=options.terms.concurrency),
            ),
            {adopted_run.run: adopted_run.usd_before for adopted_run in record.runs.values()},
            logprobs=True,
        )
        self.adopter = Adopter(store, record.id, self.chain)
        self.rewordings = ControlRewordings(store, record, self.chain, self.watch)
        self._quizzes: dict[Place, str] = {}  # as frozen when each was first looked at

    def first_open(self) -> str | None:
        """The run of the first quiz that has questions left, planned if there is none; None if all
        have their answers. Raises InputError if another process is asking it."""
        for place in self.record.places:
            if place[1] != self.record.sample and (rewording := self.rewordings.first_open()):
                return rewording
            at = self._step(place)
            if at.done:
                if silent(self.store, place[0], at.run):
                    return None
                follower = self._open_follower(place, at.run)
                if follower is None:
                    continue
                at = follower
            if not at.planned:
                if launch.is_live(self.store, at.run):
                    raise AskedAlreadyError(
                        f"{self.endpoint.name} is being asked this already (run {at.run}); wait "
                        "or cancel it."
                    )
                runs.note(self.store, at.run, Event.PLANNED)
            return at.run
        return None

    async def go(self) -> Ended:
        """Ask what is left."""
        before: Place | None = None
        for number in range(len(self.record.places)):
            place = self.record.places[number]
            if place[1] in self.record.controls and place not in self.runs:
                if (ended := await self.rewordings.write()).event is not Event.FINISHED:
                    return ended
                self.record = self.rewordings.record
                place = self.record.places[number]
            if (
                before is not None
                and place[0] != before[0]
                and (explanation := self._enough(place))
            ):
                return Ended(Event.FINISHED, explanation)
            has_run, before = place in self.runs, place
            at, ended = await self._ask(place)
            if at is not None and at.done and not has_run:
                self.watch.on_news(f"{self._name(place)} has its answers already (run {at.run}).")
            if at is None or ended.event is not Event.FINISHED:
                return ended
            if reason := silent(self.store, place[0], at.run):
                return Ended(Event.STOPPED, reason)
        return FINISHED

    def _enough(self, place: Place) -> str:
        """Before another method is asked: why it need not be, in which case it is no part of the
        investigation any more; empty if it is asked."""
        if is_quiz(place) or place in self.runs:
            return ""
        answer = evidence_order.answer_of(self.store, self.record)
        if answer is None or not evidence_order.is_clear(answer):
            return ""
        names = self.record.methods
        retained = names[: names.index(place[0])]
        self.record = investigations.narrow(self.store, self.record.id, retained)
        titles = [methods.named(name).title.lower() for name in names if name not in retained]
        explanation = (
            f"The answer is clear, so {words.listed(titles)} is not asked: {answer.sentence}"
        )
        self.watch.on_news(explanation)
        return explanation

    async def _ask(self, place: Place) -> tuple[_At | None, Ended]:
        """Ask what is left of one quiz. If another process is at it, for another target with the
        same control, its answers are waited for; None if that, or what comes before, is cancelled.
        """
        if self._has_answers(place):  # of an earlier investigation, and nobody need be waited for
            return self._step(place), FINISHED
        while True:
            await self._wait(place)
            if self.chain.cancelled:
                return None, CANCELLED
            try:
                with claiming(self.store):  # or two would plan the same quiz at once
                    at = self._step(place)
                if at.done and self._open_follower(place, at.run) is None:
                    return at, FINISHED
                with self._held(place):
                    ended = FINISHED
                    if not at.done:
                        ended = await self.chain.ask(self._asked(place, at.run))
                    if ended.event is Event.FINISHED:
                        ended = await self.chain.ask_all(self._followers(place, at.run))
                    return at, ended
            except AskedAlreadyError:  # another process was faster
                await asyncio.sleep(LOOK_SECONDS)

    def _has_answers(self, place: Place) -> bool:
        """Whether a run has all that is asked at a place, which nothing has to follow."""
        run_id = self.runs.get(place) or self._known(place)
        return (
            run_id is not None
            and is_asked(self.store, run_id, self.record.limit, failed_too=False)
            and not any(self._kind(place).followers(self.store, run_id))
        )

    async def _wait(self, place: Place) -> None:
        """Until no other process asks this quiz, or it is cancelled. The run is no part of the
        investigation before: whoever cancels one would cancel the other."""
        notified = False
        while not self.chain.cancelled:
            run_id = self.runs.get(place) or self._known(place)
            if not self._busy(place, run_id):
                return
            if not notified:
                which = f" (run {run_id})" if run_id else ""
                self.watch.on_news(
                    f"{self._name(place)} is being asked elsewhere{which}; waiting for it."
                )
                notified = True
            await asyncio.sleep(LOOK_SECONDS)

    def _step(self, place: Place) -> _At:
        """Where a quiz is: its run is found, or planned and written down."""
        run_id, planned = self.runs.get(place), False
        if run_id is None:
            known = self._known(place)
            planned = known is None
            new_step = partial(self._asked, place)
            run_id = self.adopter.adopt(place, known, self._asks(place), new_step)
            self.runs[place] = run_id
        is_done = is_asked(self.store, run_id, self.record.limit, failed_too=False)
        return _At(run_id, is_done, planned)

    def _busy(self, place: Place, run_id: str | None) -> bool:
        """Whether another process asks a run, or what it belongs to."""
        exclusive = self._kind(place).exclusive
        who = (place[1], self.endpoint.name)
        if run_id is not None and lock.is_held(self.store, run_id):
            return True
        if exclusive is not None and exclusive.is_held(self.store, *who):
            return True
        about = self._quiz(place) if is_quiz(place) and not run_id else place[1]
        if run_id:
            about = runs.load(self.store, run_id).plan.subject
        method = self._kind(place).name
        return find_other(self.store, method, about, self._asks(place), run_id or "") is not None

    def _held(self, place: Place) -> AbstractContextManager[None]:
        """The lock under which a run is asked with what follows it."""
        exclusive = self._kind(place).exclusive
        if exclusive is None:
            return nullcontext()
        return exclusive.hold(self.store, place[1], self.endpoint.name)

    def _followers(self, place: Place, run_id: str) -> Iterator[asking.ChainStep]:
        """What follows a run, on the budget of the investigation: each is written down as part of
        it, with what it had cost before."""
        for step in self._kind(place).followers(self.store, run_id):
            yield replace(step, run=self._follower_run(place, step))

    def _follower_run(self, place: Place, step: asking.ChainStep) -> str:
        """The run of a follower, planned if there is none."""
        where = (step.method.name, place[1])
        return self.adopter.adopt(where, step.run, step.endpoint, lambda: step)

    def _open_follower(self, place: Place, run_id: str) -> _At | None:
        """The first of what follows a run with its answers that lacks its own."""
        for step in self._kind(place).followers(self.store, run_id):
            if step.run is None or not is_asked(self.store, step.run, None, failed_too=False):
                return _At(self._follower_run(place, step), done=False, planned=step.run is None)
        return None

    def _kind(self, place: Place) -> asking.Method:
        return QUIZ if is_quiz(place) else methods.named(place[0]).kinds[0]

    def _known(self, place: Place) -> str | None:
        """The run that a place has already."""
        model, limit = self._asks(place).name, self.record.limit
        if is_quiz(place):
            return quiz_run(self.store, self._quiz(place), model, limit)
        return method_run(self.store, place, model, limit)

    def _asks(self, place: Place) -> Endpoint:
        """Who is asked at a place: a method may ask the same model in another way."""
        return self.endpoint if is_quiz(place) else endpoint_for(place[0], self.endpoint)

    def _asked(self, place: Place, run_id: str | None = None) -> asking.ChainStep:
        # What is asked already is not frozen again: its variants may have changed since.
        subject = runs.load(self.store, run_id).plan.subject if run_id else self._subject(place)
        name = self._name(place)
        return asking.ChainStep(
            self._kind(place), subject, self._asks(place), run_id, self.record.limit, name
        )

    def _subject(self, place: Place) -> str:
        if is_quiz(place):
            return self._quiz(place)
        return methods.named(place[0]).subject(self.store, place[1])

    def _quiz(self, place: Place) -> str:
        if place not in self._quizzes:
            kind, sample_id = QuizKind(place[0]), place[1]
            letter = self._letter() if kind in build.PLACED else None
            self._quizzes[place] = freeze.freeze(self.store, sample_id, kind, slot=letter).quiz
        return self._quizzes[place]

    def _letter(self) -> str | None:
        letter = slot_of(self.store, investigations.load(self.store, self.record.id))
        return letter or propose(self.store, self.record.sample, self.endpoint, self.record.kind)

    def _name(self, place: Place) -> str:
        kind, sample_id = place
        partition = samples.partition_of(self.store, sample_id)
        return f"{kind.capitalize()} on {partitions.place(self.store, partition)}"


def _prepared(
    store: Store, known: Investigation | None, choice: QuizChoice, endpoint: Endpoint, terms: Terms
) -> Investigation:
    """The ``known`` investigation with the limit and budget of ``terms``, or a new one."""
    if known is not None:
        return investigations.allow(store, known.id, limit=terms.limit, budget_usd=terms.budget_usd)
    fix_weights(store, choice, endpoint)
    return investigations.create(
        store,
        choice.sample,
        endpoint.name,
        choice.kind,
        choice.controls,
        methods=choice.methods,
        limit=terms.limit,
        budget_usd=terms.budget_usd,
    )


def fix_weights(store: Store, choice: QuizChoice, endpoint: Endpoint) -> None:
    """Before the first reply, store the weights of the methods on which the answer will rest."""
    answer_plans.add(
        store,
        modes.of(endpoint.mode).model(endpoint.name),
        samples.partition_of(store, choice.sample).id,
        evidence_order.weights(choice, endpoint.mode),
    )
