"""Finds where a continuous function is zero.

Like ``scipy.optimize.brentq``, but without its package, which takes as long to load as a small
store takes to judge.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from dcq.errors import InputError
from dcq.evidence.arguments import check_number

_MOST = 200  # steps; halving alone takes 60 from 1 to the precision of a float
_TOLERANCE = 2e-12  # that of brentq


def find_root(function: Callable[[float], float], low: float, high: float) -> float:
    """The zero of ``function`` between ``low`` and ``high``, where it has opposite signs.

    By inverse quadratic interpolation where that is safe, else by halving (Chandrupatla 1997).
    Raises ``InputError`` where the signs are the same.
    """
    for end in (low, high):
        check_number(end, "An end")
    a, b, at_a, at_b = high, low, function(high), function(low)
    if at_a == 0 or at_b == 0:
        return low if at_b == 0 else high
    if (at_a > 0) == (at_b > 0):
        raise InputError("The function has the same sign at both ends; give others.")
    part, best = 0.5, a
    for _ in range(_MOST):
        at = a + part * (b - a)
        value = function(at)
        if (value > 0) == (at_a > 0):
            c, at_c = a, at_a
        else:
            c, b, at_c, at_b = b, a, at_b, at_a
        a, at_a = at, value
        best, least = (a, at_a) if abs(at_a) < abs(at_b) else (b, at_b)
        smallest = (2 * sys.float_info.epsilon * abs(best) + _TOLERANCE / 2) / abs(b - a)
        if smallest > 0.5 or least == 0:
            break
        xi, phi = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
        part = 0.5
        if phi**2 < xi and (1 - phi) ** 2 < 1 - xi:
            part = at_a / (at_b - at_a) * at_c / (at_b - at_c)
            part += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
        part = min(1 - smallest, max(smallest, part))
    return best
