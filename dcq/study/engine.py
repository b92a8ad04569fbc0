"""Brings about what a study is to know: samples, rewordings, controls, questions, conclusions.

Each step is done only where its result is not there already, so that the same study asks nothing
when it is run again, and goes on where a process was killed.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from dcq.asking import prepare
from dcq.asking.chain import CANCELLED, spent
from dcq.asking.cost import CostEstimate
from dcq.asking.options import NOBODY, Options, Terms, Watch
from dcq.asking.plan import resolve_all
from dcq.asking.purse import Purse, read_record
from dcq.asking.task import Ended
from dcq.errors import InputError
from dcq.investigation import blocks, evidence_order, more_controls, power, price, walk
from dcq.investigation.planned import PowerPlan, change_words, problem_lines, usd_of
from dcq.investigation.price import Need
from dcq.investigation.walk import InvestigationProgress
from dcq.judging.judged import Ruling
from dcq.languages import Guess
from dcq.models.endpoints import Endpoint
from dcq.quiz import choice as choosing
from dcq.quiz.choice import QuizChoice
from dcq.records import Sample, fingerprint
from dcq.store import Store, rewordings, runs, samples, sets, variants
from dcq.store.runs import Event
from dcq.store.studies import EVERYTHING, Study
from dcq.store.variants import Decision
from dcq.study import targets, texts
from dcq.study.spec import ControlSource, ControlSpec, RewordingSpec, StudySpec, TargetSpec
from dcq.variants import offline, offline_writer, placebo, placebo_writing
from dcq.variants.control_writing import count_usable, name_of
from dcq.variants.method import REWORDING
from dcq.variants.placebo_writing import PlaceboWriter, writer_of
from dcq.words import counted


@dataclass(frozen=True)
class Manner:
    """How a study is asked, besides what it is to know: other ``methods`` than the quiz (None: all
    that each model allows), at most ``limit`` instances of each sample, ``retry`` for rewordings
    that failed before, ``as_worded`` to leave rewordings as they are, ``resume`` to go on with the
    newest investigation of each model whatever it asks, ``author`` for who asks."""

    methods: tuple[str, ...] | None = None
    limit: int | None = None
    retry: bool = False
    as_worded: bool = False
    resume: bool = False
    author: str = ""


USUAL = Manner()


@dataclass(frozen=True)
class DrawnTarget:
    """A target whose instances are known: its ``sample``, or the id of the one that is in the
    store. ``guessed`` is what its language was guessed by, ``later`` the control of its own rows
    after the models' cut-offs."""

    sample: Sample | str
    guessed: Guess | None = None
    later: Sample | None = None


@dataclass(frozen=True)
class KeptTarget:
    """A target by the id of its ``sample``; ``writer`` writes what its rewordings lack, None where
    they are people's or came with it. ``named``: a person chose a sample of the store. ``later`` is
    the sample of the control of its own later rows, empty where there is none."""

    sample: str
    writer: PlaceboWriter | None
    named: bool
    later: str = ""


def draw(store: Store, spec: StudySpec) -> list[DrawnTarget]:
    """The targets of a study, of which nothing is kept yet. Raises InputError where one of them
    cannot be used."""
    return [
        DrawnTarget(samples.find(store, target.sample)[0]) if target.sample else _draw(target, spec)
        for target in spec.targets
    ]


def _draw(target: TargetSpec, spec: StudySpec) -> DrawnTarget:
    sample, guessed = targets.draw(target)
    later = None
    if spec.controls.source is ControlSource.LATER:
        later = targets.draw_later(target, sample, spec)
    return DrawnTarget(sample, guessed, later)


def keep(
    store: Store, drawn: Sequence[DrawnTarget], spec: StudySpec, *, author: str = ""
) -> list[KeptTarget]:
    """Keep the samples of a study's targets. Rewordings of another writer than the study names
    stay, and the named one writes a further set. Raises InputError where nobody can write them."""
    kept = [_keep(store, target, spec.rewordings, author) for target in drawn]
    return [
        replace(target, later=samples.save(store, each.later, author=author))
        if each.later
        else target
        for target, each in zip(kept, drawn, strict=True)
    ]


def plan(
    store: Store,
    spec: StudySpec,
    drawn: Sequence[DrawnTarget],
    manner: Manner = USUAL,
    within: Study = EVERYTHING,
) -> PowerPlan:
    """What bringing a study about would find, what would block it, what it takes. Nothing is asked
    or stored. Raises InputError where nothing could be asked."""
    with _copy(store) as there:
        planned, needs = _planned(there, spec, drawn, manner)
        found = power.plan(there, planned, Terms(manner.limit, spec.budget), within)
    first, *rest = found.pairs
    return replace(found, pairs=(replace(first, needs=(*needs, *first.needs)), *rest))


