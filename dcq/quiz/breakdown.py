"""A result by label and by length of its instances; refusals by provider and form of question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

from dcq.evidence.groups import GroupResult, compare_groups
from dcq.evidence.interval import wilson
from dcq.quiz import tables
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.results import UNUSABLE, Result
from dcq.records import Instance, QuizKind, slot_letter
from dcq.store import Store, results, samples
from dcq.variants.tokens import words

MOST_LABELS = 12  # the most frequent ones; the rest is one group
LENGTHS = ("short", "middle", "long")
NO_LABEL, OTHER_LABELS = "no label", "other labels"
HERE = "this machine"


class Grouping(StrEnum):
    """What results are broken down by."""

    LABEL = "label"
    LENGTH = "length"
    PROVIDER = "provider"


def groups_of(store: Store, result: Result, by: Grouping) -> list[GroupResult]:
    """The groups of a result's instances with their scores; none where κ is not against guessing
    (a quiz without originals, a bcq), or where all instances are in one group, as they always are
    by provider."""
    if result.kind in WITHOUT_ORIGINAL or result.kind is QuizKind.BCQ or by is Grouping.PROVIDER:
        return []
    answers = tables.of_runs(store, [result.run])[result.run]
    right = tables.right(answers)
    instances = {instance.id: instance for instance in samples.load(store, result.sample).instances}
    asked_instances = [instances[str(instance_id)] for instance_id in right.index]
    names = _labels(asked_instances) if by is Grouping.LABEL else _lengths(asked_instances)
    order = sorted(set(names), key=lambda name: _rank(name, names, by))
    if len(order) < 2:
        return []
    groups = {group.name: group for group in compare_groups(right.to_numpy(np.float64), names)}
    return [groups[name] for name in order]


def tabulate(groups: Sequence[GroupResult]) -> pd.DataFrame:
    """One row per group, as ``charts.kappa_intervals`` takes them, with the ``difference`` from the
    rest in score and its ``p_holm``."""
    return pd.DataFrame(
        [
            {
                "name": group.name,
                "kappa": group.kappa.kappa_fixed,
                "low": group.kappa.kappa_low,
                "high": group.kappa.kappa_high,
                "n": group.kappa.n,
                "whole": False,
                "difference": group.comparison.difference if group.comparison else None,
                "p_holm": group.p_holm,
            }
            for group in groups
        ],
        columns=["name", "kappa", "low", "high", "n", "whole", "difference", "p_holm"],
    )


def documents(store: Store, results: Sequence[Result], by: Grouping) -> list[dict[str, Any]]:
    """For ``results --by label`` and ``--by length``: a row per result and group; scores are
    fractions, the difference is that from all other groups."""
    return [
        {
            "model": result.model,
            "partition": result.partition,
            "kind": result.kind.value,
            "slot": slot_letter(result.slot),
            by.value: group.name,
            "n": group.kappa.n,
            "score": group.kappa.score,
            "kappa_fixed": group.kappa.kappa_fixed,
            "kappa_low": group.kappa.kappa_low,
            "kappa_high": group.kappa.kappa_high,
            "difference": group.comparison.difference if group.comparison else None,
            "p_value": group.comparison.p_value if group.comparison else None,
            "p_holm": group.p_holm,
        }
        for result in results
        for group in groups_of(store, result, by)
    ]


def refusals(store: Store, findings: Sequence[Result]) -> list[dict[str, Any]]:
    """How often there was no usable reply, by provider and form of the question (kind, mode and
    prompt), the most often first: counts of what was asked, refused, invalid and error, and the
    refused share with its interval (Wilson)."""
    addresses = results.endpoint_addresses(store)
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for result in findings:
        host = urlsplit(addresses.get(result.run, "")).hostname or HERE
        form = (host, result.kind.value, result.mode.value, result.prompt)
        counts.setdefault(form, Counter()).update(dict(result.outcomes))
    rows = []
    for (provider, kind, mode, prompt), tally in counts.items():
        asked, refused = tally.total(), tally["refused"]
        limits = wilson(refused, asked)
        rows.append(
            {
                "provider": provider,
                "kind": kind,
                "mode": mode,
                "prompt": prompt,
                "asked": asked,
                **{outcome.value: tally[outcome] for outcome in UNUSABLE},
                "refused_share": refused / asked if asked else None,
                "refused_low": limits.low if limits else None,
                "refused_high": limits.high if limits else None,
            }
        )
    return sorted(rows, key=lambda row: -(row["refused_share"] or 0.0))


def _labels(instances: Sequence[Instance]) -> list[str]:
    names = [instance.label or NO_LABEL for instance in instances]
    common_labels = {name for name, _ in Counter(names).most_common(MOST_LABELS)}
    return [name if name in common_labels else OTHER_LABELS for name in names]


def _lengths(instances: Sequence[Instance]) -> list[str]:
    """Thirds of the instances asked, by words; equal lengths are in one group. The bounds are part
    of the name."""
    sizes = np.array([len(words(instance.text)) for instance in instances])
    cuts = np.quantile(sizes, [1 / 3, 2 / 3], method="inverted_cdf")
    places = np.searchsorted(cuts, sizes)
    named = {}
    for place in sorted(set(places.tolist())):
        group_sizes = sizes[places == place]
        named[place] = f"{LENGTHS[place]} ({group_sizes.min()} to {group_sizes.max()} words)"
    return [named[place] for place in places.tolist()]


def _rank(name: str, names: Sequence[str], by: Grouping) -> tuple[float, str]:
    if by is Grouping.LENGTH:
        return LENGTHS.index(name.partition(" ")[0]), name
    return (name in {NO_LABEL, OTHER_LABELS}) * len(names) - names.count(name), name
