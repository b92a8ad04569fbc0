"""ConStat: inflation as Dekoninck, Müller and Vechev estimate it (arXiv:2405.16281, section 3).

A smoothing spline through the reference models' accuracies says what accuracy on originals goes
with one on rewordings; the model's own accuracy above it is δ. Answers to originals and to
rewordings are resampled apart, so which of them belong together is not used.

The paper leaves open what the authors' code settles, and the code is followed here
(github.com/eth-sri/ConStat, ``src/constat/detection.py``): both lists of accuracies are sorted
before the fit, a model that guesses is added to them with binomial noise, references are resampled
where there are more than five and never fewer than five different ones, and λ minimises generalised
cross-validation between 0 and the number of points (there by Brent's method, here by golden
section; where that has several minima, one in twenty-five, the two may find another). The code also
gives the ends (0, 0) and (1, 1) a weight of 1e-8; that moves the curve by less than 1e-8, and is
left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import MOST, check_number, random_numbers, read_numbers

Values = NDArray[np.float64]

LEAST_REFERENCES = 5
SAMPLES = 1000
_BLOCK = 250  # resamples at a time
_TRIES = 50  # blocks
_GOLDEN = (math.sqrt(5) - 1) / 2
_SECTIONS = 34  # to a ten millionth of where they began


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
    differ in number, and for an answer that is missing or not from 0 to 1."""
    first, second = (
        read_numbers(answers, "Answers", 0, 1, axes=None) for answers in (original, reworded)
    )
    check_number(chance, "The chance level", 0, 1)
    check_number(samples, "The number of resamples", 1, MOST)
    rng = random_numbers(seed)
    if first.ndim != 2 or second.ndim != 2 or len(first) != len(second):
        raise InputError("Originals and rewordings need a row for each of the same models.")
    references = len(first) - 1
    if references < LEAST_REFERENCES or not (first.shape[1] and second.shape[1]):
        return None
    blocks: list[Values] = []
    for _ in range(_TRIES):
        missing = samples - sum(map(len, blocks))
        blocks.append(_resampled(first, second, chance, min(missing, _BLOCK), rng))
        if sum(map(len, blocks)) >= samples:
            break
    deltas = np.concatenate(blocks)
    if len(deltas) < samples:
        return None
    mean = float(deltas.mean())
    return ConStat(
        delta=mean,
        low=float(2 * mean - np.quantile(deltas, 0.95)),  # the basic bootstrap
        p_value=float((2 * mean < deltas).mean()),
    )


def _resampled(
    first: Values, second: Values, chance: float, samples: int, rng: np.random.Generator
) -> Values:
    """δ in at most so many resamples: without those in which fewer than five accuracies differ."""
    models = _models(len(first) - 1, samples, rng)
    points, target_means = [], []
    for table in (first, second):
        n = table.shape[1]
        means = rng.multinomial(n, np.full(n, 1 / n), size=samples) @ table.T / n
        guess = chance + rng.normal(0, math.sqrt(chance * (1 - chance) / n), (samples, 1))
        chosen = np.take_along_axis(means, models, axis=1)
        points.append(np.sort(np.hstack([chosen, guess]), axis=1))
        target_means.append(means[:, 0])
    y, x = points
    last = np.hstack([np.diff(x) > 0, np.ones((samples, 1), np.bool_)])  # of equal ones the last
    counts = last.sum(axis=1)
    deltas = []
    for n in np.unique(counts[counts >= LEAST_REFERENCES]):
        here = counts == n
        shape = (int(here.sum()), int(n))
        mask = last[here]
        at, value = x[here][mask].reshape(shape), y[here][mask].reshape(shape)
        expected = spline_at(at, value, target_means[1][here])
        deltas.append(target_means[0][here] - np.clip(expected, 0, 1))
    return np.concatenate(deltas) if deltas else np.empty(0)


