"""The steps that repair failed checks, each as the command that asks again and its price."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from dcq import methods, settings
from dcq.asking.chain import spent
from dcq.asking.cost import CostEstimate, estimate_counted
from dcq.asking.options import Terms
from dcq.errors import DcqError, ModelChoiceError
from dcq.evidence.check import Check
from dcq.evidence.record import Evidence
from dcq.investigation import evidence_order, more_controls, price
from dcq.investigation.state import is_done
from dcq.jobs.state import RunState, state_of
from dcq.judging.judged import JudgedResult
from dcq.models.endpoints import resolve
from dcq.models.prices import estimate_tokens
from dcq.partitions import find
from dcq.quiz.choice import KINDS, QuizChoice
from dcq.quiz.method import QUIZ
from dcq.quiz.results import quiz_row
from dcq.records import QuizKind
from dcq.store import Store, investigations, runs, samples, variants
from dcq.store.answers import answered_and_failed
from dcq.store.investigations import Investigation
from dcq.store.runs import StoredRun
from dcq.store.samples import ListedSample
from dcq.study import engine, texts
from dcq.study.repair import Repair, RepairPrice
from dcq.study.spec import ModelSpec, RewordingSpec, StudySpec, TargetSpec
from dcq.variants.placebo_writing import is_machine

_LARGER = 2  # times as many instances
_V2_QUIZZES = 5  # a bdq, and a bcq for each of at most four positions
_CENT = 0.01  # USD
_SAME = "Nothing is left to ask in this way, so it would lead to the same failure."
_CHOOSE = "Write the name of a model that rewords in place of MODEL, not one that is tested."


class Known:
    """What many checks of a store ask of it again and again, each read once. For one moment: what
    is written later is not seen."""

    def __init__(self, store: Store, run_ids: Collection[str] = ()) -> None:
        self.store = store
        self._run_ids = run_ids  # of which many are asked for
        self._writers: dict[str, bool] = {}
        self._why_not: dict[str, str] = {}

    @cached_property
    def _records(self) -> dict[tuple[str, str], Investigation]:
        return {(each.sample, each.model): each for each in investigations.listing(self.store)}

    @cached_property
    def _runs(self) -> dict[str, StoredRun]:
        return runs.load_all(self.store, self._run_ids)

    def run(self, run_id: str) -> StoredRun | None:
        """A run, None where it is not in the store."""
        if run_id in self._runs:
            return self._runs[run_id]
        try:
            return runs.load(self.store, run_id)
        except DcqError:
            return None

    @cached_property
    def samples(self) -> dict[str, ListedSample]:
        """The samples of the store, by id."""
        return {each.id: each for each in samples.listing(self.store)}

    @cached_property
    def _origins(self) -> dict[str, str]:
        return variants.writers(self.store, list(self.samples))

    def record(self, sample_id: str, model: str) -> Investigation | None:
        """The newest investigation of a model on a sample; None if there is none."""
        return self._records.get((sample_id, model))

    def has_writer(self, sample_id: str) -> bool:
        """Whether controls can be had whose rewordings have the writer of a target's, or that of
        the rewordings that a target without any gets."""
        if sample_id not in self._writers:
            origin = self._origins.get(sample_id, "")
            self._writers[sample_id] = (
                not origin
                or is_machine(origin)
                or bool(
                    more_controls.by_the_same_writer(self.store, sample_id)
                    or more_controls.bundled_alike(self.store, sample_id)
                )
            )
        return self._writers[sample_id]

    def has_other_methods(self, sample_id: str, model: str) -> bool:
        """Whether ``investigate`` would ask a model by more than was asked about a sample."""
        record = self.record(sample_id, model)
        if record is None or not is_done(self.store, record):
            return True
        usable = evidence_order.usable(self.store, sample_id, resolve(model, settings.load()))
        return not set(record.methods).issuperset(usable)

    def why_not(self, model: str) -> str:
        """Why a model cannot be asked; empty where it can."""
        if model not in self._why_not:
            try:
                resolve(model, settings.load())
            except ModelChoiceError as error:
                self._why_not[model] = str(error)
            else:
                self._why_not[model] = ""
        return self._why_not[model]


@dataclass(frozen=True)
class Case:
    """A check that failed: the run that it is about, and what is asked to repair it."""

    store: Store
    finding: JudgedResult
    check: Check | None
    run: StoredRun
    known: Known

    @property
    def record(self) -> Investigation | None:
        """The newest investigation of the model on the sample."""
        return self.known.record(self.sample, self.model)

    @property
    def evidence(self) -> Evidence:
        """What was found."""
        return self.finding.evidence

    @property
    def sample(self) -> str:
        """The target's sample."""
        return self.evidence.sample

    @property
    def model(self) -> str:
        """Who is asked, as in ``python -m dcq run``."""
        return self.run.plan.model

    @property
    def kind(self) -> QuizKind:
        """Of the quiz with originals that is asked."""
        own = quiz_row(self.evidence).kind if self.is_quiz else None
        if own is None and self.record is not None:
            own = self.record.kind
        return own if own in KINDS else QuizKind.STANDARD

    @property
    def is_quiz(self) -> bool:
        """Whether it is a run of a quiz."""
        return self.run.plan.method == QUIZ.name

    @property
    def is_v2(self) -> bool:
        """Whether it follows the release's protocol."""
        return self.is_quiz and quiz_row(self.evidence).kind in {QuizKind.BDQ, QuizKind.BCQ}

    @property
    def outcome(self) -> str:
        """The name of the check's outcome."""
        return "" if self.check is None else self.check.name


