"""The case of each result: the controls that it is compared with, and the checks on it.

Data comes from the whole store, so that no filter changes a verdict; which controls may be used is
the study's choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dcq.evidence.case import MOST_UNUSABLE, Case, Check, Mark, Topic
from dcq.evidence.controls import Calibration, calibrate
from dcq.evidence.power import ALPHA
from dcq.quiz import looks, tables
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.controls import controls_of, is_control, is_usable
from dcq.quiz.leakage import TextOnly, text_only
from dcq.quiz.looks import StoredLooks
from dcq.quiz.results import OPTIONS, Result
from dcq.records import Kind, Mode
from dcq.report import score_tables, served, standing_sets
from dcq.report.checks import (
    bare_of,
    complete,
    named,
    none_of_these,
    slot,
    writer,
    writer_words,
)
from dcq.report.dates import Published, dates
from dcq.report.people import checks_by_sample
from dcq.report.score_tables import Answers
from dcq.report.served import Said
from dcq.store import Store, partitions, quizzes, samples, variants
from dcq.store.sets import Member
from dcq.words import p_number, percent

Baselines = Callable[[Store, str], tuple[TextOnly, ...]]  # of a quiz, by its id


@lru_cache(maxsize=2048)  # enough for all quizzes of a store
def baselines_of(store: Store, quiz_id: str) -> tuple[TextOnly, ...]:
    """The text-only baselines of a quiz; cached, since a quiz never changes."""
    quiz = quizzes.load(store, quiz_id)
    language = samples.load(store, quiz.sample_id).partition.language
    return text_only(quiz.items, language)


@dataclass(frozen=True)
class Controls:
    """The results that one is compared with: ``used``; ``mismatch`` says why they are not a fair
    comparison, or why there is none, and ``notes`` are checks on those that are left out."""

    used: tuple[Result, ...]
    mismatch: str = ""
    notes: tuple[Check, ...] = ()


@dataclass(frozen=True)
class Cases:
    """What cases are made of, by run; ``pool`` are the controls that may be used."""

    store: Store
    every: Mapping[str, Result]
    pool: Sequence[Result]
    answers: Answers
    writers: Mapping[str, str]
    looked: Mapping[str, StoredLooks]
    published: Published
    of_sets: Mapping[str, Member]
    people: Mapping[str, Check]  # by sample
    said: Mapping[str, Sequence[Said]]  # of the model, by its endpoint
    baselines: Baselines = baselines_of

    def choose(self, result: Result) -> Controls:
        """The controls of a result: asked the same way, of the same task and language, with usable
        replies and, if there are any, with variants by the same writer."""
        if result.kind is Kind.BCQ and result.own is None:
            return Controls(
                (),
                "The bdq, which has no original, was not asked, so there is nothing to compare "
                "this quiz with.",
            )
        looked = self.looked.get(result.run)
        if looked is not None and looked.fallen:
            return self._planned(result, looked)
        fitting, mismatch = controls_of(result, self._pool(result))
        usable = [c for c in fitting if is_usable(c)]
        same = [c for c in usable if self._writer(c) == self._writer(result)]
        used = same or usable or list(fitting)
        if not any(c.n for c in used):
            silent = f"{named(used)} gave no usable answer." if used else mismatch
            return Controls(tuple(used), silent)
        return Controls(tuple(used), mismatch, self._left_out(fitting, used))

    def _planned(self, result: Result, looked: StoredLooks) -> Controls:
        """For a run that ended at a look: the controls that its looks were planned with."""
        used = tuple(self.every[run] for run in looked.controls if run in self.every)
        now, _ = controls_of(result, self._pool(result))
        changed = [c for c in used if not is_control(c) or c not in controls_of(result, used)[0]]
        if changed or len(used) < len(looked.controls):
            return Controls(
                used,
                f"The looks were planned with controls that have changed since: {named(changed)}.",
            )
        today = self._calibrate(result, [c for c in now if is_usable(c)])
        p = looked.overall_p
        if today is None or p is None or not p <= ALPHA < today.p_value:
            return Controls(used)
        note = Check(
            Topic.CONTROLS,
            Mark.CAUTION,
            f"{today.controls} now",
            f"Against the {today.controls} controls available today, p would be "
            f"{p_number(today.p_value)}.",
        )
        return Controls(used, notes=(note,))

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
                    f"Left out, because more than {percent(MOST_UNUSABLE)} of the instances "
                    f"lack a usable reply: {named(silent)}.",
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

    def _pool(self, result: Result) -> list[Result]:
        every = self.every.values()
        return standing_sets.by_writer(result, self.pool, every, self.of_sets, self.writers)

    def _writer(self, result: Result) -> str:
        return writer_words(self.writers.get(result.sample, ""))

    def _calibrate(self, result: Result, controls: Sequence[Result]) -> Calibration | None:
        if not result.n:
            return None
        return calibrate(
            score_tables.by_letters(result, self.answers),
            [score_tables.by_letters(control, self.answers) for control in controls],
            own_share=result.own.modified_share if result.own else None,
            refused_as_wrong=score_tables.refused_as_wrong(result, self.answers),
        )

    def _by_probability(self, result: Result, controls: Sequence[Result]) -> Calibration | None:
        """The comparison by the originals' probabilities, where all have them."""
        if not result.n or not controls:
            return None
        found = score_tables.by_probability(self.store, result, controls, self.answers)
        return None if found is None else calibrate(*found)

    def _count_looks(self, found: Calibration, looked: StoredLooks, result: Result) -> Calibration:
        """p-values at the look at which a run ended, with all looks counted."""
        if looked.overall_p is None:
            return found
        p_value, odd = looked.overall_p, found.odd
        return replace(
            found,
            p_value=p_value,
            p_refused=looked.overall(found.p_refused) if result.unusable else p_value,
            p_easier=looked.overall(found.p_easier),
            odd=odd and replace(odd, p_without=looked.overall(odd.p_without)),
        )

    def case(self, result: Result, controls: Controls) -> Case:
        """Everything that the verdict on a result takes into account."""
        looked = self.looked.get(result.run)
        calibration, by_letters = self._calibrate(result, controls.used), None
        if calibration is not None and looked is not None:
            calibration = self._count_looks(calibration, looked, result)
        elif calibration is not None:
            probable = self._by_probability(result, controls.used)
            if probable is not None:
                calibration, by_letters = probable, calibration
        asked = sum(control.asked for control in controls.used)
        unusable = sum(control.unusable * control.asked for control in controls.used)
        guessing = result.kind is not Kind.BCQ and result.mode is not Mode.LIKELIHOOD
        bare = bare_of(result, list(self.every.values()))
        checks = (
            complete(result, looked, bare),
            served.check(_compared(result, bare, controls.used), self.said),
            self.people.get(result.sample),
            slot(result, bare),
            none_of_these(result, controls.used),
            writer(result, controls.used, self.writers),
            standing_sets.check(result, list(self.every.values()), self.of_sets),
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
            by_letters=by_letters,
            control_names=tuple(control.place for control in controls.used),
            mismatch=controls.mismatch,
            own=result.own,
            unusable=result.unusable,
            control_unusable=unusable / asked if asked else 0.0,
            text_only={b.name: b.kappa for b in self.baselines(self.store, result.quiz)},
            chance=1 / OPTIONS if guessing else None,
            checks=tuple(check for check in checks if check is not None),
        )


