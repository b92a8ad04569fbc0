"""A target against partitions that the same model cannot have seen: p-value and calibrated κ.

A model can find originals above chance without memory, by their wording or by their slot. That
works on control partitions as well, so a target is compared with them rather than with chance. The
same rule applies to one control or sixty; its constants were chosen on the released answers of
DE-COP (165 books, seven models, known status).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcq.errors import InputError
from dcq.evidence.interval import (
    LEAST_SQUARES,
    Interval,
    mean_interval,
    wilson_over_instances,
)
from dcq.evidence.kappa import rescale
from dcq.evidence.prediction import Prediction, predict
from dcq.evidence.ratio import kappa_interval
from dcq.evidence.rotated import complete_rows
from dcq.evidence.sensitivity import minimum_kappa, needed_n

MANY = 3  # controls from which on their spread is measured, not assumed
FEWEST_TARGET, FEWEST_CONTROL = 10, 20  # instances that a verdict needs, all controls together
SCREENED = 8  # controls from which on one of them may be set aside
_SCREEN_LEVEL = 0.01  # family-wise level at which a control counts as seen itself


@dataclass(frozen=True, eq=False)
class Expected:
    """What an unseen partition would score, from ``controls`` partitions with ``instances`` in all.

    ``weights`` of the slots sum to 1. ``aside`` are the indices of controls whose scores look like
    those of seen text: ``prediction`` leaves them out, ``prediction_all`` includes them.
    """

    weights: NDArray[np.float64]
    prediction: Prediction
    prediction_all: Prediction
    aside: tuple[int, ...]
    controls: int
    instances: int


@dataclass(frozen=True)
class Calibration:
    """A target of ``n`` instances against ``controls`` control partitions, same model and quiz.

    ``score`` and ``control_score`` are slot-weighted shares of right answers, plain shares for a
    quiz with one slot; an unseen partition's is expected between ``control_low`` and
    ``control_high``. κ_control is (p − p̂)/(1 − p̂) above the controls; κ and its limits are None
    if the controls are all correct, which leaves no room above them, and the lower limit also if an
    unseen partition might be all correct. ``p_value`` is one-sided; ``p_all`` is the same with the
    controls included that were set ``aside`` (indices in the sequence given). ``spread`` is the
    standard deviation between unseen partitions. ``minimum_kappa`` is the smallest κ_control that
    this n finds at the 5 % level with a power of 80 %, None if it finds none; ``needed_n`` the
    number of instances that would find a κ_control of 0.2, None if the controls differ too much for
    any number.
    """

    n: int
    controls: int
    control_instances: int
    score: float
    control_score: float
    control_low: float
    control_high: float
    kappa_control: float | None
    kappa_low: float | None
    kappa_high: float | None
    p_value: float
    p_all: float
    aside: tuple[int, ...]
    spread: float
    minimum_kappa: float | None
    needed_n: int | None


def calibrate(
    target: ArrayLike,
    controls: Sequence[ArrayLike],
    *,
    own_share: float | None = None,
    confidence: float = 0.95,
) -> Calibration | None:
    """Compare a target with its controls, all of them tables (instances, slots).

    Values are 1 right, 0 wrong and NaN no answer; only instances with an answer in every slot
    count. Of a quiz with one slot the table has one column. Where the same model also took the quiz
    without originals (protocol v2), the values are those of the quiz with it minus those without,
    from −1 to 1, in one column, and ``own_share`` is how often the model chose the target's slot
    without it, over the same instances; it is added back, so that scores are shares again.

    None where no control has a complete instance, or the target has none. Raises ``InputError``
    where the tables differ in their slots.
    """
    mine, expected = complete_rows(target), expect(controls)
    if expected is None or not len(mine):
        return None
    if mine.shape[1] != len(expected.weights):
        raise InputError("The target and its controls were asked in different numbers of slots.")
    values = _scores(mine, expected.weights)
    n, gain, prediction = len(values), float(values.mean()), expected.prediction
    plus = own_share or 0.0
    # The center is a weighted mean as well: 1 but for rounding where all controls are right.
    floor, limits = _share(round(prediction.center + plus, 12)), prediction.limits(confidence)
    base_limits = Interval(_share(limits.low + plus), _share(limits.high + plus))
    score = _share(gain + plus)
    low, high = kappa_interval(score, _limits(values, own_share, confidence), floor, base_limits)
    return Calibration(
        n=n,
        controls=expected.controls,
        control_instances=expected.instances,
        score=score,
        control_score=floor,
        control_low=base_limits.low,
        control_high=base_limits.high,
        kappa_control=rescale(score, floor) if floor < 1 else None,
        kappa_low=low,
        kappa_high=high,
        p_value=prediction.p_value(gain, n),
        p_all=expected.prediction_all.p_value(gain, n),
        aside=expected.aside,
        spread=prediction.spread,
        minimum_kappa=minimum_kappa(prediction, n, own_share=plus),
        needed_n=needed_n(prediction, own_share=plus),
    )


def expect(controls: Sequence[ArrayLike]) -> Expected | None:
    """What an unseen partition would score; None where no control has a complete instance."""
    tables = [complete_rows(table) for table in controls]
    places = [place for place, table in enumerate(tables) if len(table)]
    used = [tables[place] for place in places]
    if not used:
        return None
    if len({table.shape[1] for table in used}) > 1:
        raise InputError("The controls were asked in different numbers of slots.")
    weights = slot_weights(used)
    parts = [_scores(table, weights) for table in used]
    scores = np.array([part.mean() for part in parts])
    n = np.array([len(part) for part in parts], dtype=np.float64)
    whole = predict(scores, n, noise_of(parts))
    aside = _screen(scores, n, whole.noise)
    kept = [i for i in range(len(parts)) if i not in aside]
    prediction = (
        predict(scores[kept], n[kept], noise_of([parts[i] for i in kept])) if aside else whole
    )
    return Expected(
        weights=weights,
        prediction=prediction,
        prediction_all=whole,
        aside=tuple(sorted(places[i] for i in aside)),
        controls=len(kept),
        instances=int(n[kept].sum()),
    )


def slot_weights(controls: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """1/standard deviation of a right answer in each slot on unseen text; they sum to 1.

    A slot that the model nearly always or nearly never picks varies little on unseen text, so a
    change there says more.
    """
    pooled = np.concatenate(controls)
    if pooled.shape[1] == 1:
        return np.ones(1)
    share = (pooled.sum(axis=0) + 1) / (len(pooled) + 4)
    weight = 1 / np.sqrt(share * (1 - share))
    return np.asarray(weight / weight.sum())


def _scores(table: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    # Weights add up to 1 but for rounding, and whether all is right is asked of the scores.
    return np.asarray(np.round(table @ weights, 12))


def noise_of(parts: Sequence[NDArray[np.float64]]) -> float:
    """Variance of an instance's score within its partition, pooled, and kept above 0."""
    squares = sum(float(((part - part.mean()) ** 2).sum()) for part in parts)
    return (squares + LEAST_SQUARES) / (sum(len(part) - 1 for part in parts) + 1)


def _screen(scores: NDArray[np.float64], n: NDArray[np.float64], noise: float) -> list[int]:
    """Indices of controls too high to be unseen, given the others: at most a tenth, at least 1."""
    kept, aside = list(range(len(scores))), list[int]()
    if len(scores) < SCREENED:
        return aside
    for _ in range(max(1, len(scores) // 10)):
        top = max(kept, key=lambda i: scores[i])
        rest = [i for i in kept if i != top]
        p = predict(scores[rest], n[rest], noise).p_value(float(scores[top]), float(n[top]))
        if p * len(kept) > _SCREEN_LEVEL:
            break
        kept, aside = rest, [*aside, top]
    return aside


def _limits(values: NDArray[np.float64], own_share: float | None, confidence: float) -> Interval:
    """Interval of the target's score."""
    if own_share is None:
        found = wilson_over_instances(values, confidence)
    else:
        found = mean_interval(values, confidence)
    if found is None:
        return Interval(0.0, 1.0)
    plus = own_share or 0.0
    return Interval(_share(found.low + plus), _share(found.high + plus))


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