def _models(references: int, samples: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Rows of the references that count in each resample, of shape (samples, references)."""
    all_rows = np.tile(np.arange(1, references + 1), (samples, 1))
    if references == LEAST_REFERENCES:
        return all_rows
    drawn = rng.integers(1, references + 1, all_rows.shape)
    while True:
        different = 1 + (np.diff(np.sort(drawn, axis=1)) > 0).sum(axis=1)
        few = different < LEAST_REFERENCES
        if not few.any():
            return np.asarray(drawn)
        drawn[few] = rng.integers(1, references + 1, (int(few.sum()), references))


def spline_at(x: Values, y: Values, where: Values) -> Values:
    """Values at ``where``, of shape (curves,), of the smoothing splines through points with rising
    ``x``, of shape (curves, points): natural and cubic, straight beyond the outermost points.
    Raises ``InputError`` for other points, and where they are too close together."""
    x, y = read_numbers(x, "Points", axes=2), read_numbers(y, "Points", axes=2)
    where, steps = read_numbers(where, "Points"), np.diff(x)
    if x.shape != y.shape or len(where) != len(x) or x.shape[1] < 3 or (steps <= 0).any():
        raise InputError("A curve needs three points or more, from left to right, and a place.")
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            return _spline_at(x, y, where)
    except (np.linalg.LinAlgError, FloatingPointError):
        raise InputError("The points of a curve are too close together; leave some out.") from None


def _spline_at(x: Values, y: Values, where: Values) -> Values:
    (curves, n), steps = x.shape, np.diff(x)
    second = np.zeros((curves, n, n - 2))  # divided second differences, and the Gram matrix of
    gram = np.zeros((curves, n - 2, n - 2))  # their hats
    for j in range(n - 2):
        left, right = steps[:, j], steps[:, j + 1]
        second[:, j, j], second[:, j + 2, j] = 1 / left, 1 / right
        second[:, j + 1, j] = -1 / left - 1 / right
        gram[:, j, j] = (left + right) / 3
        if j:
            gram[:, j, j - 1] = gram[:, j - 1, j] = left / 6
    turned = second.transpose(0, 2, 1)
    values, vectors = np.linalg.eigh(second @ np.linalg.solve(gram, turned))
    values, parts = np.maximum(values, 0.0), (vectors.transpose(0, 2, 1) @ y[:, :, None])[:, :, 0]
    shrunk = parts / (1 + _gcv(values, parts)[:, None] * values)
    fitted = (vectors @ shrunk[:, :, None])[:, :, 0]
    bend = np.zeros_like(x)  # second derivatives at the points, 0 at both ends
    bend[:, 1:-1] = np.linalg.solve(gram, turned @ fitted[:, :, None])[:, :, 0]
    return _natural(x, fitted, bend, where)


def _natural(x: Values, fitted: Values, bend: Values, where: Values) -> Values:
    """A cubic between two points from its values and second derivatives at them."""
    row, inside = np.arange(len(x)), np.clip(where, x[:, 0], x[:, -1])
    at = np.clip((x <= inside[:, None]).sum(axis=1) - 1, 0, x.shape[1] - 2)
    step = x[row, at + 1] - x[row, at]
    b = (inside - x[row, at]) / step
    a = 1 - b
    f, g, u, v = fitted[row, at], fitted[row, at + 1], bend[row, at], bend[row, at + 1]
    value = a * f + b * g + ((a**3 - a) * u + (b**3 - b) * v) * step**2 / 6
    slope = (g - f) / step + ((1 - 3 * a**2) * u + (3 * b**2 - 1) * v) * step / 6
    return np.asarray(value + slope * (where - inside))


def _gcv(values: Values, parts: Values) -> Values:
    """The λ of each curve that minimises generalised cross-validation (Wahba 1990), by golden
    section: a fit shrinks the ``parts`` of y along the penalty's eigenvectors by 1/(1 + λd), with
    their eigenvalues d."""

    def score(penalty: Values) -> Values:
        left = penalty[:, None] * values / (1 + penalty[:, None] * values)
        return np.asarray(((left * parts) ** 2).sum(axis=1) / left.mean(axis=1) ** 2)

    low, high = np.zeros(len(values)), np.full(len(values), float(values.shape[1]))
    for _ in range(_SECTIONS):
        inner, outer = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        falls = score(inner) > score(outer)
        low, high = np.where(falls, inner, low), np.where(falls, high, outer)
    return np.asarray((low + high) / 2)
