"""Log-probability of a token, and mean and deviation of log p over the vocabulary at its place.

The vocabulary is gone through in slices, with sums that are shifted whenever a larger logit comes
(as in online softmax, Milakov and Gimelshein 2018), so that logits of all of it are never held:
100 places of a vocabulary of 250,000 would be 100 MB, and what is computed from them three times as
much.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dcq.errors import EndpointRefusedError
from dcq.models.scorers.likelihood import Numbers

Logits = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Distribution:
    """At each place the token's own log p, and mean and standard deviation of log p under p."""

    logprob: Numbers
    mean: Numbers
    spread: Numbers

    def split(self, ends: npt.NDArray[np.int64]) -> list[Distribution]:
        """Its parts: the places up to each of ``ends``, and the rest."""
        parts = (np.split(part, ends) for part in (self.logprob, self.mean, self.spread))
        return [Distribution(*part) for part in zip(*parts, strict=True)]

    @staticmethod
    def join(parts: Sequence[Distribution]) -> Distribution:
        """The opposite of ``split``."""
        return Distribution(
            np.concatenate([part.logprob for part in parts]),
            np.concatenate([part.mean for part in parts]),
            np.concatenate([part.spread for part in parts]),
        )


def summarise(slices: Iterable[Logits], targets: npt.NDArray[np.int64]) -> Distribution:
    """The distribution at each place from its logits, (places, so many tokens) a slice, in the
    order of the vocabulary; ``targets`` are the tokens that stand there.

    Raises ``EndpointRefusedError`` where the logits are not finite numbers.
    """
    count = len(targets)
    top = np.full(count, -np.inf)
    target_logits = np.full(count, np.nan)
    sums = np.zeros((3, count))  # of p, p·d and p·d², with d = logit − top, all but for one factor
    begin = 0
    for logits in slices:
        end = begin + logits.shape[1]
        here = np.flatnonzero((targets >= begin) & (targets < end))
        target_logits[here] = logits[here, targets[here] - begin]
        begin = end
        new = np.maximum(top, logits.max(axis=1))
        sums = _shift(sums, top, new)
        top = new
        distance = logits - top[:, None].astype(np.float32)
        p = np.exp(distance)
        sums[0] += p.sum(axis=1)
        p *= distance
        sums[1] += p.sum(axis=1)
        p *= distance
        sums[2] += p.sum(axis=1)
    log_total = np.log(sums[0])
    mean = sums[1] / sums[0]
    variance = np.maximum(sums[2] / sums[0] - mean**2, 0.0)
    distribution = Distribution(
        np.minimum(target_logits - top.astype(np.float32) - log_total, 0.0),
        np.minimum(mean - log_total, 0.0),
        np.sqrt(variance),
    )
    if not all(
        np.isfinite(part).all()
        for part in (distribution.logprob, distribution.mean, distribution.spread)
    ):
        raise EndpointRefusedError(
            "The model's output is not made of finite numbers; its file is damaged, so fetch it"
            " again or choose another."
        )
    return distribution


def _shift(sums: Numbers, old: Numbers, new: Numbers) -> Numbers:
    """The sums with distances from ``new`` instead of from ``old``."""
    by = np.where(np.isneginf(old), 0.0, old - new)
    zeroth, first, second = sums
    moved = np.stack([zeroth, first + by * zeroth, second + by * (2 * first + by * zeroth)])
    shifted: Numbers = np.exp(by) * moved
    return shifted
