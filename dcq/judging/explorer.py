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

from dcq import methods
from dcq.evidence.compare import Comparison, compare_paired
from dcq.evidence.record import ByInstance, Evidence
from dcq.judging.snapshot import Snapshot
from dcq.records import PartitionRole

_ROLES = [PartitionRole.TARGET, PartitionRole.POSITIVE, PartitionRole.CONTROL]


class InstanceOrder(StrEnum):
    """The orders in which instances can be listed."""

    RECALL = "agreement"  # as in addresses of earlier releases
    MODEL = "model"
    LABEL = "label"
    LENGTH = "length"
    SAMPLE = "sample"


class InstanceFilter(StrEnum):
    """Which instances are listed, by how often each of a pair of results recalled them. The values
    are those in addresses of earlier releases."""

    ALL = "all"
    FIRST_MORE = "by the first, not the second"
    SECOND_MORE = "by the second, not the first"
    EQUALLY = "by both"
    NEITHER = "by neither"


@dataclass(frozen=True, eq=False)
class Explored:
    """The results on a partition by instance. ``recalled`` has a row for each of the ``results``
    and a column for each of the instances ``ids``: the share of the times that the instance was
    asked about in which its original was picked, completed or ranked first; NaN where there is no
    answer. ``complete``, of the same shape, says where no answer is missing."""

    ids: tuple[str, ...]
    results: tuple[Evidence, ...]
    recalled: NDArray[np.float64]
    complete: NDArray[np.bool_]

    @property
    def mean_recall(self) -> NDArray[np.float64]:
        """The mean over the results, by instance; NaN without any answer."""
        return _row_means(self.recalled.T)


@dataclass(frozen=True)
class PairComparison:
    """How two results differ, instance by instance: ``first`` counts the instances that the first
    result recalls more often, ``second`` those that the second does; ``gap`` is first minus
    second."""

    first: int
    second: int
    gap: Comparison


def partitions(snapshot: Snapshot) -> dict[str, str]:
    """The partitions of a study that have results by instance, with their names: targets first,
    then those with most results."""
    results_by_partition: dict[str, list[Evidence]] = {}
    for result in _results_by_instance(snapshot):
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


def explore(snapshot: Snapshot, partition: str) -> Explored:
    """The results of a study on a partition, method by method, the one that recalls most first."""
    results = [result for result in _results_by_instance(snapshot) if result.partition == partition]
    each = [_by_instance(result) for result in results]
    ids = list(dict.fromkeys(instance for by_instance in each for instance in by_instance.ids))
    column_of = {instance: column for column, instance in enumerate(ids)}
    table = np.full((len(results), len(ids)), np.nan)
    complete = np.zeros(table.shape, dtype=np.bool_)
    for row, by_instance in enumerate(each):
        columns = [column_of[instance] for instance in by_instance.ids]
        table[row, columns] = _row_means(by_instance.recalled)
        complete[row, columns] = ~np.isnan(by_instance.recalled).any(axis=1)
    methods = list(dict.fromkeys(result.read_by for result in results))
    order = sorted(
        range(len(results)),
        key=lambda index: (methods.index(results[index].read_by), -float(np.nansum(table[index]))),
    )
    return Explored(
        tuple(ids), tuple(results[index] for index in order), table[order], complete[order]
    )


def compare(evidence: Evidence, other_evidence: Evidence) -> PairComparison:
    """Compare two results by instance, over those for which both have all answers: the exact test
    and the interval of ``dcq.evidence.compare``, for this pair alone."""
    first, second = _by_instance(evidence), _by_instance(other_evidence)
    shared = sorted(set(first.ids) & set(second.ids))
    rows = [
        result.recalled[[row_of[instance] for instance in shared]]
        for result in (first, second)
        for row_of in [{instance: row for row, instance in enumerate(result.ids)}]
    ]
    gaps = rows[0].mean(axis=1) - rows[1].mean(axis=1)  # NaN where either lacks an answer
    return PairComparison(
        int((gaps > 0).sum()), int((gaps < 0).sum()), compare_paired(rows[1], rows[0])
    )


