"""A study that is run: planned, fixed before its first reply, asked pair by pair, concluded.

Its steps are those of ``dcq.study.engine``, for all targets and models at once. What is fixed is a
revision of the study of its name, so that ``answer --study NAME`` says what ``study run`` says.
"""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from dcq import settings
from dcq.asking.options import NO_LIMITS, NOBODY, Watch
from dcq.asking.plan import FINISHED, resolve_all
from dcq.asking.purse import Purse, Share
from dcq.asking.task import Ended
from dcq.errors import DcqError, InputError
from dcq.investigation import corpus_scan
from dcq.investigation.planned import PowerPlan
from dcq.investigation.price import Need
from dcq.jobs import lock, process
from dcq.judging.answers import answers
from dcq.models import cutoffs
from dcq.models.endpoints import Endpoint, split_mode
from dcq.models.pacing.limits import find_limits, pace_for
from dcq.models.pacing.pace import Pace
from dcq.quiz.choice import QuizChoice
from dcq.records import PartitionRole, fingerprint
from dcq.store import Store, samples, studies
from dcq.store.runs import Event
from dcq.store.studies import LIKELIHOOD, Study
from dcq.study import engine
from dcq.study.engine import DrawnTarget, KeptTarget, Manner
from dcq.study.spec import StudySpec
from dcq.study.state import StudyState, models_of, pairs_of, read_state
from dcq.variants.method import REWORDING

Wanted = TypeVar("Wanted")
Done = TypeVar("Done")


@dataclass(frozen=True)
class PlannedStudy:
    """A study whose targets are drawn, and what it would find and take."""

    spec: StudySpec
    manner: Manner
    drawn: tuple[DrawnTarget, ...]
    plan: PowerPlan


def plan_study(store: Store, spec: StudySpec, *, retry: bool = False) -> PlannedStudy:
    """The plan of a study; nothing is asked or stored. Raises InputError where a part of it cannot
    be done."""
    _check_spec(spec)
    engine.check_models(spec)
    manner = Manner(retry=retry, author=settings.load().author)
    with cutoffs.stated(spec.cutoffs):
        drawn = tuple(engine.draw(store, spec))
        plan = engine.plan(store, spec, drawn, manner, _open_study(spec))
    return PlannedStudy(spec, manner, drawn, plan)


def _check_spec(spec: StudySpec) -> None:
    """Raise InputError for what a file can say and no part of dcq does."""
    if any(target.role is PartitionRole.CONTROL for target in spec.targets):
        raise InputError(
            'A target with role = "control" has no conclusion; name its sample in [controls] '
            'with from = "own".'
        )


@dataclass(frozen=True)
class StudyRun:
    """A study that was run: its ``state``, the ``calls`` made now and what they cost in USD (None
    where a price is unknown), what did not finish (``stopped``, a sentence each), how many
    rewordings are ``waiting`` for people, and ``notes`` on that and on what is saved."""

    state: StudyState
    calls: int
    usd: float | None
    stopped: tuple[str, ...] = ()
    waiting: int = 0
    notes: tuple[str, ...] = ()

    @property
    def is_asked(self) -> bool:
        """Whether all of it was asked."""
        return not self.stopped and not self.waiting

    def document(self) -> dict[str, Any]:
        """The run with the keys documented for the command line."""
        return self.state.document() | {
            "calls": self.calls,
            "cost_usd": self.usd,
            "waiting": self.waiting,
        }


def is_running(store: Store, name: str) -> bool:
    """Whether some process runs the study ``name``."""
    return lock.is_held(store, _lock_name(name))


def stop(store: Store, name: str) -> None:
    """Ask the command that runs the study ``name`` to stop; what was answered is kept. Raises
    InputError where another program runs it, such as a notebook, which would end as a whole."""
    lock_name = _lock_name(name)
    if lock.is_held(store, lock_name) and not lock.is_of_command(store, lock_name):
        raise InputError(
            f"The study is run by another program ({lock.describe_holder(store, lock_name)}). Stop "
            "it there."
        )
    process.interrupt(lock.holder(store, lock_name))


def _lock_name(name: str) -> str:
    return f"study-{fingerprint(name)}"


async def run(
    store: Store,
    planned: PlannedStudy,
    watch: Watch = NOBODY,
    on_pair: Callable[[str, int], None] = lambda name, pairs: None,
) -> StudyRun:
    """Bring a study about. ``on_pair`` hears which pair was asked, and how many there are. What
    fails ends its own target or pair alone. Raises InputError where a target cannot be kept, and
    AskedAlreadyError where another process runs the study."""
    name = planned.spec.name
    busy = f"The study “{name}” is run already; wait until it has ended, or stop it."
    alone = lock.hold(store, _lock_name(name), busy)
    with alone, store.keep_open(), cutoffs.stated(planned.spec.cutoffs):
        return await _run(store, planned, watch, on_pair)


