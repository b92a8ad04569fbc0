"""Do two annotators give the same labels? Percent agreement, Cohen's κ and Krippendorff's α."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import random_numbers
from dcq.evidence.bootstrap import FEWEST
from dcq.evidence.interval import Interval, effective_answers, score_interval
from dcq.evidence.kappa import cohen_of

_RESAMPLES = 2_000
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Agreement:
    """How far two annotators agree over the ``n`` items that both labelled, of ``units`` that were
    drawn.

    ``share`` is the share of items with the same label, with its Wilson ``interval``. ``kappa`` is
    Cohen's κ, ``alpha`` Krippendorff's α for names: 1 full agreement, 0 what chance gives, negative
    less than that. Both are None where all labels are the same one, and all are None for n = 0.
    Their intervals are percentiles of a bootstrap over units. They are None for fewer than
    ``FEWEST`` units, where all resamples give the same value, and where more resamples have no
    value than the interval leaves out at one end: then the labels are too alike.
    """

    n: int
    same: int
    units: int
    share: float | None
    interval: Interval | None
    kappa: float | None
    kappa_interval: Interval | None
    alpha: float | None
    alpha_interval: Interval | None


def agree(
    first: Sequence[Hashable | None],
    second: Sequence[Hashable | None],
    *,
    units: Sequence[Hashable] | None = None,
    seed: int = 0,
) -> Agreement:
    """``first`` and ``second`` label the same items, None where one gave no label.

    ``units`` names what each item was drawn with, such as its instance: labels within a unit depend
    on each other, so whole units are resampled, and the Wilson interval is taken at their effective
    size. Without it each item is a unit. The same ``seed`` gives the same intervals. Raises
    ``InputError`` where the lengths differ.

    κ: Cohen (1960). α: Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", B.
    """
    if len(first) != len(second) or (units is not None and len(units) != len(first)):
        raise InputError("The two annotators labelled different items; match them first.")
    positions = [at for at, pair in enumerate(zip(first, second, strict=True)) if None not in pair]
    if not positions:
        return Agreement(0, 0, 0, None, None, None, None, None, None)
    left, right = [first[at] for at in positions], [second[at] for at in positions]
    tables = _tables(left, right, [units[at] for at in positions] if units is not None else None)
    total = tables.sum(axis=0)
    n, same = len(positions), int(np.trace(total))
    resampled = _resample(tables, seed)
    kappa, alpha = _known(cohen_of(total)), _alpha(left, right)
    size = effective_answers(np.trace(tables, axis1=1, axis2=2), tables.sum(axis=(1, 2)))
    return Agreement(
        n,
        same,
        len(tables),
        same / n,
        score_interval(same / n, size),
        kappa,
        None if kappa is None else _percentiles(cohen_of(resampled)),
        alpha,
        None if alpha is None else _percentiles(_alpha_of(resampled)),
    )


def _tables(
    left: Sequence[Hashable | None],
    right: Sequence[Hashable | None],
    units: Sequence[Hashable] | None,
) -> NDArray[np.int64]:
    """How often each label of one annotator met each of the other, a table a unit, shape
    (units, labels, labels)."""
    codes = {label: code for code, label in enumerate(dict.fromkeys([*left, *right]))}
    places = {unit: at for at, unit in enumerate(dict.fromkeys(units or ()))}
    rows = [places[unit] for unit in units] if units is not None else range(len(left))
    tables = np.zeros((len(places) or len(left), len(codes), len(codes)), dtype=np.int64)
    np.add.at(tables, (list(rows), [codes[a] for a in left], [codes[b] for b in right]), 1)
    return tables


def _resample(tables: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Tables of resamples of the units, shape (resamples, labels, labels); none for few units."""
    count = _RESAMPLES if len(tables) >= FEWEST else 0
    # Few tables are distinct, and how often each is drawn is multinomial.
    distinct, times = np.unique(tables, axis=0, return_counts=True)
    rng = random_numbers(seed)
    drawn = rng.multinomial(len(tables), times / len(tables), size=count)
    return np.asarray(np.tensordot(drawn, distinct, axes=1))


def _alpha(left: Sequence[Hashable | None], right: Sequence[Hashable | None]) -> float | None:
    codes = {label: code for code, label in enumerate(dict.fromkeys([*left, *right]))}
    if len(codes) < 2:
        return None
    import krippendorff  # here, because most who count labels do not need it

    data = [[codes[label] for label in labels] for labels in (left, right)]
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement="nominal"))


def _alpha_of(tables: NDArray[np.int64]) -> NDArray[np.float64]:
    """α for names of two annotators from their tables, shape (…, labels, labels): what the library
    gives for one, for thousands at once. NaN where all labels are the same one."""
    met = tables + np.swapaxes(tables, -1, -2)
    of_label = met.sum(axis=-1)
    total = of_label.sum(axis=-1)
    observed = total - np.trace(met, axis1=-2, axis2=-1)
    expected = (total**2 - (of_label**2).sum(axis=-1)) / (total - 1)
    ratio = np.divide(observed, expected, out=np.full(expected.shape, np.nan), where=expected > 0)
    return np.asarray(1 - ratio, dtype=np.float64)


def _known(value: NDArray[np.float64]) -> float | None:
    return None if np.isnan(value) else float(value)


def _percentiles(values: NDArray[np.float64]) -> Interval | None:
    left_out = (1 - _CONFIDENCE) / 2
    finite = values[~np.isnan(values)]
    if len(finite) < (1 - left_out) * len(values) or np.ptp(finite if len(finite) else [0.0]) == 0:
        return None
    low, high = np.quantile(finite, [left_out, 1 - left_out])
    return Interval(float(low), float(high))
