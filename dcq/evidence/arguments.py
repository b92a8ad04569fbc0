"""The arguments that every estimator starts from, checked in one place.

A statistic of impossible numbers is a number too, and looks like any other. So a function that
takes numbers from elsewhere reads them through here, and gives a value, None, or an ``InputError``.
numpy is loaded where it is first needed: single counts need none of it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dcq.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

LARGEST = 1e100  # of any number that is squared: beyond it squares and sums of them overflow
MOST = 10**9  # answers, resamples, or whatever else is counted
_ROUNDING = 1e-9  # by which a computed share or p-value may miss 0 or 1


def check_number(
    value: float, name: str, low: float = -LARGEST, high: float = LARGEST, *, below: bool = False
) -> None:
    """Raise ``InputError`` unless ``value`` is a number from ``low`` to ``high``, or ``below``
    it."""
    if not (low <= value < high if below else low <= value <= high):
        end = "below " if below else ""
        shown = f"{value:g}" if abs(value) <= LARGEST or not abs(value) < math.inf else "too large"
        raise InputError(f"{name} is {shown}; give a number from {low:g} to {end}{high:g}.")


def check_confidence(confidence: float) -> None:
    """Raise ``InputError`` unless ``confidence`` is between 0 and 1, and not so near to either that
    an interval has no width or no end."""
    check_level(confidence, "A confidence", "0.95", 1e-6)


def check_level(
    value: float, name: str = "A level", usual: str = "0.05", nearest: float = 1e-15
) -> None:
    """Raise ``InputError`` unless ``value`` is between 0 and 1, at least ``nearest`` from both;
    ``usual`` is a value that the message names."""
    if not nearest <= value <= 1 - nearest:
        raise InputError(
            f"{name} of {value:g} is impossible; give one between 0 and 1, such as {usual}."
        )


def check_counts(correct: int, n: int, chance: float = 0.25) -> None:
    """Raise ``InputError`` unless 0 ≤ correct ≤ n and 0 < chance < 1."""
    if n < 0:
        raise InputError(f"The number of answers is {n}; give zero or more.")
    check_number(n, "The number of answers", 0, MOST)
    if not 0 <= correct <= n:
        raise InputError(
            f"{correct} correct answers out of {n} is impossible; give a number from 0 to {n}."
        )
    check_chance(chance)


def check_chance(chance: float) -> None:
    """Raise ``InputError`` unless ``chance`` is between 0 and 1, and told from both."""
    if not _ROUNDING <= chance <= 1 - _ROUNDING:
        raise InputError(
            f"A chance level of {chance} is impossible; give one between 0 and 1, "
            "such as 0.25 for four options."
        )


def read_numbers(
    values: ArrayLike,
    name: str,
    low: float = -LARGEST,
    high: float = LARGEST,
    *,
    axes: int | None = 1,
    gaps: bool = False,
) -> NDArray[np.float64]:
    """``values`` as an array of so many ``axes`` (None: any), from ``low`` to ``high``; NaN only
    where there may be ``gaps``. What misses a limit by rounding is set to it. Raises ``InputError``
    for anything else; ``name`` is a noun in the plural."""
    import numpy as np

    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise _no_numbers(name, low, high, axes, gaps=gaps) from None
    if axes is not None and numbers.ndim != axes:
        raise _no_numbers(name, low, high, axes, gaps=gaps)
    if not numbers.size:
        return numbers
    smallest, largest = (np.fmin, np.fmax) if gaps else (np.minimum, np.maximum)
    least, most = smallest.reduce(numbers, axis=None), largest.reduce(numbers, axis=None)
    if (least >= low and most <= high) or (gaps and np.isnan(least)):
        return numbers
    if not (least >= low - _ROUNDING and most <= high + _ROUNDING):
        raise _no_numbers(name, low, high, axes, gaps=gaps)
    return np.clip(numbers, low, high)


def _no_numbers(name: str, low: float, high: float, axes: int | None, *, gaps: bool) -> InputError:
    kind = "a list of numbers" if axes == 1 else "a table of numbers"
    limits = f" from {low:g} to {high:g}" if low > -LARGEST and high < LARGEST else ""
    missing = "" if gaps else ", and none may be missing"
    return InputError(f"{name} must be {kind}{limits}{missing}.")


def read_flags(values: ArrayLike, name: str) -> NDArray[np.bool_]:
    """``values`` as a list of yes and no. Raises ``InputError`` for what is neither, such as
    NaN."""
    import numpy as np

    numbers = read_numbers(values, name, 0, 1)
    if not bool(np.isin(numbers, (0, 1)).all()):
        raise InputError(f"{name} must be yes or no, given as 1 or 0.")
    return numbers > 0


def random_numbers(seed: int) -> np.random.Generator:
    """A generator that gives the same numbers for the same ``seed``. Raises ``InputError`` for a
    negative one."""
    import numpy as np

    if seed < 0:
        raise InputError(f"A seed is a whole number from 0 on, not {seed}.")
    return np.random.default_rng(seed)