async def _run(
    store: Store, planned: PlannedStudy, watch: Watch, on_pair: Callable[[str, int], None]
) -> StudyRun:
    spec, author = planned.spec, planned.manner.author
    paces = _paces(store, spec)  # which apply while somebody has them
    kept = engine.keep(store, planned.drawn, spec, author=author)
    purse = engine.purse_of(store, spec, kept) or Purse(math.inf)  # which counts, all the same
    parts = _parts(planned, kept, purse)

    written = replace(spec, rewordings=replace(spec.rewordings, accepted=False))

    async def prepare(part: _TargetWork, own: Watch) -> QuizChoice | Ended:
        with part.writing as share:
            return await engine.prepare_target(
                store, written, part.target, planned.manner, own, share
            )

    prepared = await _all_at_once(parts, prepare, watch)
    stopped = [reason for end in prepared if (reason := _reason(end))]
    pairs: list[_AskedPair] = []
    for part, choice in zip(parts, prepared, strict=True):
        if isinstance(choice, QuizChoice):
            pairs += [_AskedPair(choice, *each) for each in part.asking]
        else:
            part.give_up()
    waiting, notes = _waiting(store, kept) if spec.rewordings.accepted else (0, [])
    if pairs and not waiting and not watch.is_cancelled:
        choices = list(dict.fromkeys(pair.choice for pair in pairs))
        _fix(store, spec, kept, choices, author)
        for choice in choices:
            if scan := corpus_scan.start(store, choice.sample):
                watch.on_news(scan)
        stopped += await _ask(store, planned, pairs, watch, on_pair)
        notes += _take_in(store, spec)
    if not waiting:
        engine.settle(purse, watch)
    del paces
    return StudyRun(
        read_state(store, spec),
        purse.calls,
        None if planned.plan.usd is None else purse.usd,
        tuple(dict.fromkeys(stopped)),
        waiting,
        tuple(notes),
    )


@dataclass(frozen=True)
class _TargetWork:
    """What is asked about a target: who is asked, and the shares of the budget for its rewordings
    and for each model."""

    target: KeptTarget
    writing: Share
    asking: tuple[tuple[Endpoint, Share], ...]

    def give_up(self) -> None:
        """No model is asked."""
        for _, share in self.asking:
            share.end()


@dataclass(frozen=True)
class _AskedPair:
    """A model that is asked all about a target, and what pays for it."""

    choice: QuizChoice
    endpoint: Endpoint
    share: Share


def _parts(planned: PlannedStudy, kept: Sequence[KeptTarget], purse: Purse) -> list[_TargetWork]:
    """What is asked, in the file's order, in which the budget is used up: of each target its
    rewordings, then each model."""
    endpoints = resolve_all(model.name for model in planned.spec.models)
    shares = iter(purse.in_order(_expected_usd(planned.plan, kept, len(endpoints))))
    return [
        _TargetWork(target, next(shares), tuple((endpoint, next(shares)) for endpoint in endpoints))
        for target in kept
    ]


def _expected_usd(plan: PowerPlan, kept: Sequence[KeptTarget], models: int) -> list[float]:
    """What each part of a plan costs at most, in the order of ``_parts``. A control that serves
    several pairs is counted for the first."""
    own = {target.sample for target in kept}
    counted: set[tuple[str, ...]] = set()

    def once(needs: Iterable[Need]) -> float:
        usd = 0.0
        for need in needs:
            who = () if need.kind == REWORDING.name else (need.model, str(need.slot))
            key = (need.kind, need.sample, *who)
            usd += 0.0 if key in counted else need.usd or 0.0
            counted.add(key)
        return usd

    expected = []
    for number, target in enumerate(kept):
        written = [each for each in plan.needs if each.kind == REWORDING.name]
        expected.append(once(each for each in written if each.sample == target.sample))
        for pair in plan.pairs[number * models : (number + 1) * models]:
            mine = (each.kind != REWORDING.name or each.sample not in own for each in pair.needs)
            expected.append(once(itertools.compress(pair.needs, mine)))
    return expected


def _paces(store: Store, spec: StudySpec) -> list[Pace]:
    """The pace of each model that has one in the file. It applies to whatever is asked at the same
    address while somebody has it; of several models there, the first one's."""
    models = [model for model in spec.models if model.concurrency or model.limits != NO_LIMITS]
    return [
        pace_for(
            endpoint,
            model.concurrency,
            model.limits.or_else(find_limits(endpoint)),
            store.runs_folder,
        )
        for model in models
        for endpoint in resolve_all([model.name])
    ]


async def _ask(
    store: Store,
    planned: PlannedStudy,
    pairs: Sequence[_AskedPair],
    watch: Watch,
    on_pair: Callable[[str, int], None],
) -> list[str]:
    """Ask every model about every target; why some did not finish."""
    samples_asked = {pair.choice.sample for pair in pairs}
    places = {sample: samples.partition_of(store, sample).id for sample in samples_asked}
    names = [f"{pair.endpoint.name} on {places[pair.choice.sample]}" for pair in pairs]

    async def ask(pair: _AskedPair, own: Watch) -> Ended:
        own, spec, manner = _quiet_at_first(own), planned.spec, planned.manner
        ended = FINISHED
        with pair.share as share:
            if not engine.is_asked(store, spec, pair.choice, pair.endpoint, manner):
                ended = (
                    await engine.ask(store, spec, pair.choice, pair.endpoint, manner, own, share)
                ).ended
        on_pair(names[pairs.index(pair)], len(pairs))
        return ended

    # One target of each model asks the controls, and the others need not wait for each of them.
    leading = {(pair.choice.controls, pair.endpoint.name): pair for pair in pairs[::-1]}
    first = [pair for pair in pairs if pair in leading.values()]
    ended = dict(zip(first, await _all_at_once(first, ask, watch), strict=True))
    others = [pair for pair in pairs if pair not in ended]
    ended |= dict(zip(others, await _all_at_once(others, ask, watch), strict=True))
    return [
        f"{name}: {reason}"
        for name, pair in zip(names, pairs, strict=True)
        if (reason := _reason(ended[pair]))
    ]


