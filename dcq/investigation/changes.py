"""What would help a plan that finds next to nothing: each change tried out by the same simulation,
with the calls and the price that it adds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dcq.invented import picks
from dcq.investigation.planned import WEAK, MethodPlan, PairPlan, PlanChange, PowerPlan, usd_of
from dcq.judging.power import PairDesign, Power, simulate
from dcq.records import QuizKind
from dcq.store import Store, samples, variants
from dcq.variants import placebo_writing, reword
from dcq.words import counted

HELPS = 0.5  # of the partitions that were seen by half
SMALL = 10  # instances of a further control
_CONTROLS = (3, 7, 10, 20)
_SIZES = (20, 33, 66, 100)
_REPEATS = 100


@dataclass(frozen=True)
class _Trial:
    """A plan with changes that add ``calls`` and ``usd``, None where a price is unknown."""

    labels: tuple[str, ...]
    pairs: tuple[PairPlan, ...]
    calls: int = 0
    usd: float | None = 0.0

    def then(
        self, label: str, pairs: Sequence[PairPlan], calls: int = 0, usd: float | None = 0.0
    ) -> _Trial:
        """With one more change."""
        total = None if self.usd is None or usd is None else self.usd + usd
        return _Trial((*self.labels, label), tuple(pairs), self.calls + calls, total)


_Step = Callable[[_Trial], _Trial | None]  # None where it changes nothing


def tried(store: Store, plan: PowerPlan, whole: Sequence[PairPlan] = ()) -> tuple[PlanChange, ...]:
    """The changes that help, the cheapest first: of each kind the least that finds half of the
    partitions that were seen by half. Where none does, those together with more controls, and then
    those that find at least a fifth. ``whole`` are the pairs as they are without a limit on
    instances, where there is one."""
    trials = _Trials(plan.others)
    controls, *others = _families(store, plan, whole)
    start = _Trial((), plan.pairs)
    more = controls[-2](start)
    found = trials.helpful(start, [controls, *others], HELPS)
    if not found and more is not None:
        found = trials.helpful(more, others, HELPS)
    found = found or trials.helpful(start, [controls, *others], WEAK)
    return tuple(sorted(found, key=_price))


def _price(change: PlanChange) -> tuple[float, int]:
    """The cheapest first; where no price is known, by calls."""
    return (0.0 if change.usd is None else change.usd, change.calls)


class _Trials:
    """The simulation of changed plans, each once."""

    def __init__(self, others: Sequence[tuple[str, float]]) -> None:
        self._others = others
        self._known: dict[tuple[PairDesign, ...], Power] = {}

    def helpful(
        self, start: _Trial, families: Sequence[Sequence[_Step]], least: float
    ) -> list[PlanChange]:
        """Of each kind of change the first that finds so many of what was seen by half."""
        found = []
        for family in families:
            for step in family:
                trial = step(start)
                if trial is not None and (power := self._best(trial.pairs)).half >= least:
                    label = " and ".join(trial.labels)
                    label = label[:1].upper() + label[1:]
                    found.append(PlanChange(label, trial.calls, trial.usd, power))
                    break
        return found

    def _best(self, pairs: Sequence[PairPlan]) -> Power:
        designs = tuple(pair.design for pair in pairs)
        if designs not in self._known:
            powers = simulate(designs, self._others, repeats=_REPEATS)
            self._known[designs] = max(powers, key=lambda power: power.half)
        return self._known[designs]


def _families(
    store: Store, plan: PowerPlan, whole: Sequence[PairPlan]
) -> Iterator[Sequence[_Step]]:
    """Kinds of change; within each those that take less come first."""
    yield [_more_controls(count) for count in _CONTROLS]
    yield [_larger(size) for size in _SIZES]
    yield [_rotated]
    yield [_quiz_alone]
    yield [_same_writer(store)]
    yield [_not_leaky(store)]
    yield [_fewer(count) for count in _halves(len(plan.pairs))]
    if whole:
        yield [lambda trial: trial.then(*_unlimited(trial, whole))]


def _more_controls(count: int) -> _Step:
    def change(trial: _Trial) -> _Trial | None:
        pairs = [
            replace(pair, methods=tuple(_with_controls(each, count) for each in pair.methods))
            for pair in trial.pairs
        ]
        sharing = {(pair.model, pair.design.controls): pair for pair in trial.pairs}
        asked = [method for pair in sharing.values() for method in pair.methods]
        return trial.then(
            f"ask {count} more controls of {SMALL} instances each",
            pairs,
            *_cost(asked, lambda _: count * SMALL),
        )

    return change


def _with_controls(method: MethodPlan, count: int) -> MethodPlan:
    controls = (*method.design.controls, *(SMALL,) * count)
    return replace(method, design=replace(method.design, controls=controls))


def _larger(size: int) -> _Step:
    """Larger targets; the quiz without originals is asked about them, too."""

    def change(trial: _Trial) -> _Trial | None:
        pairs = [
            replace(pair, methods=tuple(_of_size(each, size) for each in pair.methods))
            for pair in trial.pairs
        ]
        if pairs == list(trial.pairs):
            return None
        every = [method for pair in trial.pairs for method in pair.methods]
        calls, usd = _cost(every, lambda method: max(0, size - method.design.n), extra=1)
        return trial.then(f"draw {size} instances of the target", pairs, calls, usd)

    return change


def _of_size(method: MethodPlan, size: int) -> MethodPlan:
    n = max(size, method.design.n) if method.design.n else 0
    return replace(method, design=replace(method.design, n=n))


def _rotated(trial: _Trial) -> _Trial | None:
    def turned(method: MethodPlan) -> MethodPlan:
        if method.kind != QuizKind.STANDARD:
            return method
        measures = (picks(lettered="likelihood" not in method.design.name, one_slot=False),)
        return replace(method, design=replace(method.design, measures=measures))

    pairs = [replace(pair, methods=tuple(map(turned, pair.methods))) for pair in trial.pairs]
    if pairs == list(trial.pairs):
        return None
    quizzes = [
        method
        for pair in trial.pairs
        for method in pair.methods
        if method.kind == QuizKind.STANDARD
    ]
    cost = _cost(quizzes, lambda method: 3 * (method.design.n + sum(method.design.controls)))
    return trial.then("ask the rotated quiz instead of the standard one", pairs, *cost)


def _quiz_alone(trial: _Trial) -> _Trial | None:
    """All of the significance threshold for the quiz."""
    if all(len(pair.methods) == 1 for pair in trial.pairs):
        return None
    left_out = [method for pair in trial.pairs for method in pair.methods if not method.kind]
    pairs = [
        replace(
            pair,
            methods=tuple(
                replace(method, design=replace(method.design, weight=1.0))
                for method in pair.methods
                if method.kind
            ),
        )
        for pair in trial.pairs
    ]
    usd = [method.usd for method in left_out if method.calls]
    known = [cost for cost in usd if cost is not None]
    return trial.then(
        "ask the quiz alone",
        pairs,
        -sum(method.calls for method in left_out),
        -sum(known) if len(known) == len(usd) else None,
    )


def _same_writer(store: Store) -> _Step:
    """All controls reworded by the target's writer, where that is a machine."""

    def change(trial: _Trial) -> _Trial | None:
        pairs, foreign = [], dict[str, str]()
        for pair in trial.pairs:
            writers = variants.writers(store, [control.sample for control in pair.controls])
            for control in pair.controls:
                if writers.get(control.sample, "") != pair.writer:
                    foreign[control.sample] = pair.sample
            sizes = tuple(control.instances for control in pair.controls if control.instances)
            pairs.append(
                replace(pair, methods=tuple(_by_one(each, sizes) for each in pair.methods))
            )
        cost = _rewording(store, {sample: (target, None) for sample, target in foreign.items()})
        label = f"have {counted(len(foreign), 'control')} reworded by the target's writer"
        return None if cost is None or not foreign else trial.then(label, pairs, *cost)

    return change


