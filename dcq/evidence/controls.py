"""The same model on text it cannot have seen is the yardstick: calibrated p-value and κ.

A model can find originals above chance without memory, by wording or by slot. Whatever does that
works on control partitions as well, so a target is compared with them rather than with chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dcq.evidence.baseline import fit_baseline
from dcq.evidence.counts import check_counts
from dcq.evidence.interval import Interval, effective_size, score_interval
from dcq.evidence.kappa import rescale
from dcq.evidence.power import ALPHA, POWER, share_found
from dcq.evidence.prediction import predict
from dcq.evidence.ratio import kappa_interval
from dcq.evidence.rotated import complete_shares

MANY = 3  # controls from which on their spread can be estimated
_BOSCHLOO_MOST = 200  # instances; with more, Boschloo's test is slow and gains little over Fisher's


@dataclass(frozen=True)
class Calibration:
    """A target beside ``controls`` control partitions of the same model and kind of quiz.

    ``control_score`` is the pooled score of the controls, with the limits between which an unseen
    partition's score is expected. κ_control is (p − p̂)/(1 − p̂) above it; κ and its limits are None
    where the controls are all correct, which leaves nothing to be above, and the lower limit also
    where an unseen partition might be. ``p_value`` is one-sided. ``minimum_kappa`` is the smallest
    κ_control that this n finds at the 5 % level with a power of 80 %; None where it finds none.
    """

    controls: int
    control_score: float
    control_low: float
    control_high: float
    kappa_control: float | None
    kappa_low: float | None
    kappa_high: float | None
    p_value: float
    minimum_kappa: float | None
    method: str


def calibrate_counts(
    target: tuple[int, int], controls: Sequence[tuple[int, int]], *, confidence: float = 0.95
) -> Calibration | None:
    """Compare ``(correct, n)`` of a target with its controls'; for quizzes with one fixed slot.

    One or two controls: Boschloo's exact test (Fisher's above 200 instances) on the pooled counts,
    which takes for granted that unseen partitions all score alike. Three or more: a beta-binomial
    fitted to them, whose spread the interval carries too. Controls without answers are passed over;
    None where none is left or the target has no answers. Raises ``InputError`` on impossible
    counts.
    """
    for correct, n in (target, *controls):
        check_counts(correct, n)
    used = tuple((k, n) for k, n in controls if n)
    correct, n = target
    if not n or not used:
        return None
    if len(used) < MANY:
        return _against_pooled(target, _pool(used), len(used), confidence)
    baseline = fit_baseline(used)
    critical = _critical(n, lambda k: baseline.tail(k, n))
    pooled = _pool(used)
    return _calibration(
        controls=len(used),
        score=correct / n,
        limits=score_interval(correct / n, n, confidence),
        base=pooled[0] / pooled[1],
        base_limits=baseline.limits(confidence),
        p_value=baseline.tail(correct, n),
        found=share_found(critical, n) if critical else None,
        method="beta-binomial",
    )


def calibrate_rotated(
    target: ArrayLike, controls: Sequence[ArrayLike], *, confidence: float = 0.95
) -> Calibration | None:
    """Compare a rotated target with its controls; tables as for ``rotated_kappa``.

    One or two controls: as ``calibrate_counts``, on the counts that the effective sizes amount to.
    Three or more: a normal for unseen partitions' scores, with the extra variance of predicting one
    more of them. Tables without a complete instance are passed
    over; None where no control is left or the target has none.
    """
    shares, calls = complete_shares(target)
    used = [found for found in (complete_shares(table)[0] for table in controls) if len(found)]
    if not len(shares) or not used:
        return None
    if len(used) < MANY:
        pooled = _effective_counts(np.concatenate(used), calls)
        return _against_pooled(_effective_counts(shares, calls), pooled, len(used), confidence)
    size = effective_size(shares, calls)
    score = float(shares.mean())
    scores = np.array([found.mean() for found in used])
    prediction = predict(scores, np.array([effective_size(found, calls) for found in used]))
    critical = prediction.critical(size, ALPHA)
    found = critical + float(special.ndtri(POWER)) * prediction.scatter(critical, size)
    return _calibration(
        controls=len(used),
        score=score,
        limits=score_interval(score, size, confidence),
        base=float(np.concatenate(used).mean()),
        base_limits=prediction.limits(confidence),
        p_value=prediction.tail(score, size),
        found=found if found <= 1 else None,
        method="normal prediction",
    )


def _against_pooled(
    target: tuple[int, int], pooled: tuple[int, int], controls: int, confidence: float
) -> Calibration:
    (correct, n), (base_correct, base_n) = target, pooled
    exact = n + base_n <= _BOSCHLOO_MOST
    critical = _critical(n, lambda k: _fisher((k, n), pooled))
    return _calibration(
        controls=controls,
        score=correct / n,
        limits=score_interval(correct / n, n, confidence),
        base=base_correct / base_n,
        base_limits=score_interval(base_correct / base_n, base_n, confidence),
        p_value=_boschloo(target, pooled) if exact else _fisher(target, pooled),
        found=share_found(critical, n) if critical else None,
        method="Boschloo's exact test" if exact else "Fisher's exact test",
    )


def _calibration(
    *,
    controls: int,
    score: float,
    limits: Interval,
    base: float,
    base_limits: Interval,
    p_value: float,
    found: float | None,
    method: str,
) -> Calibration:
    # A fitted spread need not be centred on the pooled score, which is the estimate.
    base_limits = Interval(min(base, base_limits.low), max(base, base_limits.high))
    low, high = kappa_interval(score, limits, base, base_limits)
    return Calibration(
        controls=controls,
        control_score=base,
        control_low=base_limits.low,
        control_high=base_limits.high,
        kappa_control=rescale(score, base) if base < 1 else None,
        kappa_low=low,
        kappa_high=high,
        p_value=p_value,
        minimum_kappa=rescale(found, base) if found is not None and base < 1 else None,
        method=method,
    )


def _pool(counts: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(k for k, _ in counts), sum(n for _, n in counts)


def _effective_counts(shares: NDArray[np.float64], calls: int) -> tuple[int, int]:
    size = round(effective_size(shares, calls))
    return round(float(shares.mean()) * size), size


def _critical(n: int, tail: Callable[[int], float]) -> int | None:
    """Smallest count of ``n`` whose p-value is at most 5 %; ``tail`` falls with the count."""
    if tail(n) > ALPHA:
        return None
    low, high = 0, n  # tail(low) is above the level, tail(high) is not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if tail(middle) <= ALPHA else (middle, high)
    return high


def _fisher(target: tuple[int, int], pooled: tuple[int, int]) -> float:
    (correct, n), (base_correct, base_n) = target, pooled
    return float(scipy.stats.hypergeom.sf(correct - 1, n + base_n, correct + base_correct, n))


def _boschloo(target: tuple[int, int], pooled: tuple[int, int]) -> float:
    (correct, n), (base_correct, base_n) = target, pooled
    if correct + base_correct in {0, n + base_n}:
        return 1.0  # all or none correct on both sides: nothing to tell apart
    table = [[correct, base_correct], [n - correct, base_n - base_correct]]
    return float(scipy.stats.boschloo_exact(table, alternative="greater").pvalue)
