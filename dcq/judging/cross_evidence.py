"""Quiz, replication and overlap side by side on one sample: the same instances, the same model.

The three look from different sides: overlap shows that an instance could have been seen,
replication that the model can write it from memory, the quiz that the model knows its wording.
Where they disagree, that is a finding, not an error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dcq.errors import InputError
from dcq.evidence.association import Association, associate
from dcq.evidence.family import holm
from dcq.jobs.state import State
from dcq.judging import replication, study
from dcq.judging.replication import ReplicationResult
from dcq.judging.replication_quiz import picks_of, quiz_of
from dcq.judging.summary import summarise
from dcq.judging.verdict import Ruling
from dcq.overlap import evidence, outcome
from dcq.overlap.match import Category
from dcq.overlap.outcome import OverlapResult
from dcq.quiz.results import Result
from dcq.replication.judge import Match
from dcq.replication.results import matches
from dcq.store import Store, samples, studies
from dcq.words import percent


class Method(StrEnum):
    """Three ways to look at a sample."""

    QUIZ = studies.QUIZ
    REPLICATION = studies.REPLICATION
    OVERLAP = studies.OVERLAP


class Picked(StrEnum):
    """What came of an instance's question in the quiz."""

    YES = "yes"
    NO = "no"
    UNUSABLE = "unusable"


# A finding and the groups that it is compared in; groups come from what is known without the
# finding's method.
PAIRS = (
    (Method.QUIZ, Method.OVERLAP),
    (Method.REPLICATION, Method.OVERLAP),
    (Method.QUIZ, Method.REPLICATION),
)


@dataclass(frozen=True)
class Instance:
    """What each method says of an instance; None where it was not asked about, or is not known.
    ``match`` is the completion from memory, exact only by equality where nobody judged."""

    id: str
    text: str
    category: Category | None
    match: Match | None
    picked: Picked | None

    def holds(self, method: Method) -> float:
        """1 where the method finds the instance, 0 where not, NaN where it cannot say."""
        if method is Method.OVERLAP:
            return math.nan if self.category is None else float(self.category is not Category.CLEAN)
        if method is Method.REPLICATION:
            return math.nan if self.match is None else float(self.match is not Match.INEXACT)
        known = {Picked.YES: 1.0, Picked.NO: 0.0}
        return math.nan if self.picked is None else known.get(self.picked, math.nan)


@dataclass(frozen=True)
class Pair:
    """Is what ``finding`` holds for also what ``group`` holds for? ``found`` counts the instances
    that both know. ``p_holm`` is corrected over the pairs that can be tested; None, as is the
    p-value, where one of the two holds for all or for none."""

    finding: Method
    group: Method
    found: Association
    p_value: float | None
    p_holm: float | None


@dataclass(frozen=True)
class Beside:
    """What one method says of the whole sample: the run, its ``ruling`` (overlap has none, because
    being on the web is not having been seen), and a sentence. ``run`` is None where the method was
    not used, and the sentence says so."""

    method: Method
    run: str | None
    ruling: Ruling | None
    sentence: str


@dataclass(frozen=True)
class CrossEvidence:
    """A sample and a model: the methods ``beside`` each other, the ``instances`` in the sample's
    order, and the ``pairs`` of which both methods were used."""

    sample: str
    model: str
    beside: tuple[Beside, ...]
    instances: tuple[Instance, ...]
    pairs: tuple[Pair, ...]


def models_of(store: Store, sample_id: str) -> list[str]:
    """Models that took a quiz of the sample or replicated it."""
    found = [one.result.model for one in study.findings(store) if one.result.sample == sample_id]
    found += [one.model for one in replication.results(store) if one.sample == sample_id]
    return sorted(set(found))