def _not_leaky(store: Store) -> _Step:
    """What gives originals away reworded by the target's writer, where that is a machine."""

    def change(trial: _Trial) -> _Trial | None:
        leaky = {pair.sample: (pair.sample, pair.leaky) for pair in trial.pairs if pair.leaky}
        pairs = [
            replace(pair, methods=tuple(map(_unblocked, pair.methods))) for pair in trial.pairs
        ]
        cost = _rewording(store, leaky)
        count = sum(len(instances) for _, instances in leaky.values())
        label = f"have the {counted(count, 'instance')} reworded that the text gives away"
        return None if cost is None or not leaky else trial.then(label, pairs, *cost)

    return change


def _unblocked(method: MethodPlan) -> MethodPlan:
    blocked = method.design.blocked and not method.leaky
    return replace(method, design=replace(method.design, blocked=blocked))


def _rewording(
    store: Store, wanted: Mapping[str, tuple[str, Sequence[str] | None]]
) -> tuple[int, float | None] | None:
    """Calls and USD for rewording samples: of each those instances (None: all), by the writer of
    another sample; None where that is no machine."""
    calls, costs = 0, list[float | None]()
    for sample, (target, only) in wanted.items():
        writer = placebo_writing.writer_of(store, target)
        if writer is None:
            return None
        if writer.model is None:
            continue
        instances = samples.load(store, sample).instances
        slots = {
            instance.id: range(variants.SLOTS)
            for instance in instances
            if only is None or instance.id in only
        }
        need = reword.estimate(writer.model, instances, slots, writer.protocol)
        calls += need.calls
        costs.append(need.cost_usd)
    known = [cost for cost in costs if cost is not None]
    return calls, sum(known) if len(known) == len(costs) else None


