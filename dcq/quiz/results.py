"""The results of runs, with the statistics: one ``Result`` per run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pandas as pd

from dcq import words
from dcq.evidence import rotated
from dcq.evidence.ablation import Ablation, above_own_baseline, compare
from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.quiz import pairing, tables
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.records import LETTERS, Kind, Mode, Outcome
from dcq.store import Store, results
from dcq.variants.placebo import is_placebo

OPTIONS = 4
UNUSABLE = (Outcome.REFUSED, Outcome.INVALID, Outcome.ERROR)


@dataclass(frozen=True)
class Result:
    """One model on one partition with one kind of quiz.

    ``n`` counts answers: letters and, in protocol v2, "none of these" (instances with an answer in
    every slot, for a rotated quiz); ``correct`` counts calls that chose the original. The
    statistics are None if the quiz has no originals or n is 0. κ is 0 at a score of 1/4; for a bcq,
    where guessing has no fixed share, it is 0 at how often the same model chose the slot in the bdq
    (``own``, over the instances that both asked), and None without a bdq. In likelihood mode
    guessing is not a baseline either: ``p_value`` is None. ``questions`` is the number in the whole
    quiz; the result of a run that is not ``finished`` is partial (see
    ``dcq.store.results.counts``). ``carried_out``: all that was planned was asked, even if that was
    only part of the quiz.
    """

    run: str
    quiz: str
    sample: str
    model: str
    partition: str
    title: str
    split_title: str
    role: str
    kind: Kind
    slot: int | None
    n: int
    correct: int | None
    score: float | None
    kappa_fixed: float | None
    kappa_low: float | None
    kappa_high: float | None
    p_value: float | None
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
    own: Ablation | None = None
    without: str | None = None  # the bdq run that ``own`` compares with

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
        if self.own is not None:
            answers = self.own.n
        share = 1 - answers / self.asked
        if self.kind is Kind.ROTATED:
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

    @property
    def kappa(self) -> Kappa:
        """The estimate as one object."""
        return Kappa(
            self.n,
            self.correct or 0,
            self.score,
            self.kappa_fixed,
            self.kappa_low,
            self.kappa_high,
            self.p_value,
        )

    def by_the_papers_count(self) -> Kappa | None:
        """κ by the paper's convention: every question asked counts, and one without an answer
        counts as wrong. None for quizzes that are not in the paper."""
        if self.kind is not Kind.STANDARD or self.mode is Mode.LIKELIHOOD:
            return None
        return kappa_fixed(self.correct or 0, self.asked, 1 / OPTIONS)


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
    rotated_runs = [str(run) for run in counts.loc[counts["kind"] == Kind.ROTATED, "run"]]
    baselines = _own_baselines(store, counts)
    answers = tables.of_runs(store, [*rotated_runs, *baselines, *set(baselines.values())])
    return [_result(row, answers, baselines) for row in counts.to_dict("records")]


def _own_baselines(store: Store, counts: pd.DataFrame) -> dict[str, str]:
    """The bdq run that each bcq run is compared with: the most complete of those that it belongs to
    (``dcq.quiz.pairing``)."""
    placed = counts[counts["kind"] == Kind.BCQ]
    if placed.empty:
        return {}
    every = results.counts(store, every_run=True)
    without = every[(every["kind"] == Kind.BDQ) & (every["n"] > 0)]
    known = pairing.pair_bcqs(store, placed, without).drop_duplicates("run")
    return dict(zip(known["run"].astype(str), known["run_without"].astype(str), strict=True))


def _result(
    row: Mapping[Any, Any], answers: Mapping[str, pd.DataFrame], baselines: Mapping[str, str]
) -> Result:
    kind, run = Kind(row["kind"]), str(row["run"])
    slot = None if pd.isna(row["slot"]) else int(row["slot"])
    n, correct = int(row["n"]), int(row["correct"])
    own = None
    found = Kappa(n, correct, correct / n if n else None, None, None, None, None)
    if kind is Kind.ROTATED:
        found = rotated.rotated_kappa(tables.right(answers[run]).to_numpy(float))
    elif kind in WITHOUT_ORIGINAL:
        found = Kappa(n, 0, None, None, None, None, None)
    elif kind is Kind.STANDARD:
        found = kappa_fixed(correct, n, 1 / OPTIONS)
    elif run in baselines and slot is not None:
        own = _compare(answers[baselines[run]], answers[run], LETTERS[slot])
        found = above_own_baseline(own)
    mode = Mode(row["mode"])
    return Result(
        run=run,
        quiz=str(row["quiz"]),
        sample=str(row["sample"]),
        model=str(row["model"]),
        partition=str(row["partition"]),
        title=_title(row),
        split_title=str(row["split_title"]),
        role=str(row["role"]),
        kind=kind,
        slot=slot,
        n=found.n,
        correct=None if kind in WITHOUT_ORIGINAL else found.correct,
        score=found.score,
        kappa_fixed=found.kappa_fixed,
        kappa_low=found.kappa_low,
        kappa_high=found.kappa_high,
        p_value=None if mode is Mode.LIKELIHOOD else found.p_value,
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
        own=own,
        without=baselines.get(run),
    )


def _compare(without: pd.DataFrame, with_it: pd.DataFrame, letter: str) -> Ablation:
    after = tables.chose(with_it, letter)
    before = tables.chose(without, letter).reindex(after.index)
    return compare(before.to_numpy(float), after.to_numpy(float))


def _title(row: Mapping[Any, Any]) -> str:
    """The title of the dataset on the screen; a placebo, whose prompt names the dataset it was made
    from, is marked as one."""
    return f"{row['title']} (placebo)" if is_placebo(str(row["partition"])) else str(row["title"])