def _quiet_at_first(watch: Watch) -> Watch:
    """As ``watch``, without the news before the first run begins: of hundreds of pairs that were
    asked before, nobody wants to hear of each run that it has its answers."""
    begun = asyncio.Event()

    def begin(name: str, done: int, items: int) -> None:
        begun.set()
        watch.on_run(name, done, items)

    def tell(sentence: str) -> None:
        if begun.is_set():
            watch.on_news(sentence)

    return replace(watch, on_run=begin, on_news=tell)


async def _all_at_once(
    requests: Sequence[Wanted], ask: Callable[[Wanted, Watch], Awaitable[Done]], watch: Watch
) -> list[Done | DcqError]:
    """Make all requests side by side, each with an event of its own to end it, since a run sets
    its own when it is cancelled in the app. One that fails does not end the others."""
    stops = [asyncio.Event() for _ in requests]

    async def one(request: Wanted, stop: asyncio.Event) -> Done | DcqError:
        try:
            return await ask(request, replace(watch, cancelled=stop))
        except DcqError as error:
            return error

    async def pass_on() -> None:
        if watch.cancelled is not None:
            await watch.cancelled.wait()
            for stop in stops:
                stop.set()

    passing = asyncio.create_task(pass_on())
    try:
        return list(await asyncio.gather(*map(one, requests, stops)))
    finally:
        passing.cancel()


def _reason(end: object) -> str:
    """Why something did not finish with replies that can be used; empty where it did."""
    if isinstance(end, DcqError):
        return str(end)
    if isinstance(end, Ended):
        return end.unusable if end.event is Event.FINISHED else end.unusable or end.detail
    return ""


def _waiting(store: Store, kept: Sequence[KeptTarget]) -> tuple[int, list[str]]:
    """How many rewordings people must accept, and a sentence on each target that has some."""
    counts = {target.sample: engine.waiting(store, [target]) for target in kept}
    notes = [
        f"{samples.partition_of(store, sample).id} is waiting for {count:,}: accept or reject its "
        f"rewordings in the app (sample {sample}), then run the study again."
        for sample, count in counts.items()
        if count
    ]
    return sum(counts.values()), notes


def _fix(
    store: Store,
    spec: StudySpec,
    kept: Sequence[KeptTarget],
    choices: Sequence[QuizChoice],
    author: str,
) -> None:
    """Save what is judged together as a revision of the study, unless it is saved already."""
    drawn = {samples.partition_of(store, target.sample).id for target in kept}
    partitions = dict.fromkeys(partition for _, partition in pairs_of(spec, drawn))
    controls = dict.fromkeys(
        samples.partition_of(store, control).id for choice in choices for control in choice.controls
    )
    wanted = replace(
        _open_study(spec),
        partitions=tuple(partitions),
        controls=tuple(sorted(controls)),
        author=author,
    )
    saved = _saved(store, spec.name)
    if saved is None or _choice(saved) != _choice(wanted):
        studies.save(store, wanted)


def _take_in(store: Store, spec: StudySpec) -> list[str]:
    """Where newer runs would change what the saved study says, save a revision that takes them in;
    returns a sentence on that, none where nothing would change."""
    saved = _saved(store, spec.name)
    if saved is None or _runs(store, saved) == _runs(store, replace(saved, made_at=None)):
        return []
    new = studies.save(store, saved)
    return [f"Revision {new.revision} of “{spec.name}” takes in what was asked again."]


def _open_study(spec: StudySpec) -> Study:
    """The study of a file, not fixed yet."""
    partitions = dict.fromkeys(partition for _, partition in pairs_of(spec))
    scored = [LIKELIHOOD for model in spec.models if split_mode(model.name)[1]]
    return Study(
        spec.name,
        tuple(partitions),
        tuple(sorted(models_of(spec))),
        tuple(dict.fromkeys([*spec.weights, *scored])) if spec.weights else None,
    )


def _saved(store: Store, name: str) -> Study | None:
    return next((study for study in studies.listing(store) if study.name == name), None)


def _choice(study: Study) -> tuple[object, ...]:
    """What a study takes, whatever the order."""
    parts = (study.partitions, study.models, study.methods, study.controls)
    return tuple(None if part is None else frozenset(part) for part in parts)


def _runs(store: Store, within: Study) -> set[str]:
    return {method.run for answer in answers(store, within) for method in answer.methods}
