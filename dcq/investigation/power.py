"""What an investigation, or a study of several, would find: known before anything is asked.

For each model and target: which conclusions are possible, how many of the partitions that it has
seen in part would be called contaminated, and what would block a conclusion, with the repair. The
rule is that of ``dcq.judging.power``. What the store knows of a model (its replies about controls,
the letters that it chose without originals) takes the place of what is assumed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dcq import methods, settings
from dcq.asking.options import NO_TERMS, Terms
from dcq.errors import ModelChoiceError
from dcq.evidence.choice import is_control
from dcq.evidence.record import Evidence
from dcq.evidence.rotated import complete_rows
from dcq.invented import InventedMeasure, picks, picks_of
from dcq.investigation import blocks, evidence_order, price
from dcq.investigation.blocks import Blocks
from dcq.investigation.changes import tried
from dcq.investigation.planned import MethodPlan, PairPlan, PlannedControl, PowerPlan, usd_of
from dcq.investigation.price import Need
from dcq.judging.answers import answers
from dcq.judging.power import MethodDesign, simulate
from dcq.judging.study import judged
from dcq.models.endpoints import Endpoint, resolve, split_mode
from dcq.quiz import modes
from dcq.quiz.build import PLACED
from dcq.quiz.choice import QuizChoice
from dcq.records import LETTERS, Mode, PartitionRole, QuizKind
from dcq.store import Store, partitions, results, samples
from dcq.store.answer_plans import PlannedMethod
from dcq.store.studies import EVERYTHING, Study

Table = NDArray[np.float64]
Planned = tuple[QuizChoice, Sequence[str]]  # what is asked, and which models


def plan(
    store: Store,
    choices: Sequence[Planned],
    terms: Terms = NO_TERMS,
    within: Study = EVERYTHING,
) -> PowerPlan:
    """The plan of asking each choice of its models, on these ``terms``. Its pairs are corrected in
    the study ``within``, or in those of their benchmarks, with the pairs that were asked before.
    Nothing is asked or stored.

    Raises InputError where a sample is not there.
    """
    known, questions = _Known(store, within), price.Questions(store)

    def drafts_in(terms: Terms) -> list[PairPlan]:
        with store.hold():
            return [
                draft
                for choice, models in choices
                for draft in _drafts(known, questions, choice, models, terms)
            ]

    drafts = drafts_in(terms)
    others = known.other_p_values({(draft.model, draft.partition) for draft in drafts})
    powers = simulate([draft.design for draft in drafts], others)
    planned = tuple(
        replace(draft, power=power) for draft, power in zip(drafts, powers, strict=True)
    )
    found = PowerPlan(within.name or None, planned, others)
    if not found.is_weak or not planned:
        return found
    whole = drafts_in(replace(terms, limit=None)) if terms.limit is not None else []
    return replace(found, changes=tried(store, found, whole))


def choices(
    store: Store,
    choice: QuizChoice,
    models: Sequence[str],
    *,
    every_method: bool,
    among: Collection[str] = (),
) -> list[Planned]:
    """A choice for each model; by all methods that it allows where ``every_method`` says so, of
    those ``among`` which it chooses where there are some."""
    if not every_method:
        return [(choice, models)]
    found: list[Planned] = []
    for model in models:
        endpoint, _ = _endpoint(model)
        names = (
            evidence_order.usable(store, choice.sample, endpoint, among=among) if endpoint else ()
        )
        found.append((replace(choice, methods=names), [model]))
    return found


class _Known:
    """What a study in the store knows."""

    def __init__(self, store: Store, within: Study) -> None:
        self.store, self.within = store, within
        evidence = judged(store, within).snapshot.evidence.values()
        self._controls = [entry for entry in evidence if is_control(entry)]

    def other_p_values(self, pairs: set[tuple[str, str]]) -> tuple[tuple[str, float], ...]:
        """The p-values of all pairs but ``pairs``, each with its study."""
        return tuple(
            (answer.study, answer.p_value)
            for answer in answers(self.store, self.within)
            if answer.p_value is not None
            and answer.role == PartitionRole.TARGET
            and answer.pair not in pairs
        )

    def control_tables(
        self, model: str, planned: PlannedMethod, text: tuple[str, str]
    ) -> list[list[Table]]:
        """For each measure of a method, the tables of the controls of this kind of ``text`` that a
        model was asked about; of a quiz those at the slot where most are."""
        groups: dict[object, list[Evidence]] = {}
        for entry in self._controls:
            kind = dict(entry.setting).get("kind", "")
            same = (entry.method, kind) == (planned.method, planned.kind)
            if same and model in entry.names and entry.text == text:
                groups.setdefault(entry.setting, []).append(entry)
        alike = max(groups.values(), key=len, default=[])
        by_measure = zip(*(entry.measures for entry in alike), strict=False)
        tables = [[complete_rows(measure.values) for measure in each] for each in by_measure]
        return [[table for table in each if len(table)] for each in tables]

    def letters(self, model: str) -> Sequence[int] | None:
        """How often a model chose each letter in its largest quiz without originals; None where it
        has taken none."""
        counts = results.counts(self.store, model=model, every_run=True)
        bare = counts[(counts["kind"] == QuizKind.MODIFIED) & (counts["mode"] == Mode.LETTER)]
        if bare.empty:
            return None
        row = bare.sort_values("n").iloc[-1]
        return [int(row[letter]) for letter in LETTERS[:4]]


def _drafts(
    known: _Known,
    questions: price.Questions,
    choice: QuizChoice,
    models: Sequence[str],
    terms: Terms,
) -> list[PairPlan]:
    """The pairs of one target before their power is known."""
    store = known.store
    needs = price.needs(store, choice, models, terms, questions)
    found: Blocks | None = None
    drafts = []
    for model in models:
        of_model = [need for need in needs if need.model == model]
        found = found or blocks.find(store, choice, terms, of_model)
        drafts.append(_draft(known, choice, model, terms, found, of_model))
    return drafts


def _draft(
    known: _Known,
    choice: QuizChoice,
    model: str,
    terms: Terms,
    found: Blocks,
    needs: Sequence[Need],
) -> PairPlan:
    store, (endpoint, unable) = known.store, _endpoint(model)
    mode = endpoint.mode if endpoint else _mode_of(model)
    name = modes.of(mode).model(endpoint.name if endpoint else model)
    target = samples.partition_of(store, choice.sample)
    problems, planned_methods = [unable, *found.problems], []
    for planned in evidence_order.weights(choice, mode):
        shown = bool(planned.kind) or methods.named(planned.method).shows_rewordings
        of_method = [need for need in needs if need.kind == (planned.kind or planned.method)]
        n = _instances(of_method, choice.sample)
        unasked = blocks.of_method(store, planned, choice.sample, endpoint, instances=n)
        leak = found.leak if shown else ""
        problems += [unasked, leak]
        used = found.same_writer if shown else found.fitting
        text = (target.task, target.language)
        design = MethodDesign(
            name=f"{planned.kind} {planned.method}".strip(),
            weight=planned.weight,
            n=n,
            controls=tuple(filter(None, (_instances(of_method, control) for control in used))),
            measures=_measures(known, name, planned, mode, text),
            blocked=found.everything or bool(unasked or leak),
        )
        priced = _method(planned, design, of_method, needs, shown=shown)
        leaky = bool(leak) and not (found.everything or unasked)
        planned_methods.append(replace(priced, leaky=leaky))
    problems.append(blocks.over_budget(terms, endpoint, usd_of(needs)))
    return PairPlan(
        model=name,
        sample=choice.sample,
        partition=target.id,
        place=partitions.place(store, target),
        study=known.within.own(target.id),
        in_family=target.role is PartitionRole.TARGET,
        methods=tuple(planned_methods),
        controls=_controls(store, choice, needs),
        problems=tuple(dict.fromkeys(filter(None, problems))),
        needs=tuple(needs),
        writer=found.writer,
        leaky=found.leaky,
    )


def _endpoint(model: str) -> tuple[Endpoint | None, str]:
    """Who is asked; None, with the reason, while that is not known."""
    try:
        return resolve(model, settings.load()), ""
    except ModelChoiceError as error:
        return None, str(error)


def _mode_of(model: str) -> Mode:
    return Mode.LIKELIHOOD if split_mode(model)[1] else Mode.LETTER


def _instances(needs: Sequence[Need], sample_id: str) -> int:
    return next((need.instances for need in needs if need.sample == sample_id), 0)


def _method(
    planned: PlannedMethod,
    design: MethodDesign,
    of_method: Sequence[Need],
    needs: Sequence[Need],
    *,
    shown: bool,
) -> MethodPlan:
    """With what it takes; the quiz without originals belongs to the quiz."""
    both = [need for need in needs if planned.kind and need.kind == QuizKind.MODIFIED]
    both += of_method
    calls = sum(need.calls for need in both)
    asked = [need for need in of_method if need.instances]
    each = (asked[0].calls + asked[0].had) // asked[0].instances if asked else 1
    usd = usd_of(both)
    return MethodPlan(
        planned.method,
        design,
        planned.kind,
        calls,
        usd,
        max(1, each),
        usd / calls * max(1, each) if calls and usd is not None else None,
        shown,
    )


def _controls(
    store: Store, choice: QuizChoice, needs: Sequence[Need]
) -> tuple[PlannedControl, ...]:
    of_quiz = [need for need in needs if need.kind == choice.kind]
    found = []
    for control in choice.controls:
        partition = samples.partition_of(store, control)
        place = partitions.place(store, partition)
        found.append(PlannedControl(control, partition.id, place, _instances(of_quiz, control)))
    return tuple(found)


def _measures(
    known: _Known, model: str, planned: PlannedMethod, mode: Mode, text: tuple[str, str]
) -> tuple[tuple[InventedMeasure, ...], ...]:
    """What a method measures of the model: as its controls showed it, as far as it was asked, else
    as invented models do."""
    invented = _invented(known, model, planned, mode)
    tables = known.control_tables(model, planned, text)
    return tuple(
        (models[0].fitted(tables[place]),)
        if place < len(tables) and len(tables[place])
        else tuple(models)
        for place, models in enumerate(invented)
    )


def _invented(
    known: _Known, model: str, planned: PlannedMethod, mode: Mode
) -> Sequence[Sequence[InventedMeasure]]:
    if not planned.kind:
        return methods.named(planned.method).invented
    one_slot = QuizKind(planned.kind) in PLACED
    lettered = modes.of(mode).lettered
    models = picks(lettered=lettered, one_slot=one_slot)
    letters = known.letters(model) if lettered else None
    if letters is None:
        return (models,)
    return (tuple(picks_of(letters, each, one_slot=one_slot) for each in models),)
