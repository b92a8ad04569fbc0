"""How fast an annotator decides, and whether what they decide drifts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded where they are first used

from dcq.errors import InputError
from dcq.evidence.arguments import read_numbers

BREAK = 300.0  # seconds; a longer gap is a pause, not work on one decision
FEWEST = 8  # units in a half, from which on a drift is tested


@dataclass(frozen=True)
class AnnotatorPace:
    """The speed of an annotator over ``n`` decisions in order of time. ``seconds`` is the median
    time for one, over all decisions and in the first (``early``) and second half (``late``) of the
    units; ``accepted`` is the share that was accepted in either half. ``p_value`` is two-sided, for
    equal shares in both halves. Each is None where there are too few decisions."""

    n: int
    seconds: float | None
    seconds_early: float | None
    seconds_late: float | None
    accepted_early: float | None
    accepted_late: float | None
    p_value: float | None


def pace(
    moments: Sequence[float],
    accepted: Sequence[bool],
    units: Sequence[Hashable],
    took: Sequence[float | None] | None = None,
) -> AnnotatorPace:
    """``moments`` are seconds since any start, ``units`` what each decision is about, such as its
    instance. ``took`` are seconds that a tool measured, in the place of those between moments; a
    decision without is of unknown length.

    Several decisions at one moment are one click, and share the time since the one before; gaps
    above ``BREAK`` are left out. Decisions within a unit depend on each other, so drift is tested
    on the units' shares, those begun in the first half against the rest (Mann and Whitney 1947,
    with correction for ties), and only from ``FEWEST`` units a half on: it tells a change of the
    annotator from one of the texts only where texts come in an order by chance. Raises
    ``InputError`` where the lengths differ, or a moment is missing.
    """
    lengths = {len(moments), len(accepted), len(units), len(moments if took is None else took)}
    if len(lengths) > 1:
        raise InputError("Moments, decisions and units are of different lengths; match them first.")
    read_numbers(moments, "Moments")
    order = sorted(range(len(moments)), key=lambda at: moments[at])
    begun = list(dict.fromkeys(units[at] for at in order))
    early = set(begun[: len(begun) // 2])
    times = (
        _times([moments[at] for at in order]) if took is None else [_work(took[at]) for at in order]
    )
    halves = [units[at] in early for at in order]
    shares: dict[Hashable, list[bool]] = {unit: [] for unit in begun}
    for at in order:
        shares[units[at]].append(accepted[at])
    first = [float(np.mean(shares[unit])) for unit in begun if unit in early]
    second = [float(np.mean(shares[unit])) for unit in begun if unit not in early]
    return AnnotatorPace(
        n=len(order),
        seconds=_median(times),
        seconds_early=_median([t for t, half in zip(times, halves, strict=True) if half]),
        seconds_late=_median([t for t, half in zip(times, halves, strict=True) if not half]),
        accepted_early=_share([accepted[at] for at in order if units[at] in early]),
        accepted_late=_share([accepted[at] for at in order if units[at] not in early]),
        p_value=_drift(first, second),
    )


def _times(moments: Sequence[float]) -> list[float | None]:
    """What each decision took, None for the first of a sitting."""
    together = Counter(moments)
    durations: list[float | None] = []
    before: float | None = None
    last: float | None = None
    for moment in moments:
        if moment != last:
            before, last = last, moment
        gap = None if before is None else moment - before
        durations.append(None if gap is None or gap > BREAK else gap / together[moment])
    return durations


def _work(seconds: float | None) -> float | None:
    return seconds if seconds is not None and 0 < seconds <= BREAK else None


def _median(times: Sequence[float | None]) -> float | None:
    measured = [duration for duration in times if duration is not None]
    return float(np.median(measured)) if measured else None


def _share(accepted: Sequence[bool]) -> float | None:
    return float(np.mean(accepted)) if accepted else None


def _drift(first: Sequence[float], second: Sequence[float]) -> float | None:
    if min(len(first), len(second)) < FEWEST:
        return None
    if len(set(first) | set(second)) == 1:
        return 1.0  # all alike, and the statistic has no spread
    test = scipy.stats.mannwhitneyu(first, second, alternative="two-sided", method="asymptotic")
    return float(test.pvalue)
