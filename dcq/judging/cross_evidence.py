"""Quiz, replication and overlap side by side on one sample: the same instances, the same model.

Overlap shows that an instance could have been seen, replication that the model can write it from
memory, the quiz that the model knows its wording. Where they disagree, that is a finding, not an
error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dcq.errors import InputError
from dcq.evidence.association import Association, associate
from dcq.evidence.family import holm
from dcq.jobs.state import RunState
from dcq.judging import replication, study
from dcq.judging.judged import JudgedResult
from dcq.judging.replication_quiz import picks_of, quiz_of
from dcq.judging.summary import summarise
from dcq.overlap import evidence, outcome
from dcq.overlap.match import Category
from dcq.overlap.outcome import OverlapResult
from dcq.quiz.results import Result
from dcq.replication.evidence import replication_row
from dcq.replication.judge import MatchLevel
from dcq.store import Store, samples, studies
from dcq.words import percent


class SampleMethodName(StrEnum):
    """The three methods that are compared."""

    QUIZ = studies.QUIZ
    REPLICATION = studies.REPLICATION
    OVERLAP = studies.OVERLAP


class Picked(StrEnum):
    """The outcome of an instance's question in the quiz."""

    YES = "yes"
    NO = "no"
    UNUSABLE = "unusable"


# A finding and the groups that it is compared in; groups come from what is known without the
# finding's method.
PAIRS = (
    (SampleMethodName.QUIZ, SampleMethodName.OVERLAP),
    (SampleMethodName.REPLICATION, SampleMethodName.OVERLAP),
    (SampleMethodName.QUIZ, SampleMethodName.REPLICATION),
)


@dataclass(frozen=True)
class InstanceEvidence:
    """What each method found for an instance; None where it was not asked about, or the result is
    unknown. ``match`` is the completion from memory; without a judge only an equal one counts as
    exact."""

    id: str
    text: str
    category: Category | None
    match: MatchLevel | None
    picked: Picked | None

    def holds(self, method: SampleMethodName) -> float:
        """1 where the method finds the instance, 0 where it does not, NaN where that is unknown."""
        if method is SampleMethodName.OVERLAP:
            return math.nan if self.category is None else float(self.category is not Category.CLEAN)
        if method is SampleMethodName.REPLICATION:
            return math.nan if self.match is None else float(self.match is not MatchLevel.INEXACT)
        values = {Picked.YES: 1.0, Picked.NO: 0.0}
        return math.nan if self.picked is None else values.get(self.picked, math.nan)


@dataclass(frozen=True)
class FindingPair:
    """Does ``finding`` hold for the instances for which ``group`` holds? ``association`` counts the
    instances with both results. ``p_holm`` is corrected over the pairs that can be tested; None, as
    is the p-value, where one of the two holds for all or for none."""

    finding: SampleMethodName
    group: SampleMethodName
    association: Association
    p_value: float | None
    p_holm: float | None


@dataclass(frozen=True)
class SampleEvidence:
    """The result of one method on the whole sample: the run and a sentence. ``run`` is None where
    the method was not used, and the sentence says so."""

    method: SampleMethodName
    run: str | None
    sentence: str


@dataclass(frozen=True)
class CrossEvidence:
    """The three methods on a sample and a model: their ``results`` beside each other, the
    ``instances`` in the sample's order, and the ``pairs`` of methods that were both used."""

    sample: str
    model: str
    results: tuple[SampleEvidence, ...]
    instances: tuple[InstanceEvidence, ...]
    pairs: tuple[FindingPair, ...]


def models_of(store: Store, sample_id: str) -> list[str]:
    """Models that took a quiz of the sample or replicated it."""
    models = [
        finding.evidence.model
        for finding in study.findings(store)
        if finding.evidence.sample == sample_id
    ]
    models += [
        result.evidence.model
        for result in replication.results(store)
        if result.evidence.sample == sample_id
    ]
    return sorted(set(models))


def cross_evidence(
    store: Store, sample_id: str, model: str, *, overlap_run: str | None = None
) -> CrossEvidence:
    """The newest search or scan of the sample, or ``overlap_run``, with the model's most complete
    quiz and replication. Raises InputError for an unknown sample, and for a run on another
    sample."""
    sample = samples.load(store, sample_id)
    quiz = quiz_of(store, model, sample.id)
    copied = _replication_of(store, model, sample.id)
    searched = _overlap_of(store, sample.id, overlap_run)
    categories = {row.instance_id: row.category for row in searched.rows} if searched else {}
    completed = _matches(copied)
    picked = _picked(store, quiz)
    instances = tuple(
        InstanceEvidence(
            instance.id,
            instance.text,
            categories.get(instance.id),
            completed.get(instance.id),
            picked.get(instance.id),
        )
        for instance in sample.instances
    )
    used = {
        SampleMethodName.QUIZ: quiz is not None,
        SampleMethodName.REPLICATION: copied is not None,
        SampleMethodName.OVERLAP: searched is not None,
    }
    return CrossEvidence(
        sample.id,
        model,
        (
            _beside_quiz(store, model, sample.id),
            _beside_replication(model, copied),
            _beside_overlap(searched),
        ),
        instances,
        pairs_of(instances, [pair for pair in PAIRS if used[pair[0]] and used[pair[1]]]),
    )


