"""Does what a model gets right fall at the end of its training data?

Items that are older than the cut-off may have been seen, newer ones cannot. Accuracy that falls
there at once, beyond what changes with time anyway, speaks for contamination; an item's own
difficulty is not known, so the accuracy of a second model that may have seen both sides is
subtracted.

A regression discontinuity with a line on each side (Imbens and Lemieux 2008) and HC3 standard
errors (MacKinnon and White 1985), which hold for shares of right answers, whose spread changes with
their level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dcq.errors import InputError
from dcq.evidence.arguments import check_confidence, check_number, read_numbers

LEAST = 30  # ours: items on a side, below which its line is not to be trusted
LEAST_TIMES = 5  # ours: different moments on a side, through which a line is drawn
# Ours: values that are not the commonest one. Where nearly all answers are right, the few wrong
# ones lie on one side by chance, HC3 sees no spread on the other, and in 16 % of cases a fall is
# called of 200 unseen items with 99.5 % right answers. From ten on it is about 5 %.
LEAST_OTHER = 10
PLACEBOS = (0.25, 0.5, 0.75)  # quantiles of the times of a side
_EDGE = 1e-7  # by which rounding moves a leverage
_PARTS = 4  # of the regression: level and slope on either side


@dataclass(frozen=True)
class Jump:
    """How much lower values are just after a moment than just before it, from ``n_before`` and
    ``n_after`` items: 0 for no fall, negative for a rise. ``p_value``: how often as large a fall is
    found where there is none (one-sided)."""

    at: float
    n_before: int
    n_after: int
    fall: float
    low: float
    high: float
    p_value: float


def jump(times: ArrayLike, values: ArrayLike, cut: float, confidence: float = 0.95) -> Jump | None:
    """The fall of ``values`` at ``cut``; items at the cut count as before it.

    ``times`` and ``values`` are of shape (n,), in any unit of time and any of value. None where a
    side has fewer than ``LEAST`` items or ``LEAST_TIMES`` moments, or where fewer than
    ``LEAST_OTHER`` values differ from the commonest one, and where a line hangs on one item that
    is far from all others. Raises ``InputError`` where the lengths differ, or a value is missing.
    """
    check_confidence(confidence)
    times, values = _matched(times, values, cut)
    after = times > cut
    for side in (times[~after], times[after]):
        if len(side) < LEAST or len(np.unique(side)) < LEAST_TIMES:
            return None
    if len(values) - np.unique(values, return_counts=True)[1].max() < LEAST_OTHER:
        return None
    scaled_time = (times - cut) / np.abs(times - cut).max()  # about 1, so that no digit is lost
    design = np.column_stack([~after, after, scaled_time * ~after, scaled_time * after])
    fitted = _hc3(design.astype(np.float64), values)
    if fitted is None:
        return None
    coefficients, covariance = fitted
    fall = float(coefficients[0] - coefficients[1])
    variance = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    standard_error = math.sqrt(max(0.0, variance))
    degrees_of_freedom = len(times) - _PARTS
    half_width = standard_error * float(special.stdtrit(degrees_of_freedom, (1 + confidence) / 2))
    p_value = (
        float(special.stdtr(degrees_of_freedom, -fall / standard_error))
        if standard_error
        else float(fall <= 0)
    )
    counts = int((~after).sum()), int(after.sum())
    return Jump(cut, *counts, fall, fall - half_width, fall + half_width, p_value)


def _hc3(
    design: NDArray[np.float64], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Coefficients of least squares and their covariance; None where an item has all the leverage,
    which leaves it no residual, and where the items lie too close together to tell."""
    try:
        inverse = np.linalg.inv(design.T @ design)
    except np.linalg.LinAlgError:
        return None
    coefficients = inverse @ design.T @ values
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    # The leverages of all items add up to the number of coefficients.
    if not (leverage.max() < 1 - _EDGE and abs(leverage.sum() - _PARTS) < _EDGE):
        return None
    scaled = design * ((values - design @ coefficients) / (1 - leverage))[:, None]
    return coefficients, inverse @ (scaled.T @ scaled) @ inverse


def _matched(
    times: ArrayLike, values: ArrayLike, cut: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    check_number(cut, "The cut")
    moments = read_numbers(times, "Times", axes=None)
    numbers = read_numbers(values, "Values", axes=None)
    if moments.shape != numbers.shape or moments.ndim != 1:
        raise InputError("Times and values are of different lengths; match them first.")
    return moments, numbers


def placebo_jumps(times: ArrayLike, values: ArrayLike, cut: float) -> list[Jump]:
    """Falls at moments where none is expected: at ``PLACEBOS`` of either side, from that side's
    items alone. Where they are as large as that at the cut, it is not special."""
    times, values = _matched(times, values, cut)
    jumps: list[Jump | None] = []
    for side in (times <= cut, times > cut):
        if not side.any():
            continue
        moments = np.quantile(times[side], PLACEBOS)
        jumps += [jump(times[side], values[side], float(moment)) for moment in moments]
    return [placebo for placebo in jumps if placebo is not None]
