"""Where a function crosses zero, by Brent's method (1973, "Algorithms for Minimization without
Derivatives", chapter 4).

The same steps, and so the same digits, as ``scipy.optimize.brentq``, whose package takes longer to
import than a small store takes to judge.
"""

from __future__ import annotations

from collections.abc import Callable

_WIDTH = 2e-12  # to which the root is known, at most
_RELATIVE = 8.881784197001252e-16  # the same, as a share of the root
_MOST_STEPS = 100  # after them the best point known, where a function is all but flat at its root


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """A root of ``function`` between ``low`` and ``high``, at which its signs must differ.

    Raises ``ValueError`` where they do not.
    """
    before, now = low, high
    f_before, f_now = function(before), function(now)
    if f_before == 0:
        return before
    if f_now == 0:
        return now
    if (f_before < 0) == (f_now < 0):
        raise ValueError("The function has the same sign at both ends.")
    across, f_across, step, last = 0.0, 0.0, 0.0, 0.0
    for _ in range(_MOST_STEPS):
        if f_before != 0 and (f_before < 0) != (f_now < 0):
            across, f_across = before, f_before
            step = last = now - before
        if abs(f_across) < abs(f_now):
            before, now, across = now, across, now
            f_before, f_now, f_across = f_now, f_across, f_now
        width = (_WIDTH + _RELATIVE * abs(now)) / 2
        half = (across - now) / 2
        if f_now == 0 or abs(half) < width:
            return now
        step, last = _next_step(
            (before, now, across), (f_before, f_now, f_across), step, last, width
        )
        before, f_before = now, f_now
        now += step if abs(step) > width else (width if half > 0 else -width)
        f_now = function(now)
    return now


def _next_step(
    at: tuple[float, float, float],
    values: tuple[float, float, float],
    step: float,
    last: float,
    width: float,
) -> tuple[float, float]:
    """The next step from the best point known and the one to compare the step after it with:
    by interpolation where that shrinks the bracket fast enough, else half of the bracket."""
    (before, now, across), (f_before, f_now, f_across) = at, values
    half = (across - now) / 2
    if abs(last) <= width or abs(f_now) >= abs(f_before):
        return half, half
    if before == across:
        tried = -f_now * (now - before) / (f_now - f_before)
    else:
        slope, other = (f_before - f_now) / (before - now), (f_across - f_now) / (across - now)
        tried = -f_now * (f_across * other - f_before * slope)
        tried /= other * slope * (f_across - f_before)
    if 2 * abs(tried) < min(abs(last), 3 * abs(half) - width):
        return tried, step
    return half, half
