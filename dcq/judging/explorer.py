"""The instances of a partition under all models at once: which each model picked, completed or
ranked first.

Nothing is counted again: the arrays by instance are those from which the verdicts were computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from dcq.evidence.compare import Comparison, compare_paired
from dcq.evidence.record import ByInstance, Evidence
from dcq.judging.snapshot import Snapshot
from dcq.records import PartitionRole

_ROLES = [PartitionRole.TARGET, PartitionRole.POSITIVE, PartitionRole.CONTROL]


class InstanceOrder(StrEnum):
    """The orders in which instances can be listed."""

    AGREEMENT = "agreement"
    MODEL = "model"
    LABEL = "label"
    LENGTH = "length"
    SAMPLE = "sample"


class InstanceFilter(StrEnum):
    """Which instances are listed, by what a pair of results found."""

    ALL = "all"
    FIRST = "by the first, not the second"
    SECOND = "by the second, not the first"
    BOTH = "by both"
    NEITHER = "by neither"


@dataclass(frozen=True, eq=False)
class Explored:
    """The results on a partition by instance. ``recalled`` has a row for each of the ``results``
    and a column for each of the instances ``ids``: the share of the times that the instance was
    asked about in which its original was picked, completed or ranked first; NaN where there is no
    answer."""

    ids: tuple[str, ...]
    results: tuple[Evidence, ...]
    recalled: NDArray[np.float64]

    @property
    def agreement(self) -> NDArray[np.float64]:
        """The mean over the results, by instance; NaN without any answer."""
        return _shares(self.recalled.T)


@dataclass(frozen=True)
class Sides:
    """How two results differ, instance by instance: ``first`` counts the instances that the first
    result recalls more often, ``second`` those that the second does; ``compared`` is first minus
    second."""

    first: int
    second: int
    compared: Comparison


def places(read: Snapshot) -> dict[str, str]:
    """The partitions of a study that have results by instance, with their names: targets first,
    then those with most results."""
    results_by_partition: dict[str, list[Evidence]] = {}
    for result in _seen(read):
        results_by_partition.setdefault(result.partition, []).append(result)
    ranked = sorted(
        results_by_partition.values(),
        key=lambda results: (
            _ROLES.index(PartitionRole(results[0].role)),
            -len(results),
            results[0].partition,
        ),
    )
    return {results[0].partition: results[0].place for results in ranked}


def explore(read: Snapshot, partition: str) -> Explored:
    """The results of a study on a partition, method by method, the one that recalls most first."""
    results = [result for result in _seen(read) if result.partition == partition]
    ids = list(dict.fromkeys(instance for result in results for instance in _each(result).ids))
    place = {instance: number for number, instance in enumerate(ids)}
    table = np.full((len(results), len(ids)), np.nan)
    for row, result in zip(table, results, strict=True):
        row[[place[instance] for instance in _each(result).ids]] = _shares(_each(result).recalled)
    methods = list(dict.fromkeys(result.read_by for result in results))
    order = sorted(
        range(len(results)),
        key=lambda at: (methods.index(results[at].read_by), -float(np.nansum(table[at]))),
    )
    return Explored(tuple(ids), tuple(results[at] for at in order), table[order])


def compare(evidence: Evidence, other_evidence: Evidence) -> Sides:
    """Compare two results by instance, over those for which both have all answers: the exact test
    and the interval of ``dcq.evidence.compare``, for this pair alone."""
    first, second = _each(evidence), _each(other_evidence)
    shared = sorted(set(first.ids) & set(second.ids))
    rows = [
        each.recalled[[where[instance] for instance in shared]]
        for each in (first, second)
        for where in [{instance: number for number, instance in enumerate(each.ids)}]
    ]
    gap = rows[0].mean(axis=1) - rows[1].mean(axis=1)  # NaN where either lacks an answer
    return Sides(int((gap > 0).sum()), int((gap < 0).sum()), compare_paired(rows[1], rows[0]))


def arrange(
    explored: Explored,
    by: InstanceOrder,
    *,
    row: int,
    labels: Sequence[str],
    lengths: Sequence[int],
    numbers: Sequence[int],
) -> NDArray[np.int64]:
    """The instances in an order, as places in ``ids``: by what most results have first, by what the
    result in a ``row`` has first, by label, by length of the text, or as drawn (``numbers``). Equal
    ones by agreement, then as drawn."""
    drawn, agreed = np.asarray(numbers), -np.nan_to_num(explored.agreement, nan=-1.0)
    first = {
        InstanceOrder.AGREEMENT: agreed,
        InstanceOrder.MODEL: -np.nan_to_num(explored.recalled[row], nan=-1.0),
        InstanceOrder.LABEL: np.unique(np.asarray(labels, dtype=object), return_inverse=True)[1],
        InstanceOrder.LENGTH: np.asarray(lengths),
        InstanceOrder.SAMPLE: drawn,
    }[by]
    order: NDArray[np.int64] = np.lexsort((drawn, agreed, first))
    return order


def select(
    explored: Explored, listed: InstanceFilter, first: int, second: int
) -> NDArray[np.bool_]:
    """Which instances a filter lists, of the results in two rows. Instances without an answer of
    both are listed under ``ALL`` alone."""
    recalled, other = explored.recalled[first], explored.recalled[second]
    masks: dict[InstanceFilter, NDArray[np.bool_]] = {
        InstanceFilter.ALL: np.ones(len(recalled), dtype=np.bool_),
        InstanceFilter.FIRST: recalled > other,
        InstanceFilter.SECOND: other > recalled,
        InstanceFilter.BOTH: (recalled == other) & (recalled > 0),
        InstanceFilter.NEITHER: (recalled == other) & (recalled == 0),
    }
    return masks[listed]


def names(explored: Explored, titles: Mapping[str, str]) -> list[str]:
    """A name for each result: its model, as ``titles`` name it, and how it was asked where a model
    has several results."""
    models = [titles[result.model] for result in explored.results]
    forms = [
        models,
        [
            f"{model} · {_how(result)}"
            for model, result in zip(models, explored.results, strict=True)
        ],
    ]
    forms.append(
        [
            f"{long} · {result.at:%d %b %H:%M}"
            for long, result in zip(forms[1], explored.results, strict=True)
        ]
    )
    return [
        next((form[at] for form in forms if form.count(form[at]) == 1), forms[-1][at])
        for at in range(len(models))
    ]


def _how(result: Evidence) -> str:
    return str(result.figures.get("name", result.read_by))


def _seen(read: Snapshot) -> list[Evidence]:
    """The results that count in the study and say something of single instances."""
    return [
        result
        for run, result in read.evidence.items()
        if run in read.counting
        and result.each
        and len(result.each.ids) == len(result.each.recalled) > 0
    ]


def _each(result: Evidence) -> ByInstance:
    assert result.each is not None  # noqa: S101  (_seen() saw to it)
    return result.each


def _shares(table: NDArray[np.float64]) -> NDArray[np.float64]:
    counts = (~np.isnan(table)).sum(axis=1)
    total = np.nansum(table, axis=1)
    shares: NDArray[np.float64] = np.full(len(table), np.nan)
    np.divide(total, counts, out=shares, where=counts > 0)
    return shares
