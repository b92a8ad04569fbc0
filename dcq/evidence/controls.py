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
from dcq.evidence.rotated import as_table, complete_rows
from dcq.evidence.sensitivity import minimum_kappa, needed_n
from dcq.evidence.share_prediction import QUIZ, Prior, Shares

MANY = 3  # controls from which on their spread is measured, not assumed
FEWEST_TARGET, FEWEST_CONTROL = 10, 20  # instances that a verdict needs, all controls together
SCREENED = 8  # controls from which on one of them may be set aside
EASIER = 0.05  # share by which a target may be easier than its controls without having been seen
_SCREEN_LEVEL = 0.01  # family-wise level at which a control counts as seen itself


@dataclass(frozen=True)
class OddControl:
    """The control that disagrees most with the others: its ``place`` in the sequence given, its
    ``score``, what the others lead to ``expect`` of it, and the target's p-value without it."""

    place: int
    score: float
    expected: float
    p_without: float


@dataclass(frozen=True, eq=False)
class Expected:
    """What an unseen partition would score, from ``controls`` partitions with ``instances`` in all.

    ``weights`` of the slots sum to 1. ``aside`` are the indices of controls whose scores look like
    those of seen text: ``prediction`` leaves them out, ``prediction_all`` includes them. From three
    controls on, ``odd`` is the index of the one that disagrees most with the others, with its score
    and what the others predict.
    """

    weights: NDArray[np.float64]
    prediction: Prediction
    prediction_all: Prediction
    aside: tuple[int, ...]
    controls: int
    instances: int
    odd: tuple[int, float, Prediction] | None