@dataclass(frozen=True)
class StudyCost:
    """What bringing a study about takes: ``calls``, and ``usd``, None where a price is unknown.
    ``problem`` says why it would come to no conclusion, empty where nothing is known to block
    one."""

    calls: int
    usd: float | None
    problem: str = ""


def cost(store: Store, spec: StudySpec, manner: Manner = USUAL) -> StudyCost:
    """What bringing a study about takes, without what it would find: in tenths of the time of a
    ``plan``. Nothing is asked or stored. Raises InputError where nothing could be asked."""
    drawn, terms, problem = draw(store, spec), Terms(manner.limit, spec.budget), ""
    with _copy(store) as there:
        planned, needs = _planned(there, spec, drawn, manner)
        for choice, models in planned:
            own = price.needs(there, choice, models, terms)
            needs += own
            found = blocks.find(there, choice, terms, own)
            if found.everything or not found.same_writer:
                problem = problem or next(iter(found.problems), "")
    return StudyCost(sum(need.calls for need in needs), usd_of(needs), problem)


def placebo_cost(store: Store, sample_id: str, writer: PlaceboWriter) -> CostEstimate:
    """What it takes to make a control of a target's own instances, by the writer of its
    rewordings. Raises InputError where none can be made."""
    placebo.propose(store, sample_id)
    return placebo_writing.estimate(store, sample_id, writer)


def _planned(
    there: Store, spec: StudySpec, drawn: Sequence[DrawnTarget], manner: Manner
) -> tuple[list[tuple[QuizChoice, Sequence[str]]], list[Need]]:
    """In a copy of a store: what would be asked of each model, and the rewordings that are written
    before that."""
    planned: list[tuple[QuizChoice, Sequence[str]]] = []
    needs: list[Need] = []
    for target in keep(there, drawn, spec):
        if target.writer is not None and writes(there, target):
            takes = texts.stand_in(there, target.sample, target.writer)
            figures = (takes.calls, takes.tokens_in, takes.tokens_out, takes.cost_usd)
            who = spec.models[0].name
            needs.append(Need(REWORDING.name, target.sample, who, None, None, 0, *figures))
        chosen = _choose(there, target, spec, manner, planning=True)
        planned += _choices(there, spec, chosen, manner)
    return planned, needs


def writes(store: Store, target: KeptTarget) -> bool:
    """Whether rewordings of a target may still have to be written or chosen."""
    if not target.named or not has_questions(store, target.sample):
        return True
    newest = rewordings.newest_run(store, target.sample)
    is_open = newest is not None and runs.load(store, newest).event is not Event.FINISHED
    if target.writer is None or is_open:
        return is_open
    return bool(texts.leak_of(store, target.sample, [None]))  # as it was or will be asked


def has_questions(store: Store, sample_id: str) -> bool:
    """Whether a sample has rewordings for a question."""
    return count_usable(store, sample_id) > 0


async def prepare_target(
    store: Store,
    spec: StudySpec,
    target: KeptTarget,
    manner: Manner = USUAL,
    watch: Watch = NOBODY,
    purse: Purse | None = None,
) -> QuizChoice | Ended:
    """Have a target's rewordings written and its controls drawn; what is then asked, or how the
    writing ended if it did not finish. Raises InputError where nothing can be asked."""
    writer = None if manner.as_worded else target.writer
    if writer is not None and writes(store, target):
        check_models(spec)
        options = Options(author=manner.author, watch=watch, purse=purse)
        ended = await texts.write(store, target.sample, writer, options, retry=manner.retry)
        if ended.event is not Event.FINISHED:
            return ended
    if watch.is_cancelled:
        return CANCELLED
    if spec.rewordings.accepted and (count := waiting(store, [target])):
        raise InputError(
            f"People have {counted(count, 'rewording')} of {target.sample} to accept first, on the "
            "page Variants; nothing was asked."
        )
    choice = _choose(store, target, spec, manner)
    leak = texts.leak_of(store, target.sample) if writer is not None else ""
    if leak:
        repair = f"{leak} {_other_writer(spec, target)}"
        if not _may_conclude(store, spec, choice, manner):
            repair = _with_bundled(store, spec, target, manner) or repair
            raise InputError(f"{repair} Nothing was asked.")
        watch.on_news(f"The quiz will not count, and other methods decide. {repair}")
    return choice


def _may_conclude(store: Store, spec: StudySpec, choice: QuizChoice, manner: Manner) -> bool:
    planned = _choices(store, spec, choice, manner)
    return is_possible(power.plan(store, planned, Terms(manner.limit, spec.budget)))


