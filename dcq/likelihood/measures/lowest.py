"""Min-K % Prob and Min-K%++: the tokens that a model finds least likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dcq.likelihood.measures.scored import LikelihoodMeasure, Scored

K = 0.2  # the share of tokens that both papers settle on


def min_k_prob(logprobs: NDArray[np.float64], k: float = K) -> float:
    """The mean of the lowest ``k`` of a text's token log-probabilities, at most 0.

    Min-K % Prob (Shi et al. 2023, §3): an unseen text has some very unlikely tokens, a seen one has
    none. Their code takes ⌊k·T⌋ of T tokens; that at least one is taken is ours, because theirs has
    no value for texts below five tokens. Higher is likelier seen; their code prints minus this.
    """
    return _lowest(logprobs, k)


def min_k_plus_plus(
    logprobs: NDArray[np.float64],
    means: NDArray[np.float64],
    spreads: NDArray[np.float64],
    k: float = K,
) -> float:
    """The mean of the lowest ``k`` of (log p(xₜ) − μₜ)/σₜ.

    Min-K%++ (Zhang et al. 2024): μₜ is the mean of log p(z) over the vocabulary, weighed by p(z),
    and σₜ its standard deviation: is a token likely for its place? As many tokens as in
    ``min_k_prob``. Where σₜ is 0 no token is likelier than another, and the value 0 is ours.
    Higher is likelier seen.
    """
    away = logprobs - means
    scaled = np.divide(away, spreads, out=np.zeros_like(away), where=spreads > 0)
    return _lowest(scaled, k)


def _lowest(values: NDArray[np.float64], k: float) -> float:
    return float(np.sort(values)[: max(1, int(len(values) * k))].mean())


def _plus_plus_of(scored: Scored) -> float | None:
    likelihood = scored.alone
    if likelihood.means is None or likelihood.spreads is None:
        return None
    return min_k_plus_plus(likelihood.logprobs, likelihood.means, likelihood.spreads)


MIN_K = LikelihoodMeasure(
    "mink",
    "Min-K % Prob",
    "Shi et al. 2023, §3",
    f"The mean log-probability of the {K:.0%} least likely tokens.".replace("%", " %"),
    lambda scored: min_k_prob(scored.alone.logprobs),
)
MIN_K_PLUS_PLUS = LikelihoodMeasure(
    "minkpp",
    "Min-K%++",
    "Zhang et al. 2024",
    "As Min-K % Prob, each token measured against all others that could stand in its place; only a "
    "model that gives its whole vocabulary has it.",
    _plus_plus_of,
)