def cross_evidence(
    store: Store, sample_id: str, model: str, *, overlap_run: str | None = None
) -> CrossEvidence:
    """The newest search or scan of the sample that looked for an instance, or ``overlap_run``,
    beside the model's most complete quiz and replication. Raises InputError for an unknown sample,
    and for a run of another."""
    sample = samples.load(store, sample_id)
    quiz = quiz_of(store, model, sample.id)
    copied = _replication_of(store, model, sample.id)
    searched = _overlap_of(store, sample.id, overlap_run)
    categories = {row.instance_id: row.category for row in searched.rows} if searched else {}
    completed = _matches(store, copied)
    picked = _picked(store, quiz)
    instances = tuple(
        Instance(
            one.id, one.text, categories.get(one.id), completed.get(one.id), picked.get(one.id)
        )
        for one in sample.instances
    )
    used = {
        Method.QUIZ: quiz is not None,
        Method.REPLICATION: copied is not None,
        Method.OVERLAP: searched is not None,
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
    instances: Sequence[Instance], wanted: Sequence[tuple[Method, Method]] = PAIRS
) -> tuple[Pair, ...]:
    """The tests of association of the ``wanted`` pairs, Holm over those that can be tested."""
    found = [
        associate(
            [one.holds(finding) for one in instances], [one.holds(group) for one in instances]
        )
        for finding, group in wanted
    ]
    tested = [one.p_value if one.varies else None for one in found]
    return tuple(
        Pair(finding, group, one, p, corrected)
        for (finding, group), one, p, corrected in zip(
            wanted, found, tested, holm(tested), strict=True
        )
    )


def _replication_of(store: Store, model: str, sample_id: str) -> ReplicationResult | None:
    """A judged one before others, because its near-exact matches are known."""
    found = [
        one
        for one in replication.results(store)
        if (one.sample, one.model) == (sample_id, model) and one.asked
    ]
    return min(found, key=lambda one: (not one.finished, not one.judge), default=None)


def _overlap_of(store: Store, sample_id: str, run: str | None) -> OverlapResult | None:
    if run is not None:
        chosen = outcome.of_run(store, run)
        if chosen.sample != sample_id:
            raise InputError(f"Run {run} is of another sample; name one of sample {sample_id}.")
        return chosen
    found = [one for one in evidence.results(store) if one.sample == sample_id and one.searched]
    # Of equals the first, which is the newest.
    newest = min(found, key=lambda one: one.state is not State.FINISHED, default=None)
    return outcome.of_run(store, newest.run) if newest else None


def _matches(store: Store, found: ReplicationResult | None) -> Mapping[str, Match | None]:
    if found is None:
        return {}
    table = replication.rows(store, found.run)
    exact, near = matches(table, judged=bool(found.judge))
    known: dict[str, Match | None] = {}
    for row, is_exact, is_near in zip(table, exact, near, strict=True):
        if math.isnan(is_exact):
            known[row.instance] = None
        elif is_exact:
            known[row.instance] = Match.EXACT
        else:
            known[row.instance] = Match.NEAR_EXACT if is_near else Match.INEXACT
    return known


def _picked(store: Store, quiz: Result | None) -> Mapping[str, Picked]:
    if quiz is None:
        return {}
    return {
        str(instance): Picked.UNUSABLE if math.isnan(right) else (Picked.NO, Picked.YES)[int(right)]
        for instance, right in picks_of(store, quiz.run).items()
    }


def _beside_quiz(store: Store, model: str, sample_id: str) -> Beside:
    own = [
        one
        for one in study.findings(store)
        if (one.result.model, one.result.sample) == (model, sample_id) and one.result.n
    ]
    found = study.strongest(own)
    if found is None:
        return Beside(Method.QUIZ, None, None, f"{model} took no quiz of this sample.")
    ruling = found.verdict.ruling if found.verdict else None
    return Beside(Method.QUIZ, found.result.run, ruling, summarise(found))


def _beside_replication(model: str, found: ReplicationResult | None) -> Beside:
    if found is None:
        sentence = f"{model} was not asked to complete this sample."
        return Beside(Method.REPLICATION, None, None, sentence)
    ruling = found.verdict.ruling if found.verdict else None
    return Beside(Method.REPLICATION, found.run, ruling, found.sentence)


def _beside_overlap(found: OverlapResult | None) -> Beside:
    if found is None:
        sentence = "This sample was looked for neither on the web nor in a corpus."
        return Beside(Method.OVERLAP, None, None, sentence)
    share = found.coverage.share
    searched = found.coverage.searched
    if share is None:
        return Beside(Method.OVERLAP, found.run, None, "No instance could be looked for.")
    where = "on the web" if found.method == "search" else "in the corpus"
    sentence = (
        f"{found.coverage.found:,} of {searched:,} instances looked for ({percent(share)}) stand "
        f"{where}."
    )
    return Beside(Method.OVERLAP, found.run, None, sentence)
