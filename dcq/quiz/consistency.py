"""How far a result depends on the set of variants with which it was measured.

One study per model, kind, slot and wording: the most complete finished run of each set of the same
instances, if two sets or more have one. Sets asked at different slots are not compared, because a
preference for a slot would look like a difference between sets.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dcq.errors import InputError
from dcq.evidence.consistency import Consistency, compare_sets
from dcq.evidence.kappa import rescale
from dcq.quiz import results, tables
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.results import OPTIONS, Result
from dcq.records import QuizKind, slot_letter
from dcq.store import Store, samples, sets
from dcq.store.sets import SetMember
from dcq.variants.sets import writer_line
from dcq.words import interval_words, kappa_words, model_title, p_words, percent, two_decimals

_SCALE = 1 / (1 - 1 / OPTIONS)  # of κ, for a score


@dataclass(frozen=True)
class SetResult:
    """The result of a model on one set of variants; ``writer`` wrote the set."""

    member: SetMember
    writer: str
    result: Result


@dataclass(frozen=True)
class SetStudy:
    """The results of one model on the sets of the same instances, the first set first, and their
    comparison."""

    of_sets: tuple[SetResult, ...]
    consistency: Consistency

    @property
    def model(self) -> str:
        """The model that was asked."""
        return self.of_sets[0].result.model

    @property
    def quiz(self) -> str:
        """``standard at D``, ``rotated``: the quiz that was asked."""
        result = self.of_sets[0].result
        letter = slot_letter(result.slot)
        return f"{result.kind} at {letter}" if letter else str(result.kind)

    @property
    def tau(self) -> float | None:
        """The spread between sets beyond noise, as a standard deviation of κ."""
        if self.consistency.heterogeneity is None:
            return None
        return self.consistency.heterogeneity.tau * _SCALE

    @property
    def within(self) -> float | None:
        """The standard error of κ from the choice of instances."""
        return None if self.consistency.within is None else self.consistency.within * _SCALE

    def sentence(self) -> str:
        """The result of the study as a sentence; plain text."""
        kappas = [rescale(score, 1 / OPTIONS) for score in self.consistency.scores]
        where = f"{model_title(self.model)} on {self.of_sets[0].result.place}"
        if not kappas or self.consistency.heterogeneity is None or self.within is None:
            return (
                f"{where}: too few instances have an answer in all "
                f"{self.consistency.sets} sets to compare them."
            )
        span = f"from {two_decimals(min(kappas))} to {two_decimals(max(kappas))}"
        opening = (
            f"{where}: between {self.consistency.sets} sets of variants of the same "
            f"{self.consistency.n:,} instances κ goes {span}"
        )
        p, tau = self.consistency.heterogeneity.p_value, self.tau or 0.0
        if p is None:
            more = ", which no test can tell from noise"
        elif p <= 0.05:
            more = f", more than the answers' own noise explains ({p_words(p)})"
        else:
            more = f", no more than the answers' own noise explains ({p_words(p)})"
        return (
            f"{opening}{more}; beyond noise it moves by τ = {two_decimals(tau)}, against a "
            f"standard error of {two_decimals(self.within)} from the choice of instances. "
            f"{self._agreement()}"
        )

    def _agreement(self) -> str:
        set_agreement = self.consistency.agreement
        if set_agreement is None or set_agreement.alpha is None:
            return "All answers are alike, so agreement between sets cannot be told."
        limits = (
            ""
            if set_agreement.low is None or set_agreement.high is None
            else f" {interval_words(set_agreement.low, set_agreement.high)}"
        )
        return (
            f"The same outcome in all sets: {percent(set_agreement.same)} of the instances "
            f"(Krippendorff's α {two_decimals(set_agreement.alpha)}{limits})."
        )

    def document(self) -> dict[str, Any]:
        """For ``consistency --json``; scores are fractions, ``tau`` and ``within`` are of κ."""
        between, agreed = self.consistency.heterogeneity, self.consistency.agreement
        first = self.of_sets[0].result
        return {
            "model": self.model,
            "partition": first.partition,
            "kind": first.kind.value,
            "slot": slot_letter(first.slot),
            "sets": [
                {
                    "sample": result.member.sample,
                    "name": result.member.name,
                    "writer": result.writer,
                    "run": result.result.run,
                    "n": result.result.n,
                    "kappa_fixed": result.result.kappa.kappa_fixed,
                    "kappa_low": result.result.kappa.kappa_low,
                    "kappa_high": result.result.kappa.kappa_high,
                }
                for result in self.of_sets
            ],
            "n": self.consistency.n,
            "scores": list(self.consistency.scores),
            "within": self.within,
            "tau": self.tau,
            "i_squared": between and between.i_squared,
            "q": between and between.q,
            "p_value": between and between.p_value,
            "widening": self.consistency.widening,
            "alpha": agreed and agreed.alpha,
            "alpha_low": agreed and agreed.low,
            "alpha_high": agreed and agreed.high,
            "same": agreed and agreed.same,
            "sentence": self.sentence(),
        }


def studies(
    store: Store,
    sample_id: str,
    *,
    model: str | None = None,
    names: Collection[str] | None = None,
) -> list[SetStudy]:
    """The studies that are possible with the runs on the sets of a sample, by model and quiz; of
    all its sets or of those with these names. Raises InputError where there is no such sample, or
    it has one set only."""
    sample = samples.load(store, sample_id)
    family = sets.siblings(sets.members(store), sample.id)
    if not family:
        raise InputError(
            f"Sample {sample.id} has one set of variants; write another with: "
            f"python -m dcq perturb {sample.id} --new-set NAME"
        )
    family = [entry for entry in family if names is None or entry.name in names]
    partition_results = results.table(
        store, model=model, partition=sample.partition.id, every_run=True
    )
    usable = [r for r in partition_results if _usable(r)]
    asked_results = {_question(r): r for r in reversed(usable)}
    questions: dict[Hashable, list[SetResult]] = {}
    for member in family:
        for question in {_question(r)[1:]: None for r in usable}:
            result = asked_results.get((member.sample, *question))
            if result is not None:
                writers = sets.written_by(store, member.sample, result.quiz)
                entry = SetResult(member, writer_line(writers), result)
                questions.setdefault(question, []).append(entry)
    compared = [set_results for set_results in questions.values() if len(set_results) > 1]
    answers = tables.of_runs(
        store, [entry.result.run for set_results in compared for entry in set_results]
    )
    return [
        SetStudy(tuple(set_results), compare_sets(_table(set_results, answers)))
        for set_results in compared
    ]


def tabulate(study: SetStudy) -> pd.DataFrame:
    """One row per set, as ``charts.kappa_intervals`` takes them, with ``writer`` and ``run``."""
    return pd.DataFrame(
        [
            {
                "name": result.member.name,
                "kappa": result.result.kappa.kappa_fixed,
                "low": result.result.kappa.kappa_low,
                "high": result.result.kappa.kappa_high,
                "n": result.result.n,
                "whole": False,
                "writer": result.writer,
                "run": result.result.run,
            }
            for result in study.of_sets
        ]
    )


def describe(study: SetStudy) -> str:
    """A study as lines for a terminal."""
    lines = [f"{study.model}, {study.quiz}"]
    for result in study.of_sets:
        known_kappa = result.result.kappa
        kappa = kappa_words(known_kappa.kappa_fixed, known_kappa.kappa_low, known_kappa.kappa_high)
        lines.append(f"  {result.member.name}: κ {kappa}, n {known_kappa.n:,} ({result.writer})")
    return "\n".join([*lines, study.sentence()])


def _usable(result: Result) -> bool:
    return (
        result.finished
        and result.n > 0
        and result.kind not in WITHOUT_ORIGINAL
        and result.kind is not QuizKind.BCQ  # its κ is against the bdq of its own set
    )


def _question(result: Result) -> tuple[Hashable, ...]:
    return result.sample, result.model, result.kind, result.slot, result.mode, result.prompt


def _table(results: Sequence[SetResult], answers: dict[str, pd.DataFrame]) -> np.ndarray:
    """Instances by sets: the share of an instance's calls that were right, NaN unless all were
    answered."""
    columns = [
        tables.right(answers[result.result.run]).mean(axis=1, skipna=False) for result in results
    ]
    return pd.concat(columns, axis=1).to_numpy(np.float64)
