"""Models compared on one partition, and splits compared for one model.

Both results are from the same kind of quiz in the same mode and wording. Models are compared on one
partition: instance by instance if both were asked about one sample, else as two samples; with the
original in the same slot if there is such a pair, else in each model's own. One model is compared
on two splits of a dataset, as two samples, at the same slot. Runs that did not finish, and those
with more unusable replies than a verdict allows, are left out. All comparisons in a study (by
default the store) except those on controls are one family (Holm), whatever is shown: a difference
on text that neither model can have seen is not a finding and would only weaken the correction for
the others.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from dcq.evidence.check import MOST_UNUSABLE
from dcq.evidence.compare import Comparison, compare_paired, compare_unpaired
from dcq.evidence.family import holm
from dcq.quiz import tables
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.results import Result
from dcq.records import PartitionRole, QuizKind, slot_letter
from dcq.words import model_titles, p_words, points

_TRAIN = re.compile(r"(?<![a-z])train", re.IGNORECASE)


NEEDED = (
    "A comparison needs two models on one partition, or one model on two splits of a dataset at "
    "the same slot, with the same kind of quiz, finished, and at most a fifth of the replies "
    "unusable."
)


@dataclass(frozen=True)
class ComparedResults:
    """``second`` minus ``first``; ``p_holm`` is corrected over the comparisons in the store that
    are not ``on_controls``, and None for those that are. ``side_runs`` has, for each side, all runs
    of its model, partition, kind, slot and prompt: any of them may represent the side in a list."""

    first: Result
    second: Result
    comparison: Comparison
    p_holm: float | None
    side_runs: tuple[frozenset[str], frozenset[str]]

    @property
    def of_models(self) -> bool:
        """True if it compares two models on one partition; otherwise one model on two splits."""
        return self.first.model != self.second.model

    @property
    def on_controls(self) -> bool:
        """True if neither partition can have been seen."""
        return _on_controls(self.first, self.second)

    @property
    def slots(self) -> str:
        """``D``, or ``D against B`` if the second model's slot (named first) differs; empty for a
        rotated quiz."""
        first, second = slot_letter(self.first.slot), slot_letter(self.second.slot)
        return (first or "") if first == second else f"{second} against {first}"

    def document(self) -> dict[str, Any]:
        """For ``results --compare --json``; shares are fractions."""
        slots = [slot_letter(self.first.slot), slot_letter(self.second.slot)]
        return {
            "kind": self.first.kind.value,
            "slot": slots[0] if slots[0] == slots[1] else None,
            "slots": slots,
            "first": {"model": self.first.model, "partition": self.first.partition},
            "second": {"model": self.second.model, "partition": self.second.partition},
            "n_first": self.comparison.n_first,
            "n_second": self.comparison.n_second,
            "paired": self.comparison.paired,
            "difference": self.comparison.difference,
            "low": self.comparison.low,
            "high": self.comparison.high,
            "p_value": self.comparison.p_value,
            "p_holm": self.p_holm,
            "method": self.comparison.method,
        }

    def sentence(self) -> str:
        """The comparison in words; plain text."""
        titles = model_titles((self.first.model, self.second.model))
        first, second = titles[self.first.model], titles[self.second.model]
        if self.of_models:
            samples = "" if self.comparison.paired else "two samples of "
            sides = f"{second} against {first} on {samples}{self.first.place}"
        else:
            sides = f"{first} on {self.second.place} against {self.first.place}"
        if self.first.slot != self.second.slot:
            sides += (
                f" (original at {self.slots}, each model's own slot, so a preference for a slot is "
                "part of the difference)"
            )
        comparison = self.comparison
        if comparison.difference is None or comparison.low is None or comparison.high is None:
            return f"{sides}: too few answers to compare."
        return (
            f"{sides}: {points(comparison.difference)} points "
            f"[{points(comparison.low)}, {points(comparison.high)}]{self._p()}."
        )

    def _p(self) -> str:
        if self.on_controls and self.comparison.p_value is not None:
            return f", {p_words(self.comparison.p_value)} (control, uncorrected)"
        return "" if self.p_holm is None else f", {p_words(self.p_holm)} (Holm)"


def pairs_of(results: Sequence[Result]) -> list[tuple[Result, Result]]:
    """The best pair of finished results for each comparison that they allow; for two models, one
    per partition and kind."""
    return _pairs([result for result in results if _usable(result)])


def compare_pairs(
    pairs: Sequence[tuple[Result, Result]],
    results: Sequence[Result],
    answers: Mapping[str, pd.DataFrame],
) -> list[ComparedResults]:
    """Every one of the ``pairs`` of a study, one family. ``results`` are all results of it, and
    ``answers`` those of the runs in pairs (``dcq.quiz.tables.of_runs``)."""
    scores = {run: tables.right(run_answers) for run, run_answers in answers.items()}
    comparisons = [
        _compare(
            scores[entry.run], scores[other_result.run], paired=entry.sample == other_result.sample
        )
        for entry, other_result in pairs
    ]
    adjusted = holm(
        [
            None if _on_controls(*pair) else entry.p_value
            for pair, entry in zip(pairs, comparisons, strict=True)
        ]
    )
    alike: dict[Hashable, set[str]] = {}
    for result in results:
        alike.setdefault(_row(result), set()).add(result.run)
    return [
        ComparedResults(
            entry,
            other,
            comparison,
            p,
            (frozenset(alike[_row(entry)]), frozenset(alike[_row(other)])),
        )
        for (entry, other), comparison, p in zip(pairs, comparisons, adjusted, strict=True)
    ]


def among(comparisons: Sequence[ComparedResults], runs: Sequence[str]) -> list[ComparedResults]:
    """The comparisons with both sides shown, by the compared run itself or by another of the same
    model, partition, kind, slot and prompt: lists show one run of each."""
    run_ids = set(runs)
    return [
        comparison
        for comparison in comparisons
        if all(side & run_ids for side in comparison.side_runs)
    ]


def _usable(result: Result) -> bool:
    return (
        result.finished
        and result.n > 0
        and result.kind not in WITHOUT_ORIGINAL
        and result.kind is not QuizKind.BCQ
        and result.unusable <= MOST_UNUSABLE
    )


def _on_controls(result: Result, other_result: Result) -> bool:
    return result.role == other_result.role == PartitionRole.CONTROL


def _row(result: Result) -> Hashable:
    """Results with the same key share one row in lists (``dcq.quiz.results.table``)."""
    return (result.model, result.partition, result.kind, result.slot, result.prompt)


def _pairs(usable: Sequence[Result]) -> list[tuple[Result, Result]]:
    """The best pair for each question that can be asked of these results."""
    newest: dict[Hashable, Result] = {}
    for result in usable:  # among runs with the same key the newest comes first
        newest.setdefault((_row(result), result.sample, result.mode), result)
    alike: dict[Hashable, list[Result]] = {}
    for result in newest.values():
        key = (_dataset(result), result.kind, result.mode, result.prompt)
        alike.setdefault(key, []).append(result)
    best: dict[Hashable, tuple[Result, Result]] = {}
    for asked, group in alike.items():
        for pair in combinations(group, 2):
            question = _question(asked, *pair)
            if question is None:
                continue
            best_pair = best.get(question)
            if best_pair is None or _merit(*pair) > _merit(*best_pair):
                best[question] = pair
    return [_ordered(*pair) for pair in best.values()]


def _question(asked: Hashable, result: Result, other_result: Result) -> Hashable | None:
    """The key of the comparison that two results ``asked`` the same way allow; None if they allow
    none. Each key is compared once."""
    models, partitions = (
        {result.model, other_result.model},
        {result.partition, other_result.partition},
    )
    if len(models) == 2 and len(partitions) == 1:
        return (frozenset(models), result.partition, result.kind)
    if len(models) == 1 and len(partitions) == 2 and result.slot == other_result.slot:
        return (result.model, frozenset(partitions), asked, result.slot)
    return None


def _merit(result: Result, other_result: Result) -> tuple[bool, bool, datetime, datetime]:
    """Prefers a shared sample, then the same slot, then the newer pair: the one whose older run is
    newer."""
    return (
        result.sample == other_result.sample,
        result.slot == other_result.slot,
        min(result.at, other_result.at),
        max(result.at, other_result.at),
    )


def _dataset(result: Result) -> str:
    return result.partition.rpartition("/")[0]


def _ordered(result: Result, other_result: Result) -> tuple[Result, Result]:
    """Test and validation before train, so that an effect of training on a split is positive."""
    if (
        result.model == other_result.model
        and _is_train(result.partition)
        and not _is_train(other_result.partition)
    ):
        return other_result, result
    return result, other_result


def _is_train(partition: str) -> bool:
    """Whether the split of ``key/split`` is one to train on, such as ``train`` or
    ``auxiliary_train``, whatever its dataset is called."""
    return _TRAIN.search(partition.rpartition("/")[2]) is not None


def _compare(frame: pd.DataFrame, other: pd.DataFrame, *, paired: bool) -> Comparison:
    if paired:
        return compare_paired(
            frame.to_numpy(np.float64), other.reindex(frame.index).to_numpy(np.float64)
        )
    return compare_unpaired(frame.to_numpy(np.float64), other.to_numpy(np.float64))
