"""The mean log-probability of a token."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dcq.likelihood.measures.scored import LikelihoodMeasure


def mean_log_probability(logprobs: NDArray[np.float64]) -> float:
    """(1/T) Σ log p(xₜ | x₁…xₜ₋₁) over the T tokens of a text, at most 0.

    It is minus the loss (Yeom et al. 2018), and minus the logarithm of the perplexity.
    Higher, so nearer to 0, is likelier seen.
    """
    return float(logprobs.mean())


MEAN = LikelihoodMeasure(
    "mean",
    "Mean log-probability",
    "Yeom et al. 2018",
    "How likely the model finds a token of the text on average, in nats; nearer to 0 is likelier "
    "seen.",
    lambda scored: mean_log_probability(scored.alone.logprobs),
)
