"""Verdicts on all results in the store, as one study.

Pages, commands and files select from it afterwards, so no filter changes a verdict: the controls
and the family of a result come from the whole store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dcq.evidence import verdict
from dcq.evidence.case import MOST_UNUSABLE, Case, Check, Mark, Topic
from dcq.evidence.controls import Calibration, calibrate
from dcq.evidence.power import ALPHA
from dcq.evidence.verdict import Ruling, Verdict
from dcq.quiz import looks, results, tables
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.controls import controls_of, is_control, is_usable
from dcq.quiz.leakage import TextOnly, text_only
from dcq.quiz.looks import StoredLooks
from dcq.quiz.results import OPTIONS, Result
from dcq.records import LETTERS, Kind, Mode, Role
from dcq.report.checks import bare_of, complete, named, slot, writer, writer_words
from dcq.report.dates import Published, dates
from dcq.report.people import checks_by_sample
from dcq.store import Store, partitions, quizzes, samples, variants
from dcq.words import p_number, percent

Answers = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Finding:
    """A result with its verdict and what the verdict is based on.

    ``controls`` are the results that it is compared with, ``calibration`` is the comparison;
    ``verdict`` is None for a control partition and for a quiz without originals. ``bare`` is the
    same model's quiz of the same sample without originals, for a result with one slot.
    """

    result: Result
    baselines: tuple[TextOnly, ...] = ()
    controls: tuple[Result, ...] = ()
    calibration: Calibration | None = None
    bare: Result | None = None
    verdict: Verdict | None = None

    @property
    def used_controls(self) -> tuple[Result, ...]:
        """``controls`` without those that were set aside because they look seen."""
        aside = self.calibration.aside if self.calibration else ()
        return tuple(c for place, c in enumerate(self.controls) if place not in aside)


def findings(store: Store, *, every_run: bool = False) -> list[Finding]:
    """All results of the store with their verdicts, as ``dcq.quiz.results.table`` orders them.

    The family for the correction is the results on targets, one per model, partition, kind, slot
    and prompt. Any other result (an older run of the same, a partition that was surely seen) gets
    its verdict as if it replaced the one with the same key in the family.
    """
    every = results.table(store, every_run=True)
    standing = list({_place_in_study(r): r for r in reversed(every)}.values())[::-1]
    shown = every if every_run else standing
    with_original = [r for r in every if r.kind not in WITHOUT_ORIGINAL]
    judged = [r for r in with_original if r.role != Role.CONTROL]
    study = _Study(
        store=store,
        every={r.run: r for r in every},
        pool=[r for r in standing if is_control(r)],
        answers=_answers(store, with_original),
        writers=variants.writers(store, list({r.sample for r in with_original})),
        looked=looks.outcomes(store),
        published=partitions.published(store),
        people=checks_by_sample(store),
    )
    chosen = {r.run: study.choose(r) for r in judged}
    cases = {r.run: study.case(r, chosen[r.run]) for r in judged}
    family = {r.run for r in standing if r.role == Role.TARGET} & set(cases)
    verdicts = _verdicts(cases, family, {r.run: _place_in_study(r) for r in judged})
    return [
        Finding(
            result=r,
            baselines=() if r.kind in WITHOUT_ORIGINAL else baselines_of(store, r.quiz),
            controls=chosen[r.run].used if r.run in cases else (),
            calibration=cases[r.run].calibration if r.run in cases else None,
            bare=bare_of(r, every),
            verdict=verdicts.get(r.run),
        )
        for r in shown
    ]


def strongest(found: Sequence[Finding]) -> Finding | None:
    """The finding to show first: a finished run before an unfinished one, a target before a
    partition whose status is known, contaminated ones before the rest and by the lowest q-value,
    then the highest lower limit of κ (above controls if there are any). None if ``found`` is
    empty."""

    def rank(finding: Finding) -> tuple[bool, bool, bool, bool, float, float]:
        result, verdict, known = finding.result, finding.verdict, finding.calibration
        called = verdict is not None and verdict.ruling is Ruling.CONTAMINATED
        q = verdict.q_value if called and verdict else None
        low = known.kappa_low if known else result.kappa.kappa_low
        return (
            result.score is not None,
            result.finished,
            result.role == Role.TARGET,
            called,
            1.0 if q is None else -q,
            -2.0 if low is None else low,
        )

    return max(found, key=rank, default=None)


@lru_cache(maxsize=2048)  # enough for all quizzes of a store
def baselines_of(store: Store, quiz_id: str) -> tuple[TextOnly, ...]:
    """The text-only baselines of a quiz; cached, since a quiz never changes."""
    quiz = quizzes.load(store, quiz_id)
    language = samples.load(store, quiz.sample_id).partition.language
    return text_only(quiz.items, language)


def _place_in_study(result: Result) -> tuple[object, ...]:
    """Only one of the results with the same key is in the family."""
    return result.model, result.partition, result.kind, result.slot, result.prompt


def _verdicts(
    cases: Mapping[str, Case], family: Set[str], places: Mapping[str, tuple[object, ...]]
) -> dict[str, Verdict]:
    found = verdict.judge_study(
        list(cases.values()), [run in family for run in cases], [places[run] for run in cases]
    )
    return dict(zip(cases, found, strict=True))


def _answers(store: Store, found: Sequence[Result]) -> Answers:
    """Single answers, for the kinds for which counts are not enough."""
    wanted = {r.run for r in found if r.kind in {Kind.ROTATED, Kind.BCQ}}
    wanted |= {r.without for r in found if r.without}
    return tables.of_runs(store, sorted(wanted))


def _table(result: Result, answers: Answers) -> NDArray[np.float64]:
    """The scores that ``calibrate`` takes."""
    if result.kind is Kind.ROTATED:
        return tables.right(answers[result.run]).to_numpy(np.float64)
    if result.kind is Kind.BCQ and result.without and result.slot is not None:
        letter = LETTERS[result.slot]
        gains = tables.gains(answers[result.without], answers[result.run], letter)
        return gains.to_numpy(np.float64)[:, None]
    right = result.correct or 0
    return np.repeat([1.0, 0.0], [right, result.n - right])[:, None]


@dataclass(frozen=True)
class _Controls:
    """The results that one is compared with: ``used``; ``mismatch`` says why they are not a fair
    comparison, or why there is none, and ``notes`` are checks on those that are left out."""

    used: tuple[Result, ...]
    mismatch: str = ""
    notes: tuple[Check, ...] = ()


@dataclass(frozen=True)
class _Study:
    """The data of the whole store, by run."""

    store: Store
    every: Mapping[str, Result]
    pool: Sequence[Result]
    answers: Answers
    writers: Mapping[str, str]
    looked: Mapping[str, StoredLooks]
    published: Published
    people: Mapping[str, Check]  # by sample

    def choose(self, result: Result) -> _Controls:
        """The controls of a result: asked the same way, of the same task and language, with usable
        replies and, if there are any, with variants by the same writer."""
        if result.kind is Kind.BCQ and result.own is None:
            return _Controls(
                (),
                "The bdq, which has no original, was not asked, so there is nothing to compare "
                "this quiz with.",
            )
        looked = self.looked.get(result.run)
        if looked is not None and looked.fallen:
            return self._planned(result, looked)
        fitting, mismatch = controls_of(result, self.pool)
        usable = [c for c in fitting if is_usable(c)]
        same = [c for c in usable if self._writer(c) == self._writer(result)]
        used = same or usable or list(fitting)
        if not any(c.n for c in used):
            silent = f"{named(used)} gave no usable answer." if used else mismatch
            return _Controls(tuple(used), silent)
        return _Controls(tuple(used), mismatch, self._left_out(fitting, used))

    def _planned(self, result: Result, looked: StoredLooks) -> _Controls:
        """For a run that ended at a look: the controls that its looks were planned with."""
        used = tuple(self.every[run] for run in looked.controls if run in self.every)
        now, _ = controls_of(result, self.pool)
        changed = [c for c in used if not is_control(c) or c not in controls_of(result, used)[0]]
        if changed or len(used) < len(looked.controls):
            return _Controls(
                used,
                f"The looks were planned with controls that have changed since: {named(changed)}.",
            )
        today = self._calibrate(result, [c for c in now if is_usable(c)])
        p = looked.overall_p
        if today is None or p is None or not p <= ALPHA < today.p_value:
            return _Controls(used)
        note = Check(
            Topic.CONTROLS,
            Mark.CAUTION,
            f"{today.controls} now",
            f"Against the {today.controls} controls available today, p would be "
            f"{p_number(today.p_value)}.",
        )
        return _Controls(used, notes=(note,))

    def _left_out(self, fitting: Sequence[Result], used: Sequence[Result]) -> tuple[Check, ...]:
        silent = [c for c in fitting if c not in used and not is_usable(c)]
        foreign = [c for c in fitting if c not in used and is_usable(c)]
        found = []
        if silent:
            found.append(
                Check(
                    Topic.CONTROLS,
                    Mark.CAUTION,
                    f"{len(silent)} left out",
                    f"Left out, because more than {percent(MOST_UNUSABLE)} of the replies "
                    f"are unusable: {named(silent)}.",
                )
            )
        if foreign:
            found.append(
                Check(
                    Topic.WRITER,
                    Mark.GOOD,
                    f"{len(foreign)} left out",
                    f"Left out, because another writer wrote the variants: {named(foreign)}.",
                )
            )
        return tuple(found)

    def _writer(self, result: Result) -> str:
        return writer_words(self.writers.get(result.sample, ""))

    def _calibrate(self, result: Result, controls: Sequence[Result]) -> Calibration | None:
        if not result.n:
            return None
        return calibrate(
            _table(result, self.answers),
            [_table(control, self.answers) for control in controls],
            own_share=result.own.modified_share if result.own else None,
        )

    def case(self, result: Result, controls: _Controls) -> Case:
        """Everything that the verdict on a result takes into account."""
        looked = self.looked.get(result.run)
        calibration = self._calibrate(result, controls.used)
        if calibration is not None and looked is not None and looked.overall_p is not None:
            calibration = replace(calibration, p_value=looked.overall_p)
        asked = sum(control.asked for control in controls.used)
        unusable = sum(control.unusable * control.asked for control in controls.used)
        guessing = result.kind is not Kind.BCQ and result.mode is not Mode.LIKELIHOOD
        bare = bare_of(result, list(self.every.values()))
        checks = (
            complete(result, looked, bare),
            self.people.get(result.sample),
            slot(result, bare),
            writer(result, controls.used, self.writers),
            *controls.notes,
            *dates(
                result.model,
                result.partition,
                [(control.partition, control.place) for control in controls.used],
                self.published,
            ),
        )
        return Case(
            kappa=result.kappa,
            calibration=calibration,
            control_names=tuple(control.place for control in controls.used),
            mismatch=controls.mismatch,
            own=result.own,
            unusable=result.unusable,
            control_unusable=unusable / asked if asked else 0.0,
            text_only={b.name: b.kappa for b in baselines_of(self.store, result.quiz)},
            chance=1 / OPTIONS if guessing else None,
            checks=tuple(check for check in checks if check is not None),
        )
