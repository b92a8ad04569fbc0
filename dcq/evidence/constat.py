"""ConStat: inflation as Dekoninck, Müller and Vechev estimate it (arXiv:2405.16281, section 3).

A smoothing spline through the reference models' accuracies says what accuracy on originals goes
with one on rewordings; the model's own accuracy above it is δ. Answers to originals and to
rewordings are resampled apart, so which of them belong together is not used.

The paper leaves open what the authors' code settles, and the code is followed here
(github.com/eth-sri/ConStat, ``src/constat/detection.py``): both lists of accuracies are sorted
before the fit, a model that guesses is added to them with binomial noise, references are resampled
where there are more than five and never fewer than five different ones, λ minimises generalised
cross-validation between 0 and the number of points. The code also gives the ends (0, 0) and (1, 1)
a weight of 1e-8; that moves the curve by less than 1e-8, and is left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import interpolate, optimize

from dcq.errors import InputError

Values = NDArray[np.float64]

LEAST_REFERENCES = 5
SAMPLES = 1000
_TRIES = 50


@dataclass(frozen=True)
class ConStat:
    """``delta``: accuracy on originals above the expected one. ``low``: its one-sided 95 % limit.
    ``p_value`` of δ ≤ 0, in steps of one over the resamples."""

    delta: float
    low: float
    p_value: float


def constat(
    original: ArrayLike,
    reworded: ArrayLike,
    *,
    chance: float = 0.0,
    samples: int = SAMPLES,
    seed: int = 0,
) -> ConStat | None:
    """Answers of shape (models, instances), the model in question in row 0 and the references below
    it; originals and rewordings may differ in number. None for fewer than five references, or where
    too many of them have the same accuracy for a curve. Raises ``InputError`` where the models
    differ in number."""
    first, second = np.asarray(original, np.float64), np.asarray(reworded, np.float64)
    if first.ndim != 2 or second.ndim != 2 or len(first) != len(second):
        raise InputError("Originals and rewordings need a row for each of the same models.")
    references = len(first) - 1
    if references < LEAST_REFERENCES or not (first.shape[1] and second.shape[1]):
        return None
    rng = np.random.default_rng(seed)
    deltas = np.empty(samples)
    for index in range(samples):
        delta = _resampled(first, second, chance, rng)
        if delta is None:
            return None
        deltas[index] = delta
    mean = float(deltas.mean())
    ordered = np.sort(2 * mean - deltas)  # the basic bootstrap
    return ConStat(
        delta=mean,
        low=float(2 * mean - np.quantile(deltas, 0.95)),
        p_value=float((ordered < 0).mean()),
    )


def _resampled(
    first: Values, second: Values, chance: float, rng: np.random.Generator
) -> float | None:
    for _ in range(_TRIES):
        here = [rng.integers(0, table.shape[1], table.shape[1]) for table in (first, second)]
        models = _models(len(first) - 1, rng)
        means: list[Values] = [
            np.asarray(table[:, drawn].mean(axis=1))
            for table, drawn in zip((first, second), here, strict=True)
        ]
        points = []
        for mean, table in zip(means, (first, second), strict=True):
            noise = rng.normal(0, math.sqrt(chance * (1 - chance) / table.shape[1]))
            points.append(np.sort(np.append(mean[models], chance + noise)))
        y, x = points
        last = np.append(np.diff(x) > 0, True)  # of equal accuracies the last counts
        if last.sum() >= LEAST_REFERENCES:
            expected = spline_at(x[last], y[last], float(means[1][0]))
            return float(means[0][0]) - min(max(expected, 0.0), 1.0)
    return None


def _models(references: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Rows of the references that count in one resample."""
    if references == LEAST_REFERENCES:
        return np.arange(1, references + 1)
    while True:
        drawn = rng.integers(1, references + 1, references)
        if len(np.unique(drawn)) >= LEAST_REFERENCES:
            return drawn


def spline_at(x: Values, y: Values, where: float) -> float:
    """The value at ``where`` of the smoothing spline through points with rising ``x``: natural and
    cubic, straight beyond the outermost points."""
    n, steps = len(x), np.diff(x)
    second = np.zeros((n, n - 2))  # divided second differences, and the Gram matrix of their hats
    gram = np.zeros((n - 2, n - 2))
    for j in range(n - 2):
        second[j : j + 3, j] = 1 / steps[j], -1 / steps[j] - 1 / steps[j + 1], 1 / steps[j + 1]
        gram[j, j] = (steps[j] + steps[j + 1]) / 3
        if j:
            gram[j, j - 1] = gram[j - 1, j] = steps[j] / 6
    values, vectors = np.linalg.eigh(second @ np.linalg.solve(gram, second.T))
    values, parts = np.maximum(values, 0.0), vectors.T @ y
    fitted = vectors @ (parts / (1 + _gcv(values, parts) * values))
    curve = interpolate.CubicSpline(x, fitted, bc_type="natural")
    inside = min(max(where, float(x[0])), float(x[-1]))
    return float(curve(inside)) + (where - inside) * float(curve(inside, 1))


def _gcv(values: Values, parts: Values) -> float:
    """The λ that minimises generalised cross-validation (Wahba 1990): a fit shrinks the ``parts``
    of y along the penalty's eigenvectors by 1/(1 + λd), with their eigenvalues d."""
    n = len(values)

    def score(penalty: float) -> float:
        left = penalty * values / (1 + penalty * values)
        return float(((left * parts) ** 2).sum() / n / float(left.mean()) ** 2)

    return float(optimize.minimize_scalar(score, bounds=(0, n), method="bounded").x)
