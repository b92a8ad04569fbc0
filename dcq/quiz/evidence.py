"""Quizzes as evidence: from the rows of the store to what the judge compares."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dcq.evidence.check import MOST_UNUSABLE, Check, Mark, Topic
from dcq.evidence.kappa import Kappa, unscale
from dcq.evidence.leak import CHANCE
from dcq.evidence.people import Pooled, pool
from dcq.evidence.record import (
    FOUND,
    HERE,
    ByInstance,
    Context,
    Evidence,
    Measure,
    MethodEstimate,
)
from dcq.evidence.soft import letter_logprobs, original_probability
from dcq.quiz import counting_sets, looks, modes, results, tables, wording
from dcq.quiz import people as quiz_people
from dcq.quiz.build import SLOTS, WITHOUT_ORIGINAL
from dcq.quiz.looks import StoredLooks
from dcq.quiz.ranked import MIDRANK
from dcq.quiz.results import OPTIONS, Result, quiz_name
from dcq.records import LETTERS, Mode, Outcome, PartitionRole, QuizKind, slot_letter
from dcq.store import Store, choices, sets, sittings, variants
from dcq.store.moment import at_one_moment
from dcq.store.sets import SetMember
from dcq.store.studies import QUIZ, KnownRun, Study
from dcq.variants.leakage import TextOnly

METHOD = QUIZ
Answers = Mapping[str, pd.DataFrame]  # by run
_Table = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """The rows read from a store: all results, and by run, quiz or sample what belongs to them.
    ``logged`` are the rotated runs with log-probabilities for any reply."""

    results: Sequence[Result]
    answers: Answers
    logged: frozenset[str]
    writers: Mapping[str, str]
    looked: Mapping[str, StoredLooks]
    of_sets: Mapping[str, SetMember]
    people: Mapping[str, Pooled]


@at_one_moment
def read(store: Store) -> Rows:
    """All quizzes of a store."""
    quiz_results = _with_those_without(results.table(store, every_run=True))
    with_original = [r for r in quiz_results if r.kind not in WITHOUT_ORIGINAL]
    by_letter = {r.run for r in with_original} | {r.without for r in with_original if r.without}
    rotated = [r for r in quiz_results if r.kind is QuizKind.ROTATED and r.how.lettered]
    return Rows(
        results=quiz_results,
        answers=tables.of_runs(store, sorted(by_letter)),
        logged=choices.logged(store, [r.run for r in rotated]),
        writers=variants.writers_of_quizzes(store, list({r.quiz for r in with_original})),
        looked=looks.outcomes(store),
        of_sets=sets.members(store),
        people=people_of(store),
    )


def known_to(within: Study, rows: Rows, taken_in: Mapping[str, datetime]) -> Rows:
    """The rows that a study takes into account: none of runs that it does not know
    (``Study.known``), and of sets of variants those that were made before it, or are asked."""
    if not within.is_fixed or within.made_at is None:
        return rows
    known = within.known(
        KnownRun(
            r.run,
            (r.how.method, *place_in_study(r)),
            taken_in.get(r.run, r.at),
            r.finished,
            own=r.run not in taken_in,
        )
        for r in rows.results
    )
    asked = {r.sample for r in rows.results if r.run in known}
    return replace(
        rows,
        results=[r for r in rows.results if r.run in known],
        of_sets={
            sample: member
            for sample, member in rows.of_sets.items()
            if sample in asked or member.made_at <= within.made_at
        },
    )


def probabilities(store: Store, rows: Rows) -> dict[str, pd.DataFrame]:
    """The original's probability by instance and slot, of the runs that are ``logged``. These
    replies are long, so they are read after the store is released. They may be newer than ``rows``
    without effect: a reply is never replaced, and where ``rows`` have no answer the probability is
    not used."""
    tables_by_run = {
        r.run: _probabilities(store, r.run, tuple(r.outcomes.values()))
        for r in rows.results
        if r.run in rows.logged
    }
    return {run: table for run, table in tables_by_run.items() if table is not None}


def people_of(store: Store) -> dict[str, Pooled]:
    """The results of people, for each sample in which an answer of theirs counts."""
    all_sittings = sittings.every(store)
    curations = sittings.curations(store, {sitting.sample_id for sitting in all_sittings})
    counted = quiz_people.answers_by_sample(quiz_people.judge_sittings(all_sittings, curations))
    return {
        sample: pool([(answer.person_key, answer.instance, answer.right) for answer in answers])
        for sample, answers in counted.items()
    }


def evidence(
    rows: Rows,
    context: Context,
    texts: Mapping[str, Sequence[TextOnly]],
    probable: Mapping[str, pd.DataFrame],
    ranked: Mapping[str, _Table] = MappingProxyType({}),
) -> dict[str, Evidence]:
    """The evidence of each result with an original, by run. ``texts`` are the scores of strategies
    without memory, by quiz, ``probable`` the original's ``probabilities``, ``ranked`` its ranks
    (``dcq.quiz.ranked``)."""
    set_checks = counting_sets.checks(rows.results, rows.of_sets)
    evidence_by_run = {
        r.run: _evidence(
            r,
            rows,
            context,
            set_checks.get(r.run),
            {baseline.name: baseline.kappa for baseline in texts.get(r.quiz, ())},
            probable.get(r.run),
        )
        for r in rows.results
        if r.kind not in WITHOUT_ORIGINAL
    }
    for run, table in ranked.items():
        evidence_by_run[run] = replace(
            evidence_by_run[run], side_measures=(Measure(MIDRANK, table, prior=None),)
        )
    return evidence_by_run


def _evidence(
    result: Result,
    rows: Rows,
    context: Context,
    of_set: Check | None,
    text: Mapping[str, Kappa],
    probable: pd.DataFrame | None,
) -> Evidence:
    looked, bare = rows.looked.get(result.run), result.without_originals
    lacks_bdq = result.kind is QuizKind.BCQ and result.ablation is None
    answers = rows.answers.get(result.run)
    right = None if answers is None else tables.right(tables.begun(answers))
    nones = [result.outcomes.get(outcome, 0) for outcome in (Outcome.NONE, Outcome.ANSWERED)]
    served_runs = {HERE: result.run, "without the original": bare.run if bare else ""}
    checks = (
        _complete(result, looked, bare),
        check_people(rows.people.get(result.sample)),
        _slot(result, bare),
        of_set,
    )
    return replace(
        describe(result),
        measures=() if lacks_bdq else (_measure(result, rows, right, probable),),
        writer=rows.writers.get(result.quiz, ""),
        ablation=result.ablation,
        chance=result.chance,
        incomparable=Check(Topic.CONTROLS, Mark.BAD, wording.no_bdq) if lacks_bdq else None,
        text_only=text,
        declined=(nones[0], sum(nones)) if result.kind is QuizKind.BCQ else None,
        looks=looked.evidence if looked else None,
        served=context.served_by(served_runs),
        published=context.published.get(result.partition),
        question=counting_sets.question(result, rows.of_sets)
        if result.sample in rows.of_sets
        else None,
        checks=tuple(check for check in checks if check is not None),
        each=None if right is None or right.empty else _each(right),
    )


def describe(result: Result) -> Evidence:
    """The evidence of a result without comparisons, also of a quiz without originals, which is
    compared with nothing."""
    kappa = result.kappa
    return Evidence(
        method=result.how.method,
        reader=METHOD,
        run=result.run,
        model=result.model,
        asked_as=result.asked_as,
        partition=result.partition,
        place=result.place,
        role=result.role,
        estimate=MethodEstimate.of_kappa(kappa),
        usable=result.n,
        planned=result.asked,
        unusable=result.unusable,
        finished=result.finished,
        sample=result.sample,
        at=result.at,
        task=result.task,
        language=result.language,
        setting=_setting(result.kind, result.mode, result.prompt, result.slot),
        family_key=(result.how.method, *place_in_study(result)),
        words=wording.WORDS,
        outcomes=dict(result.outcomes),
        figures={
            "name": quiz_name(result),
            "kind": result.kind.value,
            "mode": result.mode.value,
            "slot": slot_letter(result.slot),
            "correct": result.correct,
            "progress": result.progress or None,
        },
        row=result,
    )


def asked_alike(model: str, kind: QuizKind, mode: Mode, prompt: str, slot: int | None) -> Hashable:
    """The value of ``Evidence.asked_alike`` for a quiz that has still to be asked."""
    how = modes.of(mode)
    return how.method, how.model(model), _setting(kind, mode, prompt, slot)


def _setting(
    kind: QuizKind, mode: Mode, prompt: str, slot: int | None
) -> tuple[tuple[str, str], ...]:
    letter = "" if slot is None else LETTERS[slot]
    return (("kind", kind.value), ("mode", mode.value), ("prompt", prompt), ("slot", letter))


def belongs(result: Result, within: Study) -> bool:
    """Whether a result is part of a study."""
    return within.uses(METHOD, result.how.method) and within.has(
        result.names, result.partition, is_control=result.role == PartitionRole.CONTROL
    )


def place_in_study(result: Result) -> tuple[object, ...]:
    """A value that is equal for results of which only one counts in a study."""
    return *result.names, result.partition, result.kind, result.slot, result.prompt


def _each(right: pd.DataFrame) -> ByInstance:
    """The originals that were picked."""
    return ByInstance(right.index.to_list(), right.to_numpy(np.float64), "picked")


def _measure(
    result: Result, rows: Rows, right: pd.DataFrame | None, probable: pd.DataFrame | None
) -> Measure:
    """1 right, 0 wrong, NaN no answer: (instances, slots); of a bcq the gains over its bdq."""
    if result.kind is QuizKind.BCQ and result.ablation is not None and result.slot is not None:
        letter = LETTERS[result.slot]
        after = tables.chose(rows.answers[result.run], letter)
        before = tables.chose(rows.answers[result.without or ""], letter).reindex(after.index)
        return Measure(
            FOUND,
            _column(after - before),
            refused_as_wrong=_column(after.fillna(0.0) - before),
            own_share=result.ablation.modified_share,
        )
    if result.kind is QuizKind.ROTATED and right is not None:
        return Measure(
            FOUND,
            right.to_numpy(np.float64),
            finer=_finer(right, probable),
        )
    correct = result.correct or 0
    counts = [correct, result.n - correct, max(0, result.asked - result.n)]
    return Measure(FOUND, np.repeat([1.0, 0.0, np.nan], counts)[:, None])


def _column(values: pd.Series) -> _Table:
    return values.to_numpy(np.float64)[:, None]


def _finer(right: pd.DataFrame, original_probabilities: pd.DataFrame | None) -> _Table | None:
    """The original's probability among the four letters in the place of right and wrong; None
    unless each answer has log-probabilities, which a run is asked for before it begins."""
    if original_probabilities is None:
        return None
    table = original_probabilities.reindex(index=right.index, columns=right.columns).where(
        right.notna()
    )
    if bool((right.notna() & table.isna()).any(axis=None)):
        return None
    return table.to_numpy(np.float64)


@lru_cache(maxsize=256)  # some 300 kB for 10,000 instances
def _probabilities(store: Store, run_id: str, outcomes: tuple[int, ...]) -> pd.DataFrame | None:
    """The original's probability by instance and slot, None where no call has log-probabilities;
    ``outcomes`` tell the cache that there are other answers: an error may be asked again."""
    calls = choices.calls(store, [run_id])
    calls = calls[calls["logprobs"].notna()]
    if calls.empty:
        return None
    logprobs = np.array(
        [letter_logprobs(call_logprobs, LETTERS[:SLOTS]) for call_logprobs in calls["logprobs"]]
    )
    slots = calls["slot"].to_numpy(np.int64)
    frame = calls.assign(value=original_probability(logprobs, slots))
    return frame.pivot(index="instance", columns="slot", values="value")


def _with_those_without(quiz_results: Sequence[Result]) -> list[Result]:
    """Results with the same model's quiz of the same sample without originals, for those with one
    slot: one's own for one's own, others' for others'. Of several it is the newest that was asked
    before, which the slot was chosen by."""
    by_run = {r.run: r for r in quiz_results}
    modified: dict[tuple[str, str, str, bool], list[Result]] = {}
    for r in quiz_results:
        if r.kind is QuizKind.MODIFIED and r.n:
            modified.setdefault((r.model, r.sample, r.prompt, r.imported), []).append(r)

    def find(r: Result) -> Result | None:
        if r.slot is None or not r.how.lettered:
            return None
        if r.kind is QuizKind.BCQ:
            return by_run.get(r.without or "")
        return max(
            modified.get((r.model, r.sample, r.prompt, r.imported), ()),
            key=lambda bare: (bare.finished, bare.at <= r.at, bare.at),
            default=None,
        )

    return [r if r.slot is None else replace(r, without_originals=find(r)) for r in quiz_results]


def _complete(result: Result, looked: StoredLooks | None, bare: Result | None) -> Check | None:
    """Did the run end as planned? Stopping one because of its first answers would bias it."""
    if looked is not None:
        return looked.check()
    for run, which in (
        (result, "The run"),
        (bare if result.kind is QuizKind.BCQ else None, "The bdq"),
    ):
        if run is not None and not run.finished:
            figures = {"which": which, "progress": run.progress}
            return Check(Topic.COMPLETE, Mark.BAD, wording.unfinished, figures)
    return None


def _slot(result: Result, bare: Result | None) -> Check:
    """Does a preference for the slot explain the score? Controls at the same slot correct for it,
    so this is never bad."""
    slot_check = result.how.slot_check()
    if slot_check is not None:
        return slot_check
    if result.slot is None:
        return Check(Topic.SLOT, Mark.GOOD, wording.every_slot)
    letter = LETTERS[result.slot]
    if bare is None:
        without = QuizKind.BDQ if result.kind is QuizKind.BCQ else QuizKind.MODIFIED
        figures = {"letter": letter, "without": str(without)}
        return Check(Topic.SLOT, Mark.CAUTION, wording.slot_unknown, figures)
    share = bare.chosen[result.slot] / bare.n
    if bare.unusable > MOST_UNUSABLE:
        few = {"letter": letter, "share": share, "unusable": bare.unusable}
        return Check(Topic.SLOT, Mark.CAUTION, wording.slot_from_few, few)
    preferred = share > 1 / OPTIONS
    return Check(
        Topic.SLOT,
        Mark.CAUTION if preferred else Mark.GOOD,
        wording.slot_preferred if preferred else wording.slot_not_preferred,
        {"letter": letter, "share": share},
    )


def check_people(pooled: Pooled | None) -> Check | None:
    """Do people, who were not trained on the text, find originals too? None if none was asked."""
    kappa = pooled.kappa if pooled else None
    if pooled is None or kappa is None or kappa.score is None:
        return None
    if kappa.kappa_low is None or kappa.kappa_high is None:
        return None
    return Check(
        Topic.PEOPLE,
        Mark.CAUTION if pooled.above_chance else Mark.GOOD,
        wording.people,
        {
            "people": pooled.people,
            "right": kappa.correct,
            "n": kappa.n,
            "score": kappa.score,
            "low": unscale(kappa.kappa_low, CHANCE),
            "high": unscale(kappa.kappa_high, CHANCE),
            "find_it": pooled.above_chance,
        },
    )