def with_controls(case: Case, label: str) -> Repair:
    """Controls by the target's writer, or target and controls reworded by another where that
    writer cannot be asked."""
    if case.known.has_writer(case.sample):
        return investigate(case, label)
    return reworded(case, "target and controls")


def investigate(case: Case, label: str, rewordings: str = "") -> Repair:
    """What is asked of a target again by ``python -m dcq investigate``."""
    spec = StudySpec(
        "",
        (TargetSpec("", sample=case.sample),),
        (ModelSpec(case.model),),
        RewordingSpec(rewordings),
        kind=case.kind,
    )
    words = ["investigate", case.sample, "--model", case.model]
    words += ["--kind", str(case.kind)] if case.kind is not QuizKind.STANDARD else []
    words += ["--rewordings", rewordings] if rewordings else []

    def find_price(store: Store) -> RepairPrice:
        cost = engine.cost(store, spec)
        return RepairPrice(cost.calls, cost.usd, cost.problem or ("" if cost.calls else _SAME))

    return Repair(label, (*words, "--yes"), find_price=find_price)


def by_another_method(case: Case, why: str = "") -> Repair:
    """The methods that were not asked yet, or that there are none; ``why`` ends the label."""
    if not case.known.has_other_methods(case.sample, case.model):
        return Repair(why_not="The model was asked by every method that it allows.")
    return investigate(case, f"Ask by every other method that the model allows{why}")


def reworded(case: Case, what: str) -> Repair:
    """Texts by another writer than the present one's."""
    other = texts.other_writer(case.store, case.sample)
    if other == texts.SOME_MODEL:
        repair = investigate(case, f"Have {what} reworded by a model, and ask again", other)
        return replace(
            repair,
            why_not=_CHOOSE,
            page="variants",
            choices={"variants_sample": case.sample},
        )
    label = f"Have {what} reworded by the offline generator, and ask again"
    return investigate(case, label, other)


def larger(case: Case) -> Repair | None:
    """A larger sample of a dataset of the catalog, which is read again; None of a file, which may
    not be there any more, and where all rows are drawn."""
    partition = samples.partition_of(case.store, case.sample)
    drawn = case.known.samples[case.sample]
    if find(partition.key) is None or drawn.n < drawn.requested:
        return None
    n = _LARGER * drawn.n
    words = ["investigate", partition.key, "--split", partition.split, "--n", str(n)]
    words += ["--model", case.model]
    words += ["--kind", str(case.kind)] if case.kind is not QuizKind.STANDARD else []

    def find_price(store: Store) -> RepairPrice:
        """As many calls an instance as were made: what is drawn may have to be downloaded."""
        asked = _calls(store, case.run.id, anew=True)
        usd = None if asked.cost_usd is None else _LARGER * asked.cost_usd
        return RepairPrice(_LARGER * asked.calls, usd)

    label = f"Ask about {n} instances; their rewordings and more controls cost extra"
    return Repair(label, (*words, "--yes"), find_price=find_price)


def go_on(case: Case, label: str, run_ids: Sequence[str]) -> Repair:
    """Runs asked to their end, as the investigation that they are part of or by themselves."""
    found = [runs.load(case.store, run_id) for run_id in run_ids]
    states = [state_of(case.store, run.id, run.event, run.event_at) for run in found]
    if any(state.live for state in states):
        why_not = "It is being asked now; look again when it has ended."
        return Repair("Watch the run", ("status",), why_not, "quiz", {"quiz_all_runs": "true"})
    is_stopped = RunState.STOPPED in states  # by its budget, or by an error
    record = case.record
    kept = {adopted.run for adopted in record.runs.values()} if record is not None else set()
    if record is not None and kept.issuperset(run_ids):
        return _resume(case, record, label, is_stopped=is_stopped)
    kind = methods.kind_of(found[0].plan.method)
    words = [*shlex.split(kind.command), *(word for run in run_ids for word in ("--run", run))]

    def find_price(store: Store) -> RepairPrice:
        return price_of([_calls(store, run_id, anew=False) for run_id in run_ids])

    budgets = [run.plan.budget_usd for run in found if run.plan.budget_usd is not None]
    if is_stopped and budgets:
        used = max(spent(case.store, run_id).usd for run_id in run_ids)
        return _with_budget(
            case, Repair(label, tuple(words), find_price=find_price), max(budgets), used
        )
    return Repair(label, tuple(words), find_price=find_price)


