"""The effect that a target of n instances can show against its controls, and the n it needs.

A target with κ is one whose instances are known with probability κ, and otherwise answered like
those of an unseen partition. The power is averaged over the scores that an unseen partition may
have: assuming the expected one would overstate it if partitions differ.
"""

from __future__ import annotations

import math
from functools import lru_cache

from dcq.evidence.power import ALPHA, ENOUGH_POWER, POWER
from dcq.evidence.prediction import Prediction
from dcq.evidence.root import find_root

_ALMOST_ALL = 0.999  # κ of 1 leaves a score no variance to divide by
_MOST_N = 100_000  # instances; no sample is larger


def power(
    prediction: Prediction, kappa: float, n: float, *, own_share: float = 0.0, alpha: float = ALPHA
) -> float:
    """P(a target with ``kappa``, 0 to below 1, and ``n`` instances has a p-value of ``alpha``).

    With ``own_share`` (protocol v2) scores are shares minus the model's own choices of the slot
    without the original, and 0 stands for that share.
    """
    return prediction.share_above(prediction.critical(n, alpha), kappa, n, own_share)


# Targets with the same controls have the same prediction, and often the same size.
@lru_cache(maxsize=1024)
def minimum_kappa(prediction: Prediction, n: float, *, own_share: float = 0.0) -> float | None:
    """The smallest κ that ``n`` instances find with a power of 80 %; None where they find none."""
    critical = prediction.critical(n, ALPHA)

    def short(kappa: float) -> float:
        return prediction.share_above(critical, kappa, n, own_share) - POWER

    if short(_ALMOST_ALL) < 0:
        return None
    return find_root(short, 0.0, _ALMOST_ALL)


@lru_cache(maxsize=256)
def needed_n(prediction: Prediction, *, own_share: float = 0.0) -> int | None:
    """Instances of the target that find κ = 0.2 with a power of 80 %, roughly where scores are
    counts, whose power rises in steps.

    None where no number does, because unseen partitions differ too much or are known too little,
    or only one above 100,000.
    """

    def short(log_n: float) -> float:
        n = math.exp(log_n)
        return power(prediction, ENOUGH_POWER, n, own_share=own_share) - POWER

    most = math.log(_MOST_N)
    if short(most) < 0:
        return None
    # A single instance never does: its own variance leaves a power of at most 0.69.
    return math.ceil(math.exp(find_root(short, 0.0, most)))
