"""The results of runs, with the statistics: one ``Result`` per run; and which bdq a bcq belongs
to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from dcq import words
from dcq.evidence import rotated
from dcq.evidence.ablation import Ablation, above_own_baseline, compare
from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.evidence.record import Evidence
from dcq.quiz import modes, tables
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.modes import QuizMode
from dcq.records import LETTERS, Mode, Outcome, QuizKind, slot_letter
from dcq.store import Store, quizzes, results

OPTIONS = 4
UNUSABLE = (Outcome.REFUSED, Outcome.INVALID, Outcome.ERROR)


@dataclass(frozen=True)
class Result:
    """The result of one model on one partition with one kind of quiz.

    ``kappa.n`` counts answers: letters and, in protocol v2, "none of these" (instances with an
    answer in every slot, for a rotated quiz); ``kappa.correct`` counts calls that chose the
    original. The statistics are None where there is no original to find or n is 0. κ is measured
    from 1/4; that of a bcq, where guessing has no fixed share, from how often the same model chose
    the slot in the bdq (``ablation``, over the instances that both asked), and is None without a
    bdq. In likelihood mode guessing is no baseline either: its p-value is None. ``questions`` is
    how many the whole quiz has; a run that is not ``finished`` says little about them (see
    ``dcq.store.results.counts``). ``carried_out``: all that was planned was asked, be it a part of
    the quiz. ``asked_as`` is the name by which the model is asked, with ``likelihood:``; empty if
    it is ``model``.
    """

    run: str
    quiz: str
    sample: str
    model: str
    partition: str
    title: str
    split_title: str
    role: str
    kind: QuizKind
    slot: int | None
    kappa: Kappa
    outcomes: Mapping[str, int]
    chosen: tuple[int, int, int, int]
    at: datetime  # when the run was planned, UTC
    mode: Mode = Mode.LETTER
    questions: int = 0
    finished: bool = True
    carried_out: bool = True
    task: str = ""
    language: str = ""
    prompt: str = ""  # name and version of the question's wording
    ablation: Ablation | None = None
    placebo: bool = False
    asked_as: str = ""  # if it is not ``model``
    without: str | None = None  # the bdq run that ``ablation`` compares with
    imported: bool = False  # others', and taken in
    without_originals: Result | None = None  # of the same sample, as ``dcq.quiz.evidence`` reads it

    @property
    def asked_name(self) -> str:
        """The name by which the model is asked."""
        return self.asked_as or self.model

    @property
    def names(self) -> tuple[str, str]:
        """The names of the model: its own, and the one by which it is asked."""
        return self.model, self.asked_name

    @property
    def how(self) -> QuizMode:
        """The way in which its answers were got."""
        return modes.of(self.mode)

    @property
    def chance(self) -> float | None:
        """The share that guessing finds; None where it is no baseline."""
        return self.how.chance(self.kind)

    @property
    def n(self) -> int:
        """The number of answers or instances that count: see the class."""
        return self.kappa.n

    @property
    def correct(self) -> int | None:
        """Calls that chose the original; None where there was none to choose."""
        return None if self.kind in WITHOUT_ORIGINAL else self.kappa.correct

    @property
    def score(self) -> float | None:
        """The share of ``n`` that chose the original, a fraction."""
        return self.kappa.score

    @property
    def asked(self) -> int:
        """Questions that were asked, whatever the outcome."""
        return sum(self.outcomes.values())

    @property
    def unusable(self) -> float:
        """The share of what was asked that has no answer; 0 if nothing was asked.

        A bcq needs an answer in the bdq as well, an instance of a rotated quiz one in every slot.
        """
        if not self.asked:
            return 0.0
        answers = self.outcomes.get(Outcome.ANSWERED, 0) + self.outcomes.get(Outcome.NONE, 0)
        if self.ablation is not None:
            answers = self.ablation.n
        share = 1 - answers / self.asked
        if self.kind is QuizKind.ROTATED:
            share = max(share, 1 - self.n / -(-self.asked // OPTIONS))
        return share

    @property
    def place(self) -> str:
        """The name of the partition on the screen."""
        return words.place(self.title, self.split_title)

    @property
    def counted(self) -> str:
        """``92 answers to 100 questions; 5 refused, 3 invalid: 8 % unusable``. A rotated quiz has
        four questions per instance."""
        lost = {outcome: self.outcomes.get(outcome, 0) for outcome in UNUSABLE}
        answers = self.asked - sum(lost.values())
        nouns = "answer" if answers == 1 else "answers"
        counts = f"{answers:,} {nouns} to {self.asked:,} questions"
        if not any(lost.values()):
            return counts
        named = ", ".join(f"{count:,} {outcome}" for outcome, count in lost.items() if count)
        return f"{counts}; {named}: {words.percent(self.unusable)} unusable"

    @property
    def progress(self) -> str:
        """How far an unfinished run got, ``9 of 40``; empty for a finished one."""
        if self.finished:
            return ""
        replies = self.asked - self.outcomes.get(Outcome.ERROR, 0)
        return f"{replies:,} of {self.questions:,}"

    def by_the_papers_count(self) -> Kappa | None:
        """κ by the paper's convention: every question asked counts, and one without an answer
        counts as wrong. None for quizzes that are not in the paper."""
        if self.kind is not QuizKind.STANDARD or not self.how.lettered:
            return None
        return kappa_fixed(self.kappa.correct, self.asked, 1 / OPTIONS)


def table(
    store: Store,
    *,
    model: str | None = None,
    partition: str | None = None,
    every_run: bool = False,
) -> list[Result]:
    """Results by partition, model and kind: of the most complete run of each model, partition,
    kind, slot and prompt, the newest among equals; or of every run, in that order. See
    ``dcq.store.results.counts``."""
    counts = results.counts(store, model=model, partition=partition, every_run=every_run)
    counts = counts.sort_values(["partition", "model", "kind"], kind="stable")
    rotated_runs = [str(run) for run in counts.loc[counts["kind"] == QuizKind.ROTATED, "run"]]
    baselines = _own_baselines(store, counts)
    answers = tables.of_runs(store, [*rotated_runs, *baselines, *set(baselines.values())])
    return [_result(row, answers, baselines) for row in counts.to_dict("records")]


def _own_baselines(store: Store, counts: pd.DataFrame) -> dict[str, str]:
    """The bdq run that each bcq run is compared with: the most complete of those that it belongs to
    (``dcq.quiz.results``)."""
    placed = counts[counts["kind"] == QuizKind.BCQ]
    if placed.empty:
        return {}
    frame = results.counts(store, every_run=True)
    without = frame[(frame["kind"] == QuizKind.BDQ) & (frame["n"] > 0)]
    paired_runs = pair_bcqs(store, placed, without).drop_duplicates("run")
    return dict(
        zip(paired_runs["run"].astype(str), paired_runs["run_without"].astype(str), strict=True)
    )


def _result(
    row: Mapping[Any, Any], answers: Mapping[str, pd.DataFrame], baselines: Mapping[str, str]
) -> Result:
    kind, run = QuizKind(row["kind"]), str(row["run"])
    slot = None if pd.isna(row["slot"]) else int(row["slot"])
    n, correct = int(row["n"]), int(row["correct"])
    ablation = None
    kappa = Kappa(n, correct, correct / n if n else None, None, None, None, None)
    if kind is QuizKind.ROTATED:
        kappa = rotated.rotated_kappa(tables.right(answers[run]).to_numpy(float))
    elif kind in WITHOUT_ORIGINAL:
        kappa = Kappa(n, 0, None, None, None, None, None)
    elif kind is QuizKind.STANDARD:
        kappa = kappa_fixed(correct, n, 1 / OPTIONS)
    elif run in baselines and slot is not None:
        ablation = _compare(answers[baselines[run]], answers[run], LETTERS[slot])
        kappa = above_own_baseline(ablation)
    mode = Mode(row["mode"])
    return Result(
        run=run,
        quiz=str(row["quiz"]),
        sample=str(row["sample"]),
        model=modes.of(mode).model(str(row["model"])),
        asked_as=str(row["model"]),
        partition=str(row["partition"]),
        placebo=pd.notna(row["placebo_of"]),
        title=str(row["title"]),
        split_title=str(row["split_title"]),
        role=str(row["role"]),
        kind=kind,
        slot=slot,
        kappa=modes.of(mode).tested(kappa),
        outcomes={str(outcome): int(row[str(outcome)]) for outcome in Outcome},
        chosen=(int(row["A"]), int(row["B"]), int(row["C"]), int(row["D"])),
        at=row["made_at"].to_pydatetime(),
        mode=mode,
        questions=int(row["questions"]),
        finished=bool(row["finished"]),
        carried_out=bool(row["carried_out"]),
        task=str(row["task"]),
        language=str(row["language"]),
        prompt=str(row["prompt"]),
        ablation=ablation,
        without=baselines.get(run),
        imported=bool(row["imported"]),
    )


def _compare(without: pd.DataFrame, with_it: pd.DataFrame, letter: str) -> Ablation:
    after = tables.chose(with_it, letter)
    before = tables.chose(without, letter).reindex(after.index)
    return compare(before.to_numpy(float), after.to_numpy(float))


def quiz_row(evidence: Evidence) -> Result:
    """The quiz that ``evidence`` is of. Raises TypeError if it is of another method."""
    if not isinstance(evidence.row, Result):
        raise TypeError(f"{evidence.method} is no quiz.")
    return evidence.row


def quiz_name(result: Result) -> str:
    """The quiz in words: ``standard, original at D``."""
    letter = slot_letter(result.slot)
    return f"{result.kind}, original at {letter}" if letter else str(result.kind)


ALIKE = ["model", "sample", "prompt", "mode", "imported"]


def pair_bcqs(store: Store, bcqs: pd.DataFrame, bdqs: pd.DataFrame) -> pd.DataFrame:
    """Each run of ``bcqs`` joined with each run of ``bdqs`` that it belongs to, in the order of the
    former, then of the latter: the columns of both, those of the bdq with the suffix ``_without``.
    Both are rows of ``dcq.store.results.counts``.

    A bcq belongs to a bdq of the same model, sample, mode and wording, both one's own or both
    others', if their quizzes differ only
    in the original (``dcq.store.quizzes.same_variants``): variants may be edited between the two,
    and choices in other questions are not a baseline. Of finished bdqs those come first that were
    asked before the bcq, because its slot was chosen by them.
    """
    ordered = bdqs.assign(place=range(len(bdqs)))
    paired_runs = bcqs.assign(place=range(len(bcqs))).merge(
        ordered, on=ALIKE, suffixes=("", "_without")
    )
    paired_runs["since"] = paired_runs["made_at_without"] > paired_runs["made_at"]
    paired_runs["open"] = ~paired_runs["finished_without"].astype(bool)
    paired_runs = paired_runs.sort_values(["place", "open", "since", "place_without"])
    pairs = list(
        zip(paired_runs["quiz_without"].astype(str), paired_runs["quiz"].astype(str), strict=True)
    )
    same = _same_variants(store, frozenset(pairs))
    return paired_runs[np.array([pair in same for pair in pairs], dtype=bool)]


@lru_cache(maxsize=32)  # a quiz never changes, and a page calls this at every click
def _same_variants(store: Store, pairs: frozenset[tuple[str, str]]) -> set[tuple[str, str]]:
    return quizzes.same_variants(store, pairs)
