"""Is a model's score inflated? Its drop from originals to rewordings, above what clean models lose.

A gap is what one model has on one instance: its answer to the original minus that to the rewording,
each 1 for right and 0 for wrong, or a fraction for the mean of repeated answers. A drop is the mean
of gaps. All models are compared on the same instances, so what makes a rewording hard for everyone
cancels out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dcq.errors import InputError
from dcq.evidence.arguments import (
    MOST,
    check_confidence,
    check_number,
    random_numbers,
    read_flags,
    read_numbers,
)
from dcq.evidence.compare import compare_paired
from dcq.evidence.interval import mean_interval, variance_of_mean

Values = NDArray[np.float64]

LEAST_REFERENCES = 3  # below it no expectation
HEADLINE_REFERENCES = 5  # from it on, one reference alone no longer carries the result
LEAST_INSTANCES = 30  # ours: below it no interval of a mean of gaps is to be trusted
APART = 0.2  # ours: farthest that a reference's level may be from the target's
ABOVE_GUESSING = 0.2  # ours: least share of the way from guessing to all right
POWER = 0.8
ALPHA = 0.05  # one-sided
STRATA = 5


@dataclass(frozen=True)
class Drop:
    """Accuracy on ``n`` originals and their rewordings, and the first minus the second, with 95 %
    limits and a two-sided p-value; all None where n is 0."""

    n: int
    original: float | None
    reworded: float | None
    drop: float | None
    low: float | None
    high: float | None
    p_value: float | None


@dataclass(frozen=True)
class Inflation:
    """A drop above the ``expected`` one of clean models, in accuracy. ``p_value``: how often a new
    clean model would drop as far (one-sided). ``spread`` is how much clean models' drops differ
    (τ, a standard deviation), ``smallest`` the inflation that would be called in 80 % of cases."""

    n: int
    references: int
    expected: float
    spread: float
    inflation: float
    low: float
    high: float
    p_value: float
    smallest: float


@dataclass(frozen=True)
class Within:
    """One model's drops on ``n_seen`` instances that it recognised and on ``n_rest`` others.
    ``difference`` is how much larger its drop above that of clean models is on the former, among
    instances that are equally hard for clean models; None where no stratum holds both kinds."""

    n_seen: int
    n_rest: int
    drop_seen: float | None
    drop_rest: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None


def paired_drop(original: ArrayLike, reworded: ArrayLike) -> Drop:
    """Answers of one model, both of shape (n,), an instance an entry.

    For answers of 0 and 1 the interval is Bonett and Price's (2012) and the test McNemar's, exact;
    for fractions Student's on the gaps.
    """
    before, after = (read_numbers(answers, "Answers", 0, 1) for answers in (original, reworded))
    if before.shape != after.shape:
        raise InputError("Originals and rewordings differ in number; give a pair an instance.")
    n = len(before)
    if n == 0:
        return Drop(0, None, None, None, None, None, None)
    means = float(before.mean()), float(after.mean())
    if np.isin([before, after], (0, 1)).all():
        paired = compare_paired(after[:, None], before[:, None])
        return Drop(n, *means, paired.difference, paired.low, paired.high, paired.p_value)
    gaps = before - after
    limits = mean_interval(gaps)
    if limits is None:
        return Drop(n, *means, float(gaps.mean()), None, None, None)
    t = float(gaps.mean()) / math.sqrt(variance_of_mean(gaps))
    p_value = float(2 * special.stdtr(n - 1, -abs(t)))
    return Drop(
        n, *means, float(gaps.mean()), max(-1.0, limits.low), min(1.0, limits.high), p_value
    )


def inflation_above(
    target: ArrayLike, references: ArrayLike, confidence: float = 0.95
) -> Inflation | None:
    """The target's drop above what a new clean model is expected to have.

    ``target`` has the gaps of shape (n,), ``references`` those of clean models on the same
    instances, (n, k). Random effects over models: drops differ by τ² (Hedges and Olkin's estimate,
    from what instances leave unexplained), models count alike, limits by Student's t with k − 1
    degrees, the factor of Hartung and Knapp (2001) never below 1 (Röver, Knapp and Friede 2015),
    and τ² once more for the target, which is a new model (Higgins, Thompson and Spiegelhalter
    2009). Gaps are paired by instance, so the target's and the references' sampling errors are
    those of their difference. None for fewer than ``LEAST_REFERENCES`` models or
    ``LEAST_INSTANCES`` instances. Raises ``InputError`` where the instances differ in number, and
    for a gap that is missing.
    """
    target_gaps, clean = _gaps(target, references)
    check_confidence(confidence)
    n, k = clean.shape
    if k < LEAST_REFERENCES or n < LEAST_INSTANCES:
        return None
    mean = clean.mean(axis=1)
    # What is left of a reference's gaps without the instance's own share varies (k - 1)/k as much.
    noise = (
        np.mean([variance_of_mean(column) for column in (clean - mean[:, None]).T]) * k / (k - 1)
    )
    spread = max(0.0, float(clean.mean(axis=0).var(ddof=1)) - float(noise))
    above = target_gaps - mean
    variance = variance_of_mean(above) + spread * (1 + 1 / k)
    error, estimate = math.sqrt(variance), float(above.mean())
    margin = error * float(special.stdtrit(k - 1, (1 + confidence) / 2))
    called, power_quantile = (float(special.stdtrit(k - 1, share)) for share in (1 - ALPHA, POWER))
    return Inflation(
        n=n,
        references=k,
        expected=float(mean.mean()),
        spread=math.sqrt(spread),
        inflation=estimate,
        low=estimate - margin,
        high=estimate + margin,
        p_value=float(special.stdtr(k - 1, -estimate / error)),
        smallest=(called + power_quantile) * error,
    )


def without_each(target: ArrayLike, references: ArrayLike) -> list[Inflation | None]:
    """``inflation_above`` with each reference left out in turn, in their order."""
    _, clean = _gaps(target, references)
    return [
        inflation_above(target, np.delete(clean, column, axis=1))
        for column in range(clean.shape[1])
    ]


def level_of(drop: Drop) -> float:
    """How good a model is, for finding others like it: the mean of both accuracies. Matching by one
    of the two would choose models by the errors of that one, which their drops contain (regression
    to the mean)."""
    if drop.original is None or drop.reworded is None:
        raise InputError("A model without answers has no level; leave it out.")
    return (drop.original + drop.reworded) / 2


def near_guessing(level: float, chance: float) -> bool:
    """True where a model is so close to guessing that a harder wording cannot lower it much."""
    check_number(level, "A level", 0, 1)
    check_number(chance, "The chance level", 0, 1)
    return level < chance + ABOVE_GUESSING * (1 - chance)


def alike(level: float, other: float) -> bool:
    """True where two levels are close enough for drops to be compared."""
    for of_model in (level, other):
        check_number(of_model, "A level", 0, 1)
    return abs(level - other) <= APART


def within_model(
    target: ArrayLike,
    references: ArrayLike,
    seen: ArrayLike,
    level: ArrayLike,
    *,
    draws: int = 4000,
    seed: int = 0,
) -> Within:
    """Is the drop larger where the model recognised the instance?

    Shapes: gaps (n,) of the model and (n, k) of clean models; whether the model recognised the
    instance, (n,); the clean models' accuracy on it, (n,), cut into ``STRATA`` of about equal size.
    The clean models' mean gap is taken off each instance's, so a rewording that is easy to spot and
    hard to answer is no evidence. Strata weigh as Mantel and Haenszel's; the one-sided test
    permutes ``seen`` within strata (``draws`` times), limits are normal ones. Where answers are
    guesses, easy and hard instances have less room to drop, hence the strata. Raises ``InputError``
    where the instances differ in number, and for a value that is missing.
    """
    target_gaps, clean = _gaps(target, references)
    member, easy = read_flags(seen, "Recognised instances"), read_numbers(level, "Levels", 0, 1)
    check_number(draws, "The number of draws", 1, MOST)
    rng = random_numbers(seed)
    if not len(target_gaps) == len(clean) == len(member) == len(easy):
        raise InputError("Gaps, recognised instances and levels differ in number; give one each.")
    n_seen, n_rest = int(member.sum()), int((~member).sum())
    drop_seen, drop_rest = (
        float(target_gaps[part].mean()) if part.any() else None for part in (member, ~member)
    )
    if min(n_seen, n_rest) < 2 or not clean.shape[1]:
        return Within(n_seen, n_rest, drop_seen, drop_rest, None, None, None, None)
    above = target_gaps - clean.mean(axis=1)
    groups = [
        (above[here], member[here]) for here in _strata(easy) if 0 < member[here].sum() < here.sum()
    ]
    if not groups:
        return Within(n_seen, n_rest, drop_seen, drop_rest, None, None, None, None)
    estimate, error = _stratified(groups)
    drawn = _permuted(groups, draws, rng)
    p_value = (1 + int((drawn >= estimate - 1e-12).sum())) / (1 + len(drawn))
    z = float(special.ndtri(0.975))
    limits = estimate - z * error, estimate + z * error
    return Within(n_seen, n_rest, drop_seen, drop_rest, estimate, *limits, float(p_value))


def _strata(level: Values) -> list[NDArray[np.bool_]]:
    edges = np.unique(np.quantile(level, np.linspace(0, 1, STRATA + 1)[1:-1]))
    place = np.searchsorted(edges, level, side="right")
    return [place == stratum for stratum in np.unique(place)]


def _weight(part: NDArray[np.bool_]) -> float:
    n, m = int(part.sum()), int((~part).sum())
    return n * m / (n + m)


def _stratified(groups: Sequence[tuple[Values, NDArray[np.bool_]]]) -> tuple[float, float]:
    """The weighted difference of means, seen minus rest, and its standard error."""
    weights = np.array([_weight(part) for _, part in groups])
    weights /= weights.sum()
    differences = [float(gaps[part].mean() - gaps[~part].mean()) for gaps, part in groups]
    variances = []
    for gaps, part in groups:
        n, m = int(part.sum()), int((~part).sum())
        squares = sum(
            float(((side - side.mean()) ** 2).sum()) for side in (gaps[part], gaps[~part])
        )
        variances.append((squares + 0.1) / max(1, n + m - 2) * (1 / n + 1 / m))
    return float(weights @ differences), math.sqrt(float(weights**2 @ np.array(variances)))


def _permuted(
    groups: Sequence[tuple[Values, NDArray[np.bool_]]], draws: int, rng: np.random.Generator
) -> Values:
    """The weighted difference under ``draws`` draws of who is seen in each stratum."""
    total = sum(_weight(part) for _, part in groups)
    drawn = np.zeros(draws)
    for gaps, part in groups:
        n, m, gap_sum = int(part.sum()), int((~part).sum()), float(gaps.sum())
        order = rng.random((draws, len(gaps))).argpartition(n - 1, axis=1)[:, :n]
        sums = gaps[order].sum(axis=1)
        drawn += _weight(part) / total * (sums / n - (gap_sum - sums) / m)
    return drawn


def _gaps(target: ArrayLike, references: ArrayLike) -> tuple[Values, Values]:
    """The gaps of a target and of its references."""
    gaps, clean = (read_numbers(part, "Gaps", axes=None) for part in (target, references))
    if gaps.ndim != 1 or clean.ndim != 2 or len(gaps) != len(clean):
        raise InputError("References need a row for each instance of the target.")
    return gaps, clean