@dataclass(frozen=True)
class Calibration:
    """A target of ``n`` instances against ``controls`` control partitions, same model and quiz.

    ``score`` and ``control_score`` are slot-weighted shares of right answers, plain shares for a
    quiz with one slot; an unseen partition's is expected between ``control_low`` and
    ``control_high``. κ_control is (p − p̂)/(1 − p̂) above the controls; κ and its limits are None
    if the controls are all correct, which leaves no room above them, and the lower limit also if an
    unseen partition might be all correct. ``p_value`` is one-sided; ``p_all`` is the same with the
    controls included that were set ``aside`` (indices in the sequence given), ``p_refused`` with
    the target's calls that have no answer counted as wrong, ``p_easier`` if an unseen target scored
    .05 more than its controls. ``odd`` is the control that disagrees most with the others, from
    three controls on. ``spread`` is the standard deviation between unseen partitions.
    ``minimum_kappa`` is the smallest κ_control that this n finds at the 5 % level with a power of
    80 %, None if it finds none; ``needed_n`` the number of instances that would find a κ_control of
    0.2, None if the controls differ too much for any number.
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
    p_refused: float
    p_easier: float
    odd: OddControl | None
    aside: tuple[int, ...]
    spread: float
    minimum_kappa: float | None
    needed_n: int | None


def calibrate(
    target: ArrayLike,
    controls: Sequence[ArrayLike],
    *,
    own_share: float | None = None,
    refused_as_wrong: ArrayLike | None = None,
    prior: Prior = QUIZ,
    confidence: float = 0.95,
) -> Calibration | None:
    """Compare a target with its controls, all of them tables (instances, slots).

    Values are 1 right, 0 wrong, a probability between them, and NaN no answer; only instances with
    an answer in every slot count. Of a quiz with one slot the table has one column, and its answers
    are counted; the ``prior`` is on how much counts differ between unseen partitions.

    Where the same model also took the quiz without originals (protocol v2), the values are those of
    the quiz with it minus those without, from −1 to 1, in one column, and ``own_share`` is how
    often the model chose the target's slot without it, over the same instances; it is added back,
    so that scores are shares again. ``refused_as_wrong`` is then the target's table with the calls
    that have no answer counted as wrong; by default NaN becomes 0.

    None where no control has a complete instance, or the target has none. Raises ``InputError``
    where the tables differ in their slots.
    """
    mine = complete_rows(target)
    expected = expect(controls, gains=own_share is not None, prior=prior)
    if expected is None or not len(mine):
        return None
    if mine.shape[1] != len(expected.weights):
        raise InputError("The target and its controls were asked in different numbers of slots.")
    values = _scores(mine, expected.weights)
    n, gain, prediction = len(values), float(values.mean()), expected.prediction
    wrong = np.nan_to_num(as_table(target), nan=0.0)
    if refused_as_wrong is not None:
        wrong = complete_rows(refused_as_wrong)
    plus = own_share or 0.0
    # The center is a weighted mean as well: 1 but for rounding where all controls are right.
    floor, limits = _share(round(prediction.center + plus, 12)), prediction.limits(confidence)
    base_limits = Interval(_share(limits.low + plus), _share(limits.high + plus))
    score = _share(gain + plus)
    low, high = kappa_interval(score, _limits(values, own_share, confidence), floor, base_limits)
    odd = None
    if expected.odd is not None:
        place, found, others = expected.odd
        odd = OddControl(place, found + plus, others.center + plus, others.p_value(gain, n))
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
        p_refused=prediction.p_value(float(_scores(wrong, expected.weights).mean()), len(wrong)),
        p_easier=prediction.p_value(gain - EASIER, n),
        odd=odd,
        aside=expected.aside,
        spread=prediction.spread,
        minimum_kappa=minimum_kappa(prediction, n, own_share=plus),
        needed_n=needed_n(prediction, own_share=plus),
    )


def expect(
    controls: Sequence[ArrayLike], *, gains: bool = False, prior: Prior = QUIZ
) -> Expected | None:
    """What an unseen partition would score; None where no control has a complete instance.

    ``gains``: values are differences (see ``calibrate``), which are never counted.
    """
    tables = [complete_rows(table) for table in controls]
    places = [place for place, table in enumerate(tables) if len(table)]
    used = [tables[place] for place in places]
    if not used:
        return None
    if len({table.shape[1] for table in used}) > 1:
        raise InputError("The controls were asked in different numbers of slots.")
    weights = slot_weights(used)
    counted = len(weights) == 1 and not gains
    pool = _Pool([_scores(table, weights) for table in used], prior if counted else None)
    everyone = list(range(len(used)))
    aside = _screen(pool)
    kept = [i for i in everyone if i not in aside]
    odd = None
    if len(kept) >= MANY:
        unlike = {i: pool.tails(i, [j for j in kept if j != i]) for i in kept}
        i = min(kept, key=lambda i: min(unlike[i]))
        odd = places[i], float(pool.scores[i]), pool.predict([j for j in kept if j != i])
    return Expected(
        weights=weights,
        prediction=pool.predict(kept),
        prediction_all=pool.predict(everyone),
        aside=tuple(sorted(places[i] for i in aside)),
        controls=len(kept),
        instances=int(pool.n[kept].sum()),
        odd=odd,
    )


class _Pool:
    """Controls as ``parts``, the instance scores of each; what any of them predict. Scores of 0 and
    1 are counted where there is a ``prior`` on counts."""

    def __init__(self, parts: Sequence[NDArray[np.float64]], prior: Prior | None) -> None:
        self.parts = parts
        self.n = np.array([len(part) for part in parts], dtype=np.float64)
        self.scores = np.array([part.mean() for part in parts])
        self.shares = None if prior is None else Shares(self.scores * self.n, self.n, prior)

    def predict(self, kept: Sequence[int]) -> Prediction:
        if self.shares is not None:
            return self.shares.predict(kept)
        noise = noise_of([self.parts[i] for i in kept])
        return predict(self.scores[kept], self.n[kept], noise)

    def tails(self, place: int, others: Sequence[int]) -> tuple[float, float]:
        """P(a partition scores at least as much as that at ``place``), and at most as much, if it
        is like the ``others``."""
        above = self.predict(others).p_value(float(self.scores[place]), float(self.n[place]))
        return above, 1 - above


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


def _screen(pool: _Pool) -> list[int]:
    """Indices of controls too high to be unseen, given the others: at most a tenth, at least 1."""
    kept, aside = list(range(len(pool.parts))), list[int]()
    if len(kept) < SCREENED:
        return aside
    for _ in range(max(1, len(kept) // 10)):
        top = max(kept, key=lambda i: pool.scores[i])
        rest = [i for i in kept if i != top]
        above, _below = pool.tails(top, rest)
        if above * len(kept) > _SCREEN_LEVEL:
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
