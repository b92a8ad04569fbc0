"""ReCaLL and CoDeC: the effect of a context on the likelihood of a text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dcq.likelihood.measures.scored import LikelihoodMeasure, Scored, ScoringContext

SKIPPED_FIRST, SKIPPED_LAST = 10, 1  # tokens that the authors of CoDeC leave out


def recall(alone: NDArray[np.float64], after: NDArray[np.float64]) -> float | None:
    """LL(x | P)/LL(x): the mean log-probability of a text's tokens ``after`` a prefix P of texts
    that the model has not seen, over that ``alone``.

    ReCaLL (Xie et al. 2024). Both are negative, and a prefix of unseen texts takes more from a text
    that was seen, so higher is likelier seen. None where the text alone is certain (LL = 0), which
    leaves no ratio.
    """
    mean_alone = float(alone.mean())
    return float(after.mean()) / mean_alone if mean_alone else None


def codec(alone: NDArray[np.float64], after: NDArray[np.float64]) -> float | None:
    """The mean log-probability ``alone`` minus that ``after`` another instance of the same data.

    CoDeC (Zawalski et al. 2025): such a context helps with a data set that the model does not know
    and disturbs what it has memorised, so above 0 is contaminated, and higher is likelier seen.
    As in the authors' code the first ten tokens and the last are left out, and a text has no value
    (None) where nothing is left. Where a text has one token fewer alone, the same last tokens are
    compared.
    """
    size = min(len(alone), len(after))
    if size <= SKIPPED_FIRST + SKIPPED_LAST:
        return None
    span = slice(SKIPPED_FIRST, size - SKIPPED_LAST)
    return float(alone[-size:][span].mean() - after[-size:][span].mean())


def _after(scored: Scored, context: ScoringContext) -> NDArray[np.float64] | None:
    likelihood = scored.by_context.get(context)
    return None if likelihood is None else likelihood.logprobs


def _recall_of(scored: Scored) -> float | None:
    after = _after(scored, ScoringContext.PREFIX)
    return None if after is None else recall(scored.alone.logprobs, after)


def _codec_of(scored: Scored) -> float | None:
    after = _after(scored, ScoringContext.NEIGHBOUR)
    return None if after is None else codec(scored.alone.logprobs, after)


RECALL = LikelihoodMeasure(
    "recall",
    "ReCaLL",
    "Xie et al. 2024",
    "How much a prefix of texts that no model has seen takes from the text's likelihood, as a "
    "ratio.",
    _recall_of,
    ScoringContext.PREFIX,
)
CODEC = LikelihoodMeasure(
    "codec",
    "CoDeC",
    "Zawalski et al. 2025",
    "What another instance of the same data before the text takes from its likelihood, in nats a "
    "token. It speaks of a data set, whichever of its splits was seen.",
    _codec_of,
    ScoringContext.NEIGHBOUR,
)
