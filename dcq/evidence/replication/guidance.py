"""Algorithm 1 of Time Travel in LLMs: do completions overlap more with the reference once the model
is told dataset and split?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dcq.errors import InputError
from dcq.evidence.arguments import MOST, check_number, random_numbers, read_numbers
from dcq.evidence.bootstrap import FEWEST, resampled_means
from dcq.evidence.power import ALPHA

SAMPLES = 10_000  # resamples of the paper (Appendix E)
_TIE = 1e-6  # of a mean difference; rounding of sums must not decide a tie


@dataclass(frozen=True)
class Guidance:
    """Mean scores of ``n`` instances under the general and the guided instruction.

    ``difference`` is guided minus general, with percentile limits at 95 %, None below ten
    instances. ``p_value`` is one-sided: 1 − the share of resamples in which guided beats general,
    ties counted against it. Means are None for n = 0, the p-value for n < 2.
    """

    n: int
    general: float | None
    guided: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None

    @property
    def contaminated(self) -> bool:
        """The paper's rule: p ≤ 0.05."""
        return self.p_value is not None and self.p_value <= ALPHA


def compare_instructions(
    general: ArrayLike, guided: ArrayLike, *, samples: int = SAMPLES, seed: int = 0
) -> Guidance:
    """Paired bootstrap over instances of two lists of scores, both of shape (n,).

    An instance without one of its scores (NaN) is left out. The same ``seed`` gives the same
    p-value. Raises ``InputError`` where the lengths differ.
    """
    check_number(samples, "The number of resamples", 1, MOST)
    rng = random_numbers(seed)
    without, guided_scores = (
        read_numbers(scores, "Scores", -math.inf, math.inf, axes=None, gaps=True)
        for scores in (general, guided)
    )
    if without.shape != guided_scores.shape or without.ndim != 1:
        raise InputError(
            "The guided and the general scores differ in number; compare the instances that have "
            "both."
        )
    complete = np.isfinite(without) & np.isfinite(guided_scores)
    without, guided_scores = (
        read_numbers(scores[complete], "Scores") for scores in (without, guided_scores)
    )
    n = len(guided_scores)
    if n == 0:
        return Guidance(0, None, None, None, None, None, None)
    gaps = guided_scores - without
    low = high = p = None
    if n > 1:
        # Scores have a few decimals: equal differences that differ by rounding alone are one.
        means = resampled_means(gaps.round(12), samples, rng)
        p = 1 - float((means > _TIE).mean())
        if n >= FEWEST:
            low, high = (float(limit) for limit in np.quantile(means, [0.025, 0.975]))
    return Guidance(
        n, float(without.mean()), float(guided_scores.mean()), float(gaps.mean()), low, high, p
    )
