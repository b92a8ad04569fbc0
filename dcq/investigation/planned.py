"""A plan before anything is asked: its pairs of a model and a target, what each would find, what
blocks it, and what it takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dcq.investigation.price import Need
from dcq.judging.judged import Ruling
from dcq.judging.power import NONE, MethodDesign, PairDesign, Power
from dcq.words import counted, listed, model_titles, usd_words

POSSIBLE = 0.05  # a conclusion that fewer partitions would get is not counted on
WEAK = 0.2  # a plan that finds fewer of the partitions that were seen by half finds next to nothing
_TENTHS, _OF_TEN = 10, " of 10 cases"
_NAMED = 3


@dataclass(frozen=True)
class MethodPlan:
    """A ``method`` as it is planned: its ``design``, the ``kind`` of its quiz (empty for others),
    and what is left to ask, of the target and its controls. ``calls_each`` are the calls for one
    instance; ``usd`` and ``usd_each`` are None where the price is unknown. ``shows_rewordings`` is
    as in ``dcq.detection.DetectionMethod``; ``leaky``: it could count if these did not give
    originals away."""

    method: str
    design: MethodDesign
    kind: str
    calls: int
    usd: float | None
    calls_each: int
    usd_each: float | None
    shows_rewordings: bool
    leaky: bool = False

    def document(self) -> dict[str, Any]:
        """The method with the keys documented for the command line."""
        return {
            "method": self.method,
            "kind": self.kind or None,
            "weight": round(self.design.weight, 4),
            "n": self.design.n,
            "counts": self.design.counts,
            "calls": self.calls,
            "cost_usd": self.usd,
        }


@dataclass(frozen=True)
class PlannedControl:
    """A control: its sample, the key and the name of its partition, and how many ``instances`` the
    quiz asks about."""

    sample: str
    partition: str
    place: str
    instances: int

    def document(self) -> dict[str, Any]:
        """The control with the keys documented for the command line."""
        return {"sample": self.sample, "partition": self.partition, "n": self.instances}


@dataclass(frozen=True)
class PairPlan:
    """What is planned for a ``model`` and a target ``sample`` of a ``partition`` (``place`` is its
    name on screens), which is corrected in a ``study``. ``problems`` are sentences on what would
    block a conclusion, each with its repair. ``writer`` wrote the target's rewordings, as
    ``dcq.store.variants.writers`` returns it, and ``leaky`` are the instances that they give
    away."""

    model: str
    sample: str
    partition: str
    place: str
    study: str
    in_family: bool
    methods: tuple[MethodPlan, ...]
    controls: tuple[PlannedControl, ...]
    problems: tuple[str, ...]
    needs: tuple[Need, ...] = field(repr=False)
    writer: str = ""
    leaky: tuple[str, ...] = ()
    power: Power = NONE

    @property
    def design(self) -> PairDesign:
        """The pair as the simulation takes it."""
        controls = tuple(control.sample for control in self.controls)
        designs = tuple(method.design for method in self.methods)
        return PairDesign(self.model, controls, designs, self.study, self.in_family)

    @property
    def possible(self) -> tuple[Ruling, ...]:
        """The conclusions that the plan can come to. It can always stay undecided."""
        shares = {
            Ruling.CONTAMINATED: self.power.whole,
            Ruling.NO_EVIDENCE: self.power.no_evidence,
            Ruling.INCONCLUSIVE: 1.0,
        }
        return tuple(ruling for ruling, share in shares.items() if share >= POSSIBLE)

    @property
    def finds(self) -> bool:
        """Whether it could be called contaminated."""
        return Ruling.CONTAMINATED in self.possible

    def document(self) -> dict[str, Any]:
        """The pair with the keys documented for the command line."""
        return {
            "model": self.model,
            "partition": self.partition,
            "methods": [method.document() for method in self.methods],
            "controls": [control.document() for control in self.controls],
            "possible": [ruling.value for ruling in self.possible],
            "power": self.power.document(),
            "problems": list(self.problems),
        }


@dataclass(frozen=True)
class PlanChange:
    """A change to a plan that can call nothing, tried out: what to do, the ``calls`` and ``usd``
    that it adds (less than 0 where it saves; ``usd`` None where the price is unknown), and the
    ``power`` of the pair that it helps most."""

    label: str
    calls: int
    usd: float | None
    power: Power

    def document(self) -> dict[str, Any]:
        """The change with the keys documented for the command line."""
        return {
            "change": self.label,
            "calls": self.calls,
            "cost_usd": self.usd,
            "power": self.power.document(),
        }


@dataclass(frozen=True)
class PowerPlan:
    """A plan of pairs; ``others`` are the p-values of pairs that were asked before, each with the
    study that it is corrected in. ``study`` is its name, None for an investigation. ``changes`` are
    those that help, the cheapest first; they are tried where the plan finds next to nothing."""

    study: str | None
    pairs: tuple[PairPlan, ...]
    others: tuple[tuple[str, float], ...] = ()
    changes: tuple[PlanChange, ...] = ()

    @property
    def needs(self) -> tuple[Need, ...]:
        """What is left to ask; a control that serves several targets is asked once."""
        needs = {
            (need.kind, need.sample, need.model, need.slot): need
            for pair in self.pairs
            for need in pair.needs
        }
        return tuple(needs.values())

    @property
    def calls(self) -> int:
        """The calls that are left to make."""
        return sum(need.calls for need in self.needs)

    @property
    def usd(self) -> float | None:
        """What they cost at most; None where a price is unknown."""
        return usd_of(self.needs)

    @property
    def is_weak(self) -> bool:
        """Whether it finds next to nothing: of no pair a fifth of what was seen by half."""
        return all(pair.power.half < WEAK for pair in self.pairs)

    def document(self) -> dict[str, Any]:
        """The plan with the keys documented for the command line."""
        return {
            "study": self.study,
            "calls": self.calls,
            "cost_usd": self.usd,
            "pairs": [pair.document() for pair in self.pairs],
            "changes": [change.document() for change in self.changes],
        }


def usd_of(needs: Iterable[Need]) -> float | None:
    """What needs cost together; None where the price of a call is unknown."""
    costs = [need.usd for need in needs if need.calls]
    known = [usd for usd in costs if usd is not None]
    return sum(known) if len(known) == len(costs) else None


def cases(share: float) -> str:
    """A share of cases in words: ``7 of 10 cases``."""
    tenths = round(_TENTHS * share)
    if tenths == 0:
        return "fewer than 1 of 10 cases"
    return "nearly all cases" if tenths == _TENTHS else f"{tenths}{_OF_TEN}"


def outlook(pairs: Sequence[PairPlan]) -> str:
    """What a plan would find, in a line for people."""
    found = [pair.power.half for pair in pairs if pair.finds]
    if not found:
        return (
            "This plan cannot find anything: even a partition that was seen wholly would stay "
            "undecided."
        )
    if max(found) < WEAK:
        whole = cases(max(pair.power.whole for pair in pairs))
        return (
            "This plan finds next to nothing: a partition that was seen by half in "
            f"{cases(max(found))}, one that was seen wholly in {whole}."
        )
    where = _between(min(found), max(found))
    if len(pairs) == 1:
        return f"If the model has seen half of it, this would find it in {where}."
    blind = len(pairs) - len(found)
    rest = f" {blind} of {len(pairs)} conclusions can only stay undecided." if blind else ""
    return f"If a model has seen half of a partition, this would find it in {where}.{rest}"


def _between(low: float, high: float) -> str:
    first, last = cases(low), cases(high)
    if first == last:
        return first
    if first.endswith(_OF_TEN) and last.endswith(_OF_TEN):
        return f"{first.removesuffix(_OF_TEN)} to {last}"
    return f"{first} to {last}"


def change_words(change: PlanChange) -> str:
    """A change that helps, with what it adds and what is found then."""
    found = cases(change.power.half)
    return f"{change.label} ({_added(change)}). If half of it was seen, that finds it in {found}."


def _added(change: PlanChange) -> str:
    if change.calls == 0 and change.usd == 0:
        return "free of charge"
    verb = "saves" if change.calls < 0 else "adds"
    usd = None if change.usd is None else abs(change.usd)
    price = "free of charge" if usd == 0 else usd_words(usd)
    return f"{verb} {counted(abs(change.calls), 'call')}, {price}"


def problem_lines(pairs: Sequence[PairPlan]) -> list[str]:
    """Each problem once, with the pairs that have it where not all do."""
    having: dict[str, list[PairPlan]] = {}
    for pair in pairs:
        for problem in pair.problems:
            having.setdefault(problem, []).append(pair)
    titles = model_titles(pair.model for pair in pairs)
    places = {pair.partition for pair in pairs}

    def whose(affected: Sequence[PairPlan]) -> str:
        if len(affected) == len(pairs):
            return ""
        names = [
            titles[pair.model] + (f" on {pair.place}" if len(places) > 1 else "")
            for pair in affected
        ]
        return f"{listed(names, _NAMED)}: "

    return [f"{whose(affected)}{problem}" for problem, affected in having.items()]