def read(
    store: Store,
    every: Sequence[Result],
    pool: Sequence[Result],
    of_sets: Mapping[str, Member],
    baselines: Baselines = baselines_of,
) -> Cases:
    """What the cases of ``every`` result of a store rest on; ``pool`` are the controls that may be
    used, and ``baselines`` gives the text-only baselines where they are not made of the texts."""
    with_original = [r for r in every if r.kind not in WITHOUT_ORIGINAL]
    return Cases(
        store=store,
        every={r.run: r for r in every},
        pool=pool,
        answers=_answers(store, with_original),
        writers=variants.writers(store, list({r.sample for r in with_original})),
        looked=looks.outcomes(store),
        published=partitions.published(store),
        of_sets=of_sets,
        people=checks_by_sample(store),
        said=served.said(store, list({r.run for r in every})),
        baselines=baselines,
    )


def _compared(result: Result, bare: Result | None, controls: Sequence[Result]) -> dict[str, str]:
    """The runs that a verdict rests on, by what a sentence calls them."""
    without = {} if bare is None else {bare.run: "without the original"}
    return {result.run: "here"} | without | {c.run: f"control {c.place}" for c in controls}


def _answers(store: Store, found: Sequence[Result]) -> Answers:
    """Single answers, for the kinds for which counts are not enough."""
    wanted = {r.run for r in found if r.kind in {Kind.ROTATED, Kind.BCQ}}
    wanted |= {r.without for r in found if r.without}
    return tables.of_runs(store, sorted(wanted))
