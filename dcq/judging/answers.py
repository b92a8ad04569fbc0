"""The answers of a study, one for each model and partition.

The p-values of a pair are combined by a rule that holds however they depend on each other, with
weights that were fixed before asking, and corrected over the pairs of the study. Overlap and other
results without a model or a null hypothesis are shown and never vote.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from dcq import methods
from dcq.evidence.check import Mark, Topic
from dcq.evidence.combine import weighted_holm
from dcq.evidence.family import q_among
from dcq.evidence.power import ALPHA
from dcq.evidence.record import Evidence
from dcq.judging import answer_words, every_method, weights
from dcq.judging.answer import Answer, CouldAsk, MethodAnswer, Pair, names_of, share_of
from dcq.judging.judged import JudgedResult, Ruling, Verdict
from dcq.judging.rule import failed_checks, found_nothing, rule, way_of_asking
from dcq.judging.study import JudgedStudy, about_sample, judged
from dcq.judging.verdict import Family
from dcq.naming import is_meant
from dcq.quiz.text_scores import TextScores, text_scores
from dcq.records import PartitionRole
from dcq.store import Store, answer_plans
from dcq.store.answer_plans import AnswerPlan
from dcq.store.studies import EVERYTHING, QUIZ, SURELY_SEEN_IS_OPEN, Study

# In which answers are shown.
ORDER = (Ruling.CONTAMINATED, Ruling.INCONCLUSIVE, Ruling.NO_EVIDENCE)


def answers(
    store: Store,
    within: Study = EVERYTHING,
    *,
    model: str | None = None,
    partition: str | None = None,
    sample: str | None = None,
    text_of: TextScores = text_scores,
) -> list[Answer]:
    """The answers of a study: targets first, of these contaminated ones, then by their p-value;
    ``model`` and ``partition`` (``key/split``) select from them and change nothing. ``text_of`` is
    as in ``dcq.judging.study.judged``. With a ``sample``, the ``model``'s answer is about that
    one, whatever counts of its partition otherwise."""
    study = judged(store, within, text_of)
    if sample is not None and model is not None:
        study = about_sample(study, model, sample)
    return answer_study(
        study,
        answer_plans.listing(store),
        every_method.searched(store, within),
        model=model,
        partition=partition,
    )


def answer_study(
    study: JudgedStudy,
    plans: Iterable[AnswerPlan] = (),
    searches: Iterable[Evidence] = (),
    *,
    model: str | None = None,
    partition: str | None = None,
) -> list[Answer]:
    """One answer for each pair with a result that counts in a study, except controls. ``plans`` are
    the weights fixed before asking, ``searches`` the results that have no model. Pairs of one study
    are corrected together; of everything in the store each benchmark's. ``model`` and
    ``partition`` select pairs, and change nothing."""
    within = study.snapshot.within
    pairs, asked = _results(study), weights.asked_in_order(study)
    planned, answers_by_partition = weights.plans_in_time(plans, asked), _beside(searches)
    found_nothing_on = found_nothing(
        study.results[run] for run in study.results if run in study.snapshot.counting
    )

    def insensitive(result: JudgedResult) -> str:
        """A partition that the model has surely seen and that this way of asking did not find;
        before the third rule, that was said of other partitions alone."""
        own = result.evidence.role == PartitionRole.POSITIVE
        told = within.rule >= SURELY_SEEN_IS_OPEN or not own
        return found_nothing_on.get(way_of_asking(result), "") if told else ""

    drafts = [
        _Draft.of(
            results,
            asked[pair],
            planned.get(pair),
            answers_by_partition.get(pair[1], ()),
            insensitive,
        )
        for pair, results in pairs.items()
    ]
    family = Family(
        [entry.pair for entry in drafts],
        [entry.p_value for entry in drafts],
        [entry.role == PartitionRole.TARGET for entry in drafts],
        [within.own(entry.pair[1]) for entry in drafts],
    )
    revisions = _revisions(within, pairs)
    pair_answers = [
        replace(
            _conclude(entry, i, family, within.rule),
            study=within.own(entry.pair[1]),
            revision=revisions[within.own(entry.pair[1])],
            study_fixed=_fixed_before(within, asked[entry.pair]),
        )
        for i, entry in enumerate(drafts)
        if is_meant(model, entry.names) and is_meant(partition, [entry.pair[1]])
    ]
    return sorted(
        pair_answers,
        key=lambda entry: (
            entry.role != PartitionRole.TARGET,
            ORDER.index(entry.ruling),
            2.0 if entry.p_value is None else entry.p_value,
            min((each.p_value for each in entry.methods if each.p_value is not None), default=1.0),
            entry.partition,
            entry.model,
        ),
    )


def _revisions(within: Study, pairs: Iterable[Pair]) -> Mapping[str, int]:
    """The revision of each study by its name: a saved one's own, and of a benchmark's one for each
    pair that was asked, since each of them changed what the others are corrected with."""
    if within.revision:
        return {within.name: within.revision}
    return Counter(within.own(partition) for _, partition in pairs)


def _fixed_before(within: Study, asked: Sequence[Evidence]) -> datetime | None:
    """When a saved study was fixed, if that was before the first reply of a pair: only then it is
    a plan. ``asked`` is the evidence of the pair in the order of asking."""
    fixed = within.made_at if within.name else None
    return fixed if fixed is not None and fixed <= asked[0].first_reply else None


@dataclass(frozen=True)
class _Draft:
    """A pair before it is ruled on."""

    pair: Pair
    place: str
    role: str
    plan: AnswerPlan | None
    methods: tuple[MethodAnswer, ...]
    could_ask: tuple[CouldAsk, ...]

    @classmethod
    def of(
        cls,
        results: Sequence[JudgedResult],
        asked: Sequence[Evidence],
        plan: AnswerPlan | None,
        search_answers: Sequence[MethodAnswer],
        insensitive: Callable[[JudgedResult], str],
    ) -> _Draft:
        weight_of = weights.shares(asked[0].method, plan)
        spoken = [
            _speak(
                result,
                weight,
                answer_words.no_weight(plan, later=weights.weight_key(result, plan) in weight_of),
                insensitive(result),
            )
            for result, weight in zip(results, weights.weigh(results, asked, plan), strict=True)
        ]
        first = results[0].evidence
        return cls(
            (first.model, first.partition),
            first.place,
            first.role,
            plan,
            (*sorted(spoken, key=lambda result: -result.weight), *search_answers),
            _open(results, asked[0].method, plan),
        )

    @property
    def names(self) -> set[str]:
        """As ``Answer.names``."""
        return names_of(self.pair[0], self.methods)

    @property
    def p_value(self) -> float | None:
        """None where nothing could vote, whatever it found. A sample that is too small counts as 1
        and leaves its pair among the others: to leave it out because it found nothing would make
        the rest look rarer than it is."""
        p = self.combined(lambda method: method.p_value)
        return 1.0 if p is None and any(method.only_small for method in self.methods) else p

    def combined(
        self, p_of: Callable[[MethodAnswer], float | None], without: MethodAnswer | None = None
    ) -> float | None:
        """The p-value of all methods that vote, but one; None if none does."""
        return combine([method for method in self.methods if method is not without], p_of)

    @property
    def senders(self) -> tuple[str, ...]:
        judged = [method.judged for method in self.methods if method.judged]
        return tuple(sorted({sender for result in judged for sender in result.senders}))


def combine(
    results: Sequence[MethodAnswer],
    p_of: Callable[[MethodAnswer], float | None] = lambda method: method.p_value,
) -> float | None:
    """The p-value of all ``results`` that vote together; None if none does."""
    voting = [method for method in results if method.votes]
    if not voting:
        return None
    return weighted_holm([p_of(method) for method in voting], [method.weight for method in voting])


def _conclude(draft: _Draft, place: int, family: Family, by_rule: int) -> Answer:
    p, (q, _, n_pairs) = draft.p_value, family.corrected(place)
    refused = draft.combined(lambda method: _against(method, "p_refused"))
    survives_refusals = refused is None or family.q_with(place, refused) <= ALPHA
    ruling = rule(draft.methods, q, survives_refusals=survives_refusals, by_rule=by_rule)
    answer = Answer(
        *draft.pair,
        place=draft.place,
        role=draft.role,
        ruling=ruling,
        p_value=p,
        q_value=q,
        sentence="",
        basis=answer_words.basis(draft.methods, draft.could_ask, draft.plan),
        contradiction=answer_words.contradiction(draft.methods),
        would_change=tuple(_would_change(draft, ruling, place, family)),
        reasons=(),
        methods=draft.methods,
        plan=draft.plan,
        senders=draft.senders,
        pairs=n_pairs,
    )
    answer = replace(
        answer,
        sentence=answer_words.sentence(answer),
        could_ask=tuple(replace(entry, sample=answer.sample) for entry in draft.could_ask),
    )
    return replace(
        answer, reasons=answer_words.reasons(answer, survives_refusals=survives_refusals)
    )


def _would_change(draft: _Draft, ruling: Ruling, place: int, family: Family) -> list[str]:
    """What would give another ruling, as sentences."""
    if ruling is Ruling.CONTAMINATED:
        voting = [method for method in draft.methods if method.votes]
        needed = []
        for method in (
            voting if len(voting) > 1 else []
        ):  # the only one is needed as a matter of course
            p_without = draft.combined(lambda each: each.p_value, without=method)
            if p_without is None or family.q_with(place, p_without) > ALPHA:
                needed.append(method)
        easier = draft.combined(lambda method: _against(method, "p_easier"))
        fragile = easier is not None and family.q_with(place, easier) > ALPHA
        return answer_words.rests_on(needed, fragile=fragile)
    p_limit = _largest_contaminated(lambda p: family.q_with(place, p))
    return [
        *answer_words.needed_p_values(draft.could_ask, p_limit),
        *(answer_words.more_controls(draft.methods) if ruling is Ruling.INCONCLUSIVE else ()),
    ]


def _largest_contaminated(q_of: Callable[[float], float]) -> float:
    """The largest p-value at which the ruling would be "contaminated"."""
    low, high = 0.0, ALPHA
    if q_of(high) <= ALPHA:
        return high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if q_of(middle) <= ALPHA else (low, middle)
    return low


def _against(method: MethodAnswer, name: str) -> float | None:
    """Another p-value of a result against its controls; its own where it needs none."""
    result = method.judged
    if result is None or not result.evidence.needs_controls:
        return method.p_value
    return result.against_controls(lambda calibration: getattr(calibration, name))


def _results(study: JudgedStudy) -> dict[Pair, list[JudgedResult]]:
    """The results that count in a study, but for controls, by pair."""
    results_by_pair: dict[Pair, list[JudgedResult]] = defaultdict(list)
    for run, result in study.results.items():
        if result.verdict and run in study.snapshot.counting:
            results_by_pair[result.evidence.model, result.evidence.partition].append(result)
    return dict(results_by_pair)


def _speak(
    result: JudgedResult, weight: float, no_weight: str, found_nothing_on: str
) -> MethodAnswer:
    evidence, estimate, verdict = result.evidence, result.evidence.estimate, result.verdict
    share = result.of_shares[1] if result.of_shares else None
    assert verdict is not None  # noqa: S101  (only a control has none)
    bad = failed_checks(verdict)
    why = _why_not(result, verdict) if weight else no_weight
    return MethodAnswer(
        method=evidence.method,
        title=title_of(evidence.method, weights.kind_of_quiz(result)),
        kind=weights.kind_of_quiz(result),
        run=evidence.run,
        n=estimate.n,
        estimate=estimate.value,
        low=estimate.low,
        high=estimate.high,
        unit=estimate.unit,
        p_value=result.p_value,
        verdict=verdict.ruling,
        votes=why is None,
        weight=weight,
        why_not=why,
        finding=verdict.finding,
        failed=bad[0] if bad else None,
        only_small=why is not None and weight > 0 and set(bad) == {Topic.POWER},
        lacks=result.lacking,
        sample=evidence.sample,
        score=share.score if share else share_of(estimate.value, estimate.unit),
        expected=share.control_score if share else None,
        found_nothing_on=found_nothing_on,
        words=evidence.words,
        judged=result,
    )


def _why_not(result: JudgedResult, verdict: Verdict) -> str | None:
    """Why the p-value of a result counts as 1; None if it counts. That a result does not hold
    among all results is no reason, because the answer is corrected over pairs."""
    bad = failed_checks(verdict)
    if bad:
        return next(
            check.sentence
            for check in verdict.checks
            if check.topic is bad[0] and check.mark is Mark.BAD
        )
    if not result.stands or verdict.p_value is None:
        return answer_words.NOTHING_TO_COMPARE
    return None if np.isfinite(verdict.p_value) else answer_words.NOTHING_TO_COMPARE


def _open(
    results: Sequence[JudgedResult], first: str, plan: AnswerPlan | None
) -> tuple[CouldAsk, ...]:
    """The methods that have a weight and no result."""
    asked = {weights.weight_key(entry, plan) for entry in results}
    if plan is not None:
        return tuple(
            CouldAsk(
                entry.method,
                title_of(entry.method, entry.kind),
                entry.weight,
                planned=True,
                kind=entry.kind,
            )
            for entry in plan.methods
            if (entry.method, entry.kind) not in asked
        )
    shares = weights.default_shares(first)
    return tuple(
        CouldAsk(entry.name, entry.title, shares[entry.name])
        for entry in methods.METHODS
        if entry.investigated and shares.get(entry.name) and entry.name not in asked
    )


def title_of(name: str, kind: str) -> str:
    """The title of a method, also of one of a later release, which a bundle's plan may name. With a
    ``kind`` of quiz it is the quiz, asked by another method where ``name`` is one."""
    if kind and name != QUIZ:
        return f"{methods.named(QUIZ).title} by {name}"
    return methods.named(name).title if name in methods.names() else name


def _beside(searches: Iterable[Evidence]) -> dict[str, list[MethodAnswer]]:
    """What has no model, newest first, by partition."""
    answers_by_partition: dict[str, list[MethodAnswer]] = defaultdict(list)
    for evidence in searches:
        estimate = evidence.estimate
        answers_by_partition[evidence.partition].append(
            MethodAnswer(
                method=evidence.method,
                title=methods.named(evidence.read_by).title,
                kind="",
                run=evidence.run,
                n=estimate.n,
                estimate=estimate.value,
                low=estimate.low,
                high=estimate.high,
                unit=estimate.unit,
                p_value=None,
                verdict=None,
                votes=False,
                why_not=answer_words.NEVER_VOTES,
            )
        )
    return answers_by_partition


def lost_to(new: Collection[Pair], among: Sequence[Answer]) -> list[Answer]:
    """Of the answers ``among`` all of a store, each corrected in its benchmark's own study: those
    that would no longer be contaminated if the pairs ``new`` were asked too and showed nothing."""
    joining = Counter(
        EVERYTHING.own(partition)
        for model, partition in new
        if (model, partition) not in {answer.pair for answer in among}
    )
    lost = []
    for answer in among:
        more = joining[answer.study]
        if more and answer.ruling is Ruling.CONTAMINATED and answer.p_value is not None:
            others = [
                other.p_value
                for other in among
                if other.study == answer.study
                and other is not answer
                and other.role == PartitionRole.TARGET
                and other.p_value is not None
            ]
            if q_among(answer.p_value, np.array([*others, *[1.0] * more])) > ALPHA:
                lost.append(answer)
    return lost
