"""Verdicts on all results of a study, whatever their methods: by default everything in the store.

Pages and commands select from it afterwards, so no filter changes a verdict: the controls and the
family of a result come from its study.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from dcq import methods
from dcq.detection import DetectionMethod
from dcq.evidence.choice import is_control
from dcq.judging import snapshot
from dcq.judging.comparisons import ComparedResults, compare_pairs, pairs_of
from dcq.judging.controls import ControlPool
from dcq.judging.judged import JudgedResult, Ruling, Verdict
from dcq.judging.snapshot import Snapshot
from dcq.judging.verdict import judge
from dcq.naming import is_meant
from dcq.quiz import protocol2, tables
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.detection import rating_by
from dcq.quiz.evidence import Rows, belongs, describe
from dcq.quiz.protocol2 import ContaminationRange
from dcq.quiz.results import Result, quiz_row
from dcq.quiz.text_scores import TextScores, text_scores
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, sources
from dcq.store.studies import EVERYTHING, QUIZ, Study


@dataclass(frozen=True, eq=False)
class JudgedStudy:
    """A ``snapshot`` with the judged result of each member of its study, by run."""

    snapshot: Snapshot
    results: Mapping[str, JudgedResult]

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdicts on all members that are no controls."""
        return {run: result.verdict for run, result in self.results.items() if result.verdict}


def judge_snapshot(read: Snapshot) -> JudgedStudy:
    """Compare every result of a study with its controls, and rule on all of them together.

    The family for the correction is the results on targets that count in the study, of all methods;
    each benchmark's where everything in the store is looked at.
    Any other result (an older run, another set of variants, a partition surely seen) is judged as
    if it counted instead.
    """
    standing = [read.evidence[run] for run in read.evidence if run in read.counting]
    pool = ControlPool(
        [evidence for evidence in standing if is_control(evidence)], read.evidence, read.members
    )
    results = {
        run: pool.compare(evidence)
        for run, evidence in read.evidence.items()
        if run in read.members
    }
    judged = [run for run in results if not is_control(read.evidence[run])]
    family = read.family
    verdicts = judge(
        [results[run] for run in judged],
        [run in family for run in judged],
        study_of=read.within.own,
        cutoffs=read.cutoffs,
    )
    for run, verdict in zip(judged, verdicts, strict=True):
        results[run] = replace(results[run], verdict=verdict)
    return JudgedStudy(read, results)


def judged(
    store: Store, within: Study = EVERYTHING, text_of: TextScores = text_scores
) -> JudgedStudy:
    """The study as it is now, judged again only if something has changed that it rests on.
    ``text_of`` gives the text-only scores of quizzes where texts are withheld."""
    used = tuple(
        rating_by(text_of) if method.name == QUIZ else method for method in methods.readers(within)
    )
    return _judged(store, within, used, snapshot.state(store))


@lru_cache(maxsize=4)
def _judged(
    store: Store,
    within: Study,
    used: tuple[DetectionMethod[Any], ...],
    state: tuple[int, ...],
) -> JudgedStudy:
    return judge_snapshot(snapshot.read(store, within, used))


def about_sample(study: JudgedStudy, model: str, sample: str) -> JudgedStudy:
    """The study as if the runs of a ``model`` about a sample counted, where others of the same
    partition do: a partition has one conclusion, and whoever asks about a sample wants its own."""
    read = study.snapshot
    of_model = {run: entry for run, entry in read.evidence.items() if is_meant(model, entry.names)}
    own: dict[Hashable, str] = {}
    for run, entry in of_model.items():
        if entry.sample == sample and run in read.members:
            own.setdefault(entry.family_key, run)
    partitions = {of_model[run].partition for run in own.values()}
    rest = {
        run
        for run in read.counting
        if run not in of_model or of_model[run].partition not in partitions
    }
    counting = frozenset(rest | set(own.values()))
    return study if counting == read.counting else judge_snapshot(replace(read, counting=counting))


def judged_results(
    store: Store,
    method: str,
    within: Study = EVERYTHING,
    *,
    every_run: bool = False,
    text_of: TextScores = text_scores,
) -> list[JudgedResult]:
    """The results of one method in a study: those that count in it, or ``every_run``; contaminated
    ones first and controls last, then by their p-value. ``text_of`` is as in ``judged``."""
    judged_study = judged(store, within, text_of)
    results = [
        result
        for run, result in judged_study.results.items()
        if result.evidence.read_by == method
        and (every_run or run in judged_study.snapshot.counting)
    ]
    return sorted(results, key=lambda result: rank_verdict(result.verdict))


