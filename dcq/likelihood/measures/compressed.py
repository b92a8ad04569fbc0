"""The zlib ratio: a text's likelihood against how well it compresses."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from dcq.likelihood.measures.scored import LikelihoodMeasure


def zlib_ratio(logprobs: NDArray[np.float64], text: str) -> float:
    """Mean log-probability of a token / bytes of the text in UTF-8 after zlib, at most 0.

    Carlini et al. 2021 (§5.2) divide the logarithm of the perplexity by the zlib entropy and look
    for low values. This is minus that, so that higher is likelier seen, as the codes of Min-K %
    Prob, Min-K%++ and ReCaLL have it; zlib's default level, as there.
    """
    return float(logprobs.mean()) / len(zlib.compress(text.encode("utf-8", "surrogatepass")))


ZLIB = LikelihoodMeasure(
    "zlib",
    "zlib ratio",
    "Carlini et al. 2021, §5.2",
    "The mean log-probability per byte of the compressed text: a text that repeats itself is "
    "likely without having been seen.",
    lambda scored: zlib_ratio(scored.alone.logprobs, scored.text),
)