def _with_bundled(store: Store, spec: StudySpec, target: KeptTarget, manner: Manner) -> str:
    """What to type where the quiz cannot count and bundled controls would let other methods decide,
    as sentences; empty where they would not."""
    if spec.controls.source is ControlSource.BUNDLED:
        return ""
    usual = replace(spec, controls=ControlSpec())
    with _copy(store) as there:
        choice = _choose(there, replace(target, later=""), usual, manner, planning=True)
        if not _may_conclude(there, usual, choice, manner):
            return ""
    return (
        f"{texts.leak_of(store, target.sample)} With more controls other methods decide: python -m "
        f"dcq investigate {target.sample} {_model_options(spec)} --yes"
    )


def check_possible(plan: PowerPlan) -> None:
    """Raise InputError, with the repair, where a plan can come to no conclusion."""
    if not is_possible(plan):
        repairs = [*map(change_words, plan.changes), *problem_lines(plan.pairs)]
        why = "No conclusion is possible, so nothing was started."
        raise InputError(" ".join([why, *repairs[:1]]))


def is_possible(plan: PowerPlan) -> bool:
    """Whether a plan can come to a conclusion on one of its pairs."""
    return any(set(pair.possible) - {Ruling.INCONCLUSIVE} for pair in plan.pairs)


def _other_writer(spec: StudySpec, target: KeptTarget) -> str:
    """Who is to write rewordings instead, as a sentence with the command."""
    return (
        "To have them written by another model: python -m dcq investigate "
        f"{target.sample} {_model_options(spec)} --rewordings {texts.SOME_MODEL}"
    )


def _model_options(spec: StudySpec) -> str:
    return " ".join(f"--model {shlex.quote(model.name)}" for model in spec.models)


async def ask(
    store: Store,
    spec: StudySpec,
    choice: QuizChoice,
    endpoint: Endpoint,
    manner: Manner = USUAL,
    watch: Watch = NOBODY,
    purse: Purse | None = None,
) -> InvestigationProgress:
    """Ask a model all that a conclusion needs. Raises InputError as ``walk.investigate``."""
    choice = _wanted(store, spec, choice, endpoint, manner)
    return await walk.investigate(
        store,
        choice,
        endpoint.name,
        Options(
            _terms(spec, endpoint, manner),
            author=manner.author,
            watch=watch,
            purse=purse,
            # Of a file with a changed row, the others were asked in an earlier sample.
            reuse=bool(texts.earlier_samples(store, choice.sample)),
        ),
        resume=manner.resume,
    )


def is_asked(
    store: Store, spec: StudySpec, choice: QuizChoice, endpoint: Endpoint, manner: Manner = USUAL
) -> bool:
    """Whether a model was asked all of this before, in one investigation, so that ``ask`` would
    change nothing."""
    wanted = _wanted(store, spec, choice, endpoint, manner)
    return not manner.resume and walk.is_finished(store, wanted, endpoint, manner.limit)


def _wanted(
    store: Store, spec: StudySpec, choice: QuizChoice, endpoint: Endpoint, manner: Manner
) -> QuizChoice:
    """With the other methods that a model is asked by."""
    if manner.methods is not None:
        return choice
    usable = evidence_order.usable(store, choice.sample, endpoint, among=spec.weights)
    return _weighed(spec, choice, usable)


def purse_of(store: Store, spec: StudySpec, kept: Sequence[KeptTarget]) -> Purse | None:
    """The budget that all of a study share, less what was spent of it before it was interrupted;
    None where there is none. Whoever has asked settles it (``settle``)."""
    if spec.budget is None:
        return None
    names = [endpoint.name for endpoint in resolve_all(model.name for model in spec.models)]
    about = [spec.name] if spec.name else [*(target.sample for target in kept), *names]
    record = store.runs_folder / f"{fingerprint(*about)}.purse"
    return Purse(spec.budget, _spent_before(store, record), record)


def _spent_before(store: Store, record: Path) -> float:
    """USD that the runs which a purse paid for have cost since."""
    usd = 0.0
    for run, before in read_record(record).items():
        with suppress(InputError):  # of another store
            usd += max(0.0, spent(store, run).usd - before)
    return usd


def settle(purse: Purse | None, watch: Watch = NOBODY) -> None:
    """A study was asked. Unless it was interrupted, or waits for more money, whoever asks it next
    has the whole budget again."""
    if purse is not None and not (watch.is_cancelled or purse.ran_out):
        purse.close()


def _choices(
    store: Store, spec: StudySpec, choice: QuizChoice, manner: Manner
) -> list[tuple[QuizChoice, Sequence[str]]]:
    """What is asked of each model."""
    models = [model.name for model in spec.models]
    every = manner.methods is None
    found = power.choices(store, choice, models, every_method=every, among=spec.weights)
    if manner.methods is not None:
        return found
    return [(_weighed(spec, each, each.methods), names) for each, names in found]