def _resume(case: Case, record: Investigation, label: str, *, is_stopped: bool) -> Repair:
    words = ("investigate", record.sample, "--model", case.model, "--resume")
    choice = QuizChoice(record.sample, record.kind, record.controls, record.methods)

    def find_price(store: Store) -> RepairPrice:
        needs = price.needs(store, choice, [case.model], Terms(record.limit))
        return _total([(need.calls, need.usd) for need in needs])

    repair = Repair(label, words, find_price=find_price)
    if not is_stopped or record.budget_usd is None:
        return repair
    used = sum(spent(case.store, each.run).usd - each.usd_before for each in record.runs.values())
    return _with_budget(case, repair, record.budget_usd, used)


def _with_budget(case: Case, repair: Repair, budget: float, used: float) -> Repair:
    """With a budget that is enough for what is left, where the present one is not."""
    usd = repair.price(case.store).usd or 0.0
    if used + usd < budget:
        return repair
    raised = math.ceil((used + usd) / _CENT + 1) * _CENT
    return replace(
        repair,
        label=f"{repair.label}, with a budget of ${raised:.2f}",
        words=(*repair.words, "--budget", f"{raised:.2f}"),
    )


def anew(case: Case, label: str, run_ids: Sequence[str]) -> Repair:
    """Runs asked once more from their beginning."""
    kind = methods.kind_of(case.run.plan.method)
    plans = [runs.load(case.store, run_id).plan for run_id in run_ids]
    about = [plan.subject if case.is_quiz else plan.sample_id for plan in plans]
    if kind.command == "replicate":  # takes one sample
        about, run_ids = about[:1], run_ids[:1]
    words = (*shlex.split(kind.command), *dict.fromkeys(about), "--model", case.model)

    def find_price(store: Store) -> RepairPrice:
        return price_of([_calls(store, run_id, anew=True) for run_id in run_ids])

    return Repair(label, words, find_price=find_price)


def v2(case: Case) -> Repair:
    """The release's protocol, of the target if it lacks a part of it, else of a control."""
    result = quiz_row(case.evidence)
    sample, name = case.sample, case.evidence.place
    if result.without_originals is not None or result.kind is QuizKind.BDQ:
        asked = {control.sample for control in case.finding.controls}
        others = more_controls.by_the_same_writer(case.store, sample)
        other = next((each for each in others if each not in asked), "")
        if not other:
            return with_controls(case, "Ask the standard quiz instead, with controls")
        sample, name = other, samples.partition_of(case.store, other).title

    def find_price(store: Store) -> RepairPrice:
        own = _calls(store, case.run.id, anew=True)
        usd = None if own.cost_usd is None else _V2_QUIZZES * own.cost_usd
        return RepairPrice(_V2_QUIZZES * own.calls, usd)

    label = f"Ask all quizzes of the release about {name}, at most"
    return Repair(label, ("v2", sample, "--model", case.model), find_price=find_price)


def _calls(store: Store, run_id: str, *, anew: bool) -> CostEstimate:
    """What the rest of a run takes, or all of it once more."""
    plan = runs.load(store, run_id).plan
    task = methods.kind_of(plan.method).reopen(store, plan)
    done = set() if anew else set(answered_and_failed(store, run_id)[0])
    left = (position for position in range(task.size) if position not in done)
    tokens = [estimate_tokens(task.text(position)) for position in left]
    return estimate_counted(plan.model, tokens, plan.max_tokens)


def price_of(costs: Sequence[CostEstimate]) -> RepairPrice:
    """What several runs take together."""
    return _total([(cost.calls, cost.cost_usd) for cost in costs])


def _total(costs: Sequence[tuple[int, float | None]]) -> RepairPrice:
    listed = [(calls, usd) for calls, usd in costs if calls]
    known = [usd for _, usd in listed if usd is not None]
    total = sum(known) if len(known) == len(listed) else None
    calls = sum(calls for calls, _ in listed)
    return RepairPrice(calls, total, "" if calls else _SAME)
