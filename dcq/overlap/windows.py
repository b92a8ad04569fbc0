"""How much of a benchmark was found in each window of time (the contamination report, Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dcq.evidence.compare import Comparison, compare_paired
from dcq.evidence.subsets import Accuracy, accuracy_of
from dcq.overlap.label import Labels
from dcq.overlap.match import Category


@dataclass(frozen=True)
class WindowShare:
    """The instances looked for in one window. ``found`` is the share that was found, with its n and
    Wilson's limits; ``input_only`` and ``input_and_label`` count them."""

    window: str
    found: Accuracy
    input_only: int
    input_and_label: int


@dataclass(frozen=True)
class WindowGrowth:
    """The share found in window ``after`` minus that in ``before``, over the instances looked for
    in both."""

    before: str
    after: str
    change: Comparison


def shares(windows: Mapping[str, Labels]) -> tuple[WindowShare, ...]:
    """The share found in each window, in the order given."""
    return tuple(
        WindowShare(
            window,
            accuracy_of(_found(labels, list(labels))),
            sum(one.category is Category.INPUT_ONLY for one in labels.values()),
            sum(one.category is Category.INPUT_AND_LABEL for one in labels.values()),
        )
        for window, labels in windows.items()
    )


def growth(windows: Mapping[str, Labels]) -> tuple[WindowGrowth, ...]:
    """Each window compared with the one before it, paired by instance: McNemar's exact test, and
    the interval of Bonett and Price."""
    names = list(windows)
    return tuple(
        WindowGrowth(before, after, _change(windows[before], windows[after]))
        for before, after in pairwise(names)
    )


def _change(before: Labels, after: Labels) -> Comparison:
    both = [identity for identity in before if identity in after]
    first, second = (np.array(_found(labels, both))[:, None] for labels in (before, after))
    return compare_paired(first, second)


def _found(labels: Labels, identities: Sequence[str]) -> list[float]:
    return [float(labels[identity].category is not Category.CLEAN) for identity in identities]