def pairs_of(
    instances: Sequence[InstanceEvidence],
    names: Sequence[tuple[SampleMethodName, SampleMethodName]] = PAIRS,
) -> tuple[FindingPair, ...]:
    """The tests of association of the pairs in ``names``, corrected by Holm over those that can be
    tested."""
    associations = [
        associate(
            [instance_evidence.holds(finding) for instance_evidence in instances],
            [entry.holds(group) for entry in instances],
        )
        for finding, group in names
    ]
    tested = [association.p_value if association.varies else None for association in associations]
    return tuple(
        FindingPair(finding, group, entry, p, corrected)
        for (finding, group), entry, p, corrected in zip(
            names, associations, tested, holm(tested), strict=True
        )
    )


def _replication_of(store: Store, model: str, sample_id: str) -> JudgedResult | None:
    """A judged one before others, because its near-exact matches are known."""
    replications = [
        result
        for result in replication.results(store)
        if (result.evidence.sample, result.evidence.model) == (sample_id, model)
    ]
    return min(
        replications,
        key=lambda result: (
            not result.evidence.finished,
            not replication_row(result.evidence).judge,
        ),
        default=None,
    )


def _overlap_of(store: Store, sample_id: str, run: str | None) -> OverlapResult | None:
    if run is not None:
        chosen_overlap = outcome.of_run(store, run)
        if chosen_overlap.sample != sample_id:
            raise InputError(f"Run {run} is of another sample; name one of sample {sample_id}.")
        return chosen_overlap
    summaries = [
        summary
        for summary in evidence.results(store)
        if summary.sample == sample_id and summary.searched
    ]
    # Of equals the first, which is the newest.
    newest = min(
        summaries, key=lambda summary: summary.state is not RunState.FINISHED, default=None
    )
    return outcome.of_run(store, newest.run) if newest else None


def _matches(result: JudgedResult | None) -> Mapping[str, MatchLevel | None]:
    if result is None:
        return {}
    replicated = replication_row(result.evidence)
    exact, near = replicated.measured.exact, replicated.measured.near_exact
    levels: dict[str, MatchLevel | None] = {}
    for row, is_exact, is_near in zip(replicated.rows, exact, near, strict=True):
        if math.isnan(is_exact):
            levels[row.instance] = None
        elif is_exact:
            levels[row.instance] = MatchLevel.EXACT
        else:
            levels[row.instance] = MatchLevel.NEAR_EXACT if is_near else MatchLevel.INEXACT
    return levels


def _picked(store: Store, quiz: Result | None) -> Mapping[str, Picked]:
    if quiz is None:
        return {}
    return {
        str(instance): Picked.UNUSABLE if math.isnan(right) else (Picked.NO, Picked.YES)[int(right)]
        for instance, right in picks_of(store, quiz.run).items()
    }


def _beside_quiz(store: Store, model: str, sample_id: str) -> SampleEvidence:
    own_findings = [
        finding
        for finding in study.findings(store)
        if (finding.evidence.model, finding.evidence.sample) == (model, sample_id)
        and finding.evidence.usable
    ]
    strongest = study.strongest(own_findings)
    if strongest is None:
        return SampleEvidence(SampleMethodName.QUIZ, None, f"{model} took no quiz of this sample.")
    return SampleEvidence(SampleMethodName.QUIZ, strongest.evidence.run, summarise(strongest))


def _beside_replication(model: str, replication: JudgedResult | None) -> SampleEvidence:
    if replication is None:
        sentence = f"{model} was not asked to complete this sample."
        return SampleEvidence(SampleMethodName.REPLICATION, None, sentence)
    return SampleEvidence(
        SampleMethodName.REPLICATION, replication.evidence.run, replication.sentence
    )


def _beside_overlap(overlap: OverlapResult | None) -> SampleEvidence:
    if overlap is None:
        sentence = "This sample was looked for neither on the web nor in a corpus."
        return SampleEvidence(SampleMethodName.OVERLAP, None, sentence)
    share = overlap.coverage.share
    searched = overlap.coverage.searched
    if share is None:
        return SampleEvidence(
            SampleMethodName.OVERLAP, overlap.run, "No instance could be looked for."
        )
    where = "on the web" if overlap.method == "search" else "in the corpus"
    sentence = (
        f"{overlap.coverage.found:,} of {searched:,} instances looked for ({percent(share)}) stand "
        f"{where}."
    )
    return SampleEvidence(SampleMethodName.OVERLAP, overlap.run, sentence)