def rank_verdict(verdict: Verdict | None) -> tuple[int, float]:
    """Where a result stands in a list: contaminated ones first and controls last, then by their
    p-value."""
    order = (Ruling.CONTAMINATED, Ruling.NO_EVIDENCE, Ruling.INCONCLUSIVE)
    if verdict is None:
        return len(order), 1.0
    return order.index(verdict.ruling), 1.0 if verdict.p_value is None else verdict.p_value


def findings(
    store: Store,
    within: Study = EVERYTHING,
    *,
    every_run: bool = False,
    text_of: TextScores = text_scores,
) -> list[JudgedResult]:
    """The quizzes of a study, as ``dcq.quiz.results.table`` orders them: those that count in it, or
    ``every_run``. Quizzes without originals are among them; they are compared with nothing and have
    no verdict. ``text_of`` is as in ``judged``."""
    judged_study = judged(store, within, text_of)
    read, senders = judged_study.snapshot, sources.senders(store)
    return [
        judged_study.results.get(r.run)
        or JudgedResult(replace(describe(r), sender=senders.get(r.run, "")))
        for r in quizzes_in(read)
        if belongs(r, within) and (every_run or r.run in read.counting)
    ]


def comparisons(store: Store, within: Study = EVERYTHING) -> list[ComparedResults]:
    """Every comparison of models and of splits that a study allows."""
    results = _results(store, within)
    pairs = pairs_of(results)
    answers = tables.of_runs(store, sorted({side.run for pair in pairs for side in pair}))
    return compare_pairs(pairs, results, answers)


def ranges(store: Store, within: Study = EVERYTHING) -> list[ContaminationRange]:
    """The estimates of protocol v2 from runs of a study."""
    bdq_runs = {r.run for r in _results(store, within) if r.kind is QuizKind.BDQ}
    if not bdq_runs:
        return []
    return [bounds for bounds in protocol2.estimates(store) if bounds.bdq in bdq_runs]


def _results(store: Store, within: Study) -> list[Result]:
    return [r for r in quizzes_in(judged(store, within).snapshot) if belongs(r, within)]


def quizzes_in(read: Snapshot) -> Sequence[Result]:
    """The quizzes of the whole store, those without originals among them."""
    rows = read.rows.get(QUIZ)
    return rows.results if isinstance(rows, Rows) else ()


def with_originals(findings: Sequence[JudgedResult]) -> list[JudgedResult]:
    """Those of quizzes in which there is an original to find."""
    return [
        finding for finding in findings if quiz_row(finding.evidence).kind not in WITHOUT_ORIGINAL
    ]


def strongest(findings: Sequence[JudgedResult]) -> JudgedResult | None:
    """The first of ``by_strength``; None if ``findings`` is empty."""
    return next(iter(by_strength(findings)), None)


def beside(finding: JudgedResult, findings: Sequence[JudgedResult]) -> list[JudgedResult]:
    """The findings to compare ``finding`` with: the same partition with every model, and the
    controls of its model."""
    own = finding.evidence
    return [
        other_finding
        for other_finding in findings
        if other_finding.evidence.partition == own.partition
        or (
            other_finding.evidence.role == PartitionRole.CONTROL
            and other_finding.evidence.model == own.model
        )
    ]


def by_strength(findings: Sequence[JudgedResult]) -> list[JudgedResult]:
    """Findings in the order in which to show them: finished runs first, then targets, then
    contaminated ones by the lowest q-value, then by the highest lower limit of κ (above controls if
    there are any)."""

    def rank(finding: JudgedResult) -> tuple[bool, bool, bool, bool, float, float]:
        evidence, verdict, calibration = finding.evidence, finding.verdict, finding.deciding
        called = verdict is not None and verdict.ruling is Ruling.CONTAMINATED
        q = verdict.q_value if called and verdict else None
        low = calibration.kappa_low if calibration else evidence.estimate.low
        return (
            evidence.estimate.share is not None,
            evidence.finished,
            evidence.role == PartitionRole.TARGET,
            called,
            1.0 if q is None else -q,
            -2.0 if low is None else low,
        )

    return sorted(findings, key=rank, reverse=True)
