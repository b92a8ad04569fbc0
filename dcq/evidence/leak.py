"""Whether the original can be found without any memory, by text-only strategies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

import scipy  # its parts are loaded where they are first used

from dcq.evidence.arguments import MOST, check_counts, check_level, check_number
from dcq.evidence.family import holm
from dcq.evidence.kappa import Kappa, unscale
from dcq.evidence.power import POWER, critical_counts

WORTH_NAMING = 0.1  # a κ below it explains too little of a score to call a quiz leaky
CHANCE = 0.25  # of finding the original among four options


def leaks(text_only: Mapping[str, Kappa], *, alpha: float = 0.05) -> tuple[str, ...]:
    """Names of the strategies that solve the quiz: κ at least 0.1 and above chance after Holm.

    ``text_only`` maps a strategy's name to its score, computed as for a model.
    """
    check_level(alpha)
    adjusted = holm([kappa.p_value for kappa in text_only.values()])
    return tuple(
        name
        for (name, kappa), p in zip(text_only.items(), adjusted, strict=True)
        if p is not None
        and p <= alpha
        and kappa.kappa_fixed is not None
        and kappa.kappa_fixed >= WORTH_NAMING
    )


@lru_cache(maxsize=256)
def smallest_leak(
    n: int, strategies: int, chance: float = CHANCE, *, alpha: float = 0.05
) -> float | None:
    """The share of originals that a strategy must truly find for ``leaks`` to name it with a power
    of 80 %, by the strictest of Holm's limits for so many ``strategies``; guessing finds
    ``chance``. None if ``n`` instances could not name any."""
    check_counts(0, n, chance)
    check_number(strategies, "The number of strategies", 0, MOST)
    check_level(alpha)
    if not n or not strategies:
        return None
    least = int(critical_counts(n, chance, alpha / strategies))
    least = max(least, math.ceil(round(unscale(WORTH_NAMING, chance) * n, 9)))
    return None if least > n else float(scipy.special.betaincinv(least, n - least + 1, POWER))


def strategy_words(name: str) -> str:
    """A text-only strategy in words: ``always the most central``."""
    words = {"medoid": "most central", "frequent": "commonest wording"}
    return f"always the {words.get(name, name)}"