def arrange(
    explored: Explored,
    by: InstanceOrder,
    *,
    row: int,
    labels: Sequence[str],
    lengths: Sequence[int],
    draw_positions: Sequence[int],
) -> NDArray[np.int64]:
    """The order in which to list the instances, as indexes into ``ids``: most recalled over all
    results, most recalled by the result in ``row``, label, text length, or as drawn. Ties: most
    recalled, then as drawn."""
    drawn, by_recall = np.asarray(draw_positions), -np.nan_to_num(explored.mean_recall, nan=-1.0)
    first = {
        InstanceOrder.RECALL: by_recall,
        InstanceOrder.MODEL: -np.nan_to_num(explored.recalled[row], nan=-1.0),
        InstanceOrder.LABEL: np.unique(np.asarray(labels, dtype=object), return_inverse=True)[1],
        InstanceOrder.LENGTH: np.asarray(lengths),
        InstanceOrder.SAMPLE: drawn,
    }[by]
    order: NDArray[np.int64] = np.lexsort((drawn, by_recall, first))
    return order


def select(
    explored: Explored, instance_filter: InstanceFilter, first: int, second: int
) -> NDArray[np.bool_]:
    """A mask of the instances that a filter lists, for the results in rows ``first`` and
    ``second``. Instances for which either lacks an answer are listed under ``ALL`` alone, as
    ``compare`` leaves them out."""
    recalled, other = explored.recalled[first], explored.recalled[second]
    if instance_filter is InstanceFilter.ALL:
        return np.ones(len(recalled), dtype=np.bool_)
    masks: dict[InstanceFilter, NDArray[np.bool_]] = {
        InstanceFilter.FIRST_MORE: recalled > other,
        InstanceFilter.SECOND_MORE: other > recalled,
        InstanceFilter.EQUALLY: (recalled == other) & (recalled > 0),
        InstanceFilter.NEITHER: (recalled == other) & (recalled == 0),
    }
    both: NDArray[np.bool_] = explored.complete[first] & explored.complete[second]
    return np.logical_and(masks[instance_filter], both)


def names(explored: Explored, titles: Mapping[str, str]) -> list[str]:
    """A name for each result, unlike all others: its model as it was asked, as ``titles`` name it,
    by which method where that is not unique, how it was asked where that is not either, then when,
    and last its run."""
    models = [titles[result.asked_name] for result in explored.results]
    forms = [
        models,
        [
            f"{model} · {methods.named(result.read_by).title.lower()}"
            for model, result in zip(models, explored.results, strict=True)
        ],
        [
            f"{model} · {_how(result)}"
            for model, result in zip(models, explored.results, strict=True)
        ],
    ]
    forms.append(
        [
            f"{long} · {result.at:%d %b %H:%M}"
            for long, result in zip(forms[2], explored.results, strict=True)
        ]
    )
    forms.append(
        [f"{long} · {result.run}" for long, result in zip(forms[2], explored.results, strict=True)]
    )
    return [
        next((form[index] for form in forms if form.count(form[index]) == 1), forms[-1][index])
        for index in range(len(models))
    ]


def _how(result: Evidence) -> str:
    return str(result.figures.get("name", result.read_by))


def _results_by_instance(snapshot: Snapshot) -> list[Evidence]:
    """The results that count in the study and say something of single instances."""
    return [
        result
        for run, result in snapshot.evidence.items()
        if run in snapshot.counting
        and result.each
        and len(result.each.ids) == len(result.each.recalled) > 0
    ]


def _by_instance(result: Evidence) -> ByInstance:
    assert result.each is not None  # noqa: S101  (_results_by_instance() saw to it)
    return result.each


def _row_means(table: NDArray[np.float64]) -> NDArray[np.float64]:
    counts = (~np.isnan(table)).sum(axis=1)
    total = np.nansum(table, axis=1)
    shares: NDArray[np.float64] = np.full(len(table), np.nan)
    np.divide(total, counts, out=shares, where=counts > 0)
    return shares