def _weighed(spec: StudySpec, choice: QuizChoice, usable: Sequence[str]) -> QuizChoice:
    """With those of the ``usable`` methods that have a weight in a study, all where it has none."""
    methods = tuple(name for name in usable if not spec.weights or name in spec.weights)
    return replace(choice, methods=methods, weights=tuple(spec.weights.items()))


def waiting(store: Store, kept: Sequence[KeptTarget]) -> int:
    """How many rewordings of targets people have not accepted or rejected yet."""
    return sum(
        variant.decision is Decision.OPEN
        for target in kept
        for slots in variants.current(store, target.sample).values()
        for variant in slots.values()
    )


def check_models(spec: StudySpec) -> None:
    """Raise InputError where a model or a budget of a study cannot be used."""
    for endpoint in resolve_all(model.name for model in spec.models):
        prepare.check_price(endpoint, _terms(spec, endpoint))
    if spec.rewordings.model and spec.rewordings.model != offline_writer.NAME:
        writer = REWORDING.endpoint(spec.rewordings.model)
        prepare.check_price(writer, Terms(budget_usd=spec.budget))


def _terms(spec: StudySpec, endpoint: Endpoint, manner: Manner = USUAL) -> Terms:
    """Within which limits a model is asked: its own, and those of all."""
    own = {each.name: model for model in spec.models for each in resolve_all([model.name])}
    model = own[endpoint.name]
    budgets = [budget for budget in (model.budget, spec.budget) if budget is not None]
    return Terms(manner.limit, min(budgets, default=None), concurrency=model.concurrency)


@contextmanager
def _copy(store: Store) -> Iterator[Store]:
    """A copy of a store, which ends with the block: whoever only plans changes nothing."""
    with tempfile.TemporaryDirectory(prefix="dcq-plan-") as folder:
        is_there = store.path.exists()
        copy = Store(store.copy_file(Path(folder)) if is_there else Path(folder) / store.path.name)
        with copy.keep_open():
            yield copy


def _keep(store: Store, drawn: DrawnTarget, spec: RewordingSpec, author: str) -> KeptTarget:
    named = isinstance(drawn.sample, str)
    sample_id = (
        drawn.sample
        if isinstance(drawn.sample, str)
        else samples.save(store, drawn.sample, author=author)
    )
    if not named and not variants.writers(store, [sample_id]).get(sample_id):
        texts.take_over(store, sample_id, _origin_of(spec))
    origin = variants.writers(store, [sample_id]).get(sample_id, "")
    present = writer_of(store, sample_id) if origin else None
    if not spec.model:
        if not origin:
            offline.check_language(samples.partition_of(store, sample_id).language)
            present = PlaceboWriter(None)
        return KeptTarget(sample_id, present, named)
    wanted = _named_writer(spec)
    if not origin or origin == wanted.origin:
        return KeptTarget(sample_id, present or wanted, named)
    return KeptTarget(_set_by(store, sample_id, name_of(wanted), author), wanted, named)


def _named_writer(spec: RewordingSpec) -> PlaceboWriter:
    if spec.model == offline_writer.NAME:
        return PlaceboWriter(None)
    return PlaceboWriter(REWORDING.endpoint(spec.model).name)


def _origin_of(spec: RewordingSpec) -> str:
    """Whose rewordings are wanted; empty for anybody's."""
    return _named_writer(spec).origin if spec.model else ""


def _set_by(store: Store, sample_id: str, name: str, author: str) -> str:
    """The set of a sample's rewordings that a writer writes, which counts from now on."""
    name = name[: sets.LONGEST_NAME].strip()
    first = samples.load(store, sample_id).set_of or sample_id
    named = sets.set_id(first, name)
    if not any(listed.id == named for listed in samples.listing(store)):
        named = sets.add(store, sample_id, name)
        sets.choose_counting_set(store, named, author=author)
    return named


def _choose(
    store: Store, target: KeptTarget, spec: StudySpec, manner: Manner, *, planning: bool = False
) -> QuizChoice:
    sample_id, others = target.sample, manner.methods or ()
    controls = _controls(store, target, spec, author=manner.author)
    return choosing.choose(store, sample_id, spec.kind, controls or None, others, planning=planning)


def _controls(store: Store, target: KeptTarget, spec: StudySpec, *, author: str) -> list[str]:
    wanted, sample_id = spec.controls, target.sample
    if wanted.source is ControlSource.OWN:
        return [samples.find(store, control)[0] for control in wanted.samples]
    if wanted.source is ControlSource.PLACEBO:
        return [placebo.make(store, sample_id).sample]
    if target.later:
        return [target.later]
    found = more_controls.controls_for(store, sample_id, wanted.count, wanted.n, author=author)
    if found or writer_of(store, sample_id) is None:  # nobody would reword a placebo
        return found
    # No bundled text has the task and language of some targets.
    return [placebo.make(store, sample_id).sample]
