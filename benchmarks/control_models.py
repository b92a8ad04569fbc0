"""The two rules that answers of invented models (``dcq.invented``) are given to."""

from __future__ import annotations

import numpy as np

from dcq.evidence.controls import expect, noise_of, slot_weights
from dcq.evidence.prediction import NormalPrediction
from dcq.invented import SLOTS, WITHIN, WORDING, Array, chances, offsets, slope

N = 33
_OLD_SPREADS = np.linspace(0.0025, 0.25, 100)


def right_chances(
    rng: np.random.Generator, model: int, shares: Array, spread: float, *, shift: float = 0.0
) -> Array:
    """P(right) of each call (partitions, instances, slots), where scores of partitions have a
    deviation of ``spread`` and a mean that is higher by ``shift``; 1 for an instance that is known.
    """
    size, per_point = len(shares), 1 / slope(offsets(SLOTS[model]))
    partition_effects = (shift + spread * rng.normal(size=(size, 1))) * per_point
    probabilities = chances(
        SLOTS[model], WORDING + partition_effects + WITHIN * rng.normal(size=(size, N))
    )
    return np.maximum(probabilities, (rng.random((size, N)) < shares[:, None])[:, :, None])


def answers(
    rng: np.random.Generator, model: int, shares: Array, spread: float, *, shift: float = 0.0
) -> Array:
    """Right calls (partitions, instances, slots); ``shares`` has one a partition."""
    probabilities = right_chances(rng, model, shares, spread, shift=shift)
    return (rng.random(probabilities.shape) < probabilities).astype(np.float64)


def new_rule(targets: Array, controls: Array) -> list[float]:
    """P-values of the ``targets`` by the rule of dcq.evidence.controls."""
    expected = expect(list(controls))
    assert expected is not None
    scores = (targets @ expected.weights).mean(axis=1)
    return [expected.prediction.p_value(float(score), targets.shape[1]) for score in scores]


def old_rule(targets: Array, controls: Array) -> list[float]:
    """The peer, as it was: everything normal, the prior on spreads with median .06 and a width of
    .7. No control is set aside here, as none of these was."""
    weights = slot_weights(list(controls))
    parts = [table @ weights for table in controls]
    scores, n = np.array([part.mean() for part in parts]), np.array([float(len(p)) for p in parts])
    noise = noise_of(parts)
    precision = 1 / (_OLD_SPREADS[:, None] ** 2 + noise / n)
    total = precision.sum(axis=1)
    mean = precision @ scores / total
    misfit = (precision * (scores - mean[:, None]) ** 2).sum(axis=1)
    log = (np.log(precision).sum(axis=1) - np.log(total) - misfit) / 2
    log -= (np.log(_OLD_SPREADS / 0.06) / 0.7) ** 2 / 2 + np.log(_OLD_SPREADS)
    weight = np.exp(log - log.max())
    before = NormalPrediction(mean, _OLD_SPREADS**2 + 1 / total, weight / weight.sum(), noise)
    size = targets.shape[1]
    return [before.p_value(float(score), size) for score in (targets @ weights).mean(axis=1)]