def _by_one(method: MethodPlan, sizes: tuple[int, ...]) -> MethodPlan:
    if not method.shows_rewordings:
        return method
    return replace(method, design=replace(method.design, controls=sizes))


def _fewer(count: int) -> _Step:
    def change(trial: _Trial) -> _Trial | None:
        kept, left_out = trial.pairs[:count], trial.pairs[count:]
        needs = {
            (need.kind, need.sample, need.model, need.slot): need
            for pair in left_out
            for need in pair.needs
        }
        for pair in kept:
            for need in pair.needs:
                needs.pop((need.kind, need.sample, need.model, need.slot), None)
        usd = usd_of(needs.values())
        return trial.then(
            f"ask {'only one' if count == 1 else f'{count}'} of the {len(trial.pairs)} pairs",
            kept,
            -sum(need.calls for need in needs.values()),
            None if usd is None else -usd,
        )

    return change


def _halves(count: int) -> list[int]:
    found = []
    while count > 1:
        count //= 2
        found.append(count)
    return found


def _unlimited(
    trial: _Trial, whole: Sequence[PairPlan]
) -> tuple[str, Sequence[PairPlan], int, float | None]:
    before, after = PowerPlan(None, trial.pairs), PowerPlan(None, tuple(whole))
    costs = (after.usd, before.usd)
    usd = None if costs[0] is None or costs[1] is None else costs[0] - costs[1]
    return "ask all instances", whole, after.calls - before.calls, usd


def _cost(
    asked: Sequence[MethodPlan], instances: Callable[[MethodPlan], int], extra: int = 0
) -> tuple[int, float | None]:
    """Calls and USD for so many more instances by each method; ``extra`` calls more for each
    instance of a quiz."""
    calls, usd = 0, 0.0
    unknown = False
    for method in asked:
        more = instances(method) * (method.calls_each + (extra if method.kind else 0))
        calls += more
        if more and method.usd_each is None:
            unknown = True
        elif more and method.usd_each is not None:
            usd += more * method.usd_each / method.calls_each
    return calls, None if unknown else usd
