"""Does what a model gets right fall at the end of its training data?

Items that are older than the cut-off may have been seen, newer ones cannot. Accuracy that falls
there at once, beyond what changes with time anyway, speaks for contamination; an item's own
difficulty is not known, so a second model that may have seen both sides takes it off.

A regression with a line on each side (Imbens and Lemieux 2008), its error by HC3 (MacKinnon and
White 1985), which holds for shares of right answers, whose spread changes with their level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dcq.errors import InputError

LEAST = 30  # ours: items on a side, below which its line is not to be trusted
LEAST_TIMES = 5  # ours: different moments on a side, through which a line is drawn
# Ours: values that are not the commonest one. Where nearly all answers are right, the few wrong
# ones lie on one side by chance, HC3 sees no spread on the other, and in 16 % of cases a fall is
# called of 200 unseen items with 99.5 % right answers. From ten on it is about 5 %.
LEAST_OTHER = 10
PLACEBOS = (0.25, 0.5, 0.75)  # quantiles of the times of a side
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
    ``LEAST_OTHER`` values differ from the commonest one. Raises ``InputError`` where the
    lengths differ.
    """
    when, value = np.asarray(times, np.float64), np.asarray(values, np.float64)
    if when.shape != value.shape or when.ndim != 1:
        raise InputError("Times and values are of different lengths; match them first.")
    after = when > cut
    for side in (when[~after], when[after]):
        if len(side) < LEAST or len(np.unique(side)) < LEAST_TIMES:
            return None
    if len(value) - np.unique(value, return_counts=True)[1].max() < LEAST_OTHER:
        return None
    since = (when - cut) / np.abs(when - cut).max()  # of about 1, so that nothing is lost
    parts = np.column_stack([~after, after, since * ~after, since * after]).astype(np.float64)
    level, covariance = _hc3(parts, value)
    fall = float(level[0] - level[1])
    error = float(np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]))
    freedom = len(when) - _PARTS
    half = error * float(special.stdtrit(freedom, (1 + confidence) / 2))
    p_value = float(special.stdtr(freedom, -fall / error)) if error else float(fall <= 0)
    counts = int((~after).sum()), int(after.sum())
    return Jump(cut, *counts, fall, fall - half, fall + half, p_value)


def _hc3(
    parts: NDArray[np.float64], value: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coefficients of least squares and their covariance."""
    inverse = np.linalg.inv(parts.T @ parts)
    coefficients = inverse @ parts.T @ value
    leverage = np.einsum("ij,jk,ik->i", parts, inverse, parts)
    scaled = parts * ((value - parts @ coefficients) / (1 - leverage))[:, None]
    return coefficients, inverse @ (scaled.T @ scaled) @ inverse


def placebo_jumps(times: ArrayLike, values: ArrayLike, cut: float) -> list[Jump]:
    """Falls at moments where none is expected: at ``PLACEBOS`` of either side, from that side's
    items alone. Where they are as large as that at the cut, it is not special."""
    when, value = np.asarray(times, np.float64), np.asarray(values, np.float64)
    jumps: list[Jump | None] = []
    for side in (when <= cut, when > cut):
        if not side.any():
            continue
        moments = np.quantile(when[side], PLACEBOS)
        jumps += [jump(when[side], value[side], float(moment)) for moment in moments]
    return [placebo for placebo in jumps if placebo is not None]
