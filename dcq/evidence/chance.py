"""Could guessing alone have done it? Exact one-sided binomial test against the chance level."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dcq.evidence.arguments import MOST, check_counts, check_number

if TYPE_CHECKING:  # as below: single answers need none of it
    import numpy as np
    from numpy.typing import NDArray


_MOST_TERMS = 10**7  # of a distribution that is written out


def chance_p_value(correct: int, n: int, chance: float = 0.25) -> float | None:
    """P(at least ``correct`` of ``n`` right) for a model that guesses; None if n is 0.

    Small values are evidence against guessing, not evidence of memory: a model may prefer the
    original's wording or slot without having seen it. Raises ``InputError`` on impossible counts.
    """
    check_counts(correct, n, chance)
    return _exact_tail(correct, n, chance) if n else None


def _exact_tail(correct: int, n: int, chance: float) -> float:
    """P(X ≥ correct) for X ~ Binomial(n, chance), by summing the shorter tail from its largest
    term. Without scipy, because importing it is slow."""
    if correct == 0:
        return 1.0
    upper = correct > n * chance
    k = correct if upper else correct - 1
    term = math.exp(
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(chance)
        + (n - k) * math.log1p(-chance)
    )
    odds = chance / (1 - chance)
    total = 0.0
    while term > total * 1e-17:
        total += term
        if upper:
            term *= (n - k) / (k + 1) * odds
            k += 1
        else:
            term *= k / ((n - k + 1) * odds)
            k -= 1
    return min(1.0, total if upper else 1.0 - total)


def binomial_tail(correct: float, n: float, chance: float) -> float:
    """P(X ≥ correct) for X ~ Binomial(n, chance), extended to real counts by the regularized
    incomplete beta function: ``correct`` and ``n`` may be effective sizes. 1 where nothing is
    correct. Raises ``InputError`` on impossible counts or chance levels."""
    from scipy import special

    check_number(n, "The number of answers", 0, MOST)
    check_number(correct, "The number of correct answers", -MOST, n * (1 + 1e-9))
    check_number(chance, "The chance level", 0, 1)
    if correct <= 0:
        return 1.0
    return float(special.betainc(correct, n - correct + 1, chance))


def binomial_pmf(n: int, chance: float) -> NDArray[np.float64]:
    """P(X = k) for k from 0 to ``n``, X ~ Binomial(n, chance), shape (n + 1,). Raises
    ``InputError`` on impossible numbers."""
    check_number(n, "The number of answers", 0, _MOST_TERMS)
    check_number(chance, "The chance level", 0, 1)
    import numpy as np
    from scipy import special

    k = np.arange(n + 1)
    log = special.xlogy(k, chance) + special.xlog1py(n - k, -chance)
    return np.asarray(np.exp(log - special.betaln(n - k + 1, k + 1)) / (n + 1))
