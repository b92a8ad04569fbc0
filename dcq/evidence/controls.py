"""A target against partitions that the same model cannot have seen: p-value and calibrated κ.

A model can find originals above chance without memory, by their wording or by their slot. That
works on control partitions as well, so a target is compared with them rather than with chance. The
same rule applies to one control or sixty; its constants were chosen on the released answers of
DE-COP (165 books, seven models, known status).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import check_confidence, check_number, read_numbers
from dcq.evidence.interval import (
    LEAST_SQUARES,
    Interval,
    kappa_interval,
    mean_interval,
    wilson_over_instances,
)
from dcq.evidence.kappa import rescale
from dcq.evidence.lazy_field import Later
from dcq.evidence.power import minimum_kappa, needed_instances
from dcq.evidence.prediction import RATIO, Prediction, predict
from dcq.evidence.rotated import as_table, complete_rows
from dcq.evidence.share_prediction import QUIZ, Prior, Shares

T = TypeVar("T")

MANY = 3  # controls from which on their spread is measured, not assumed
FEWEST_TARGET, FEWEST_CONTROL = 10, 20  # instances that a verdict needs, all controls together
SCREENED = 8  # controls from which on one of them may be set aside
EASIER = 0.05  # share by which a target may be easier than its controls without having been seen
FULL = 0.8  # expected share of originals from which on too little may be left for memory to show
_SCREEN_LEVEL = 0.01  # family-wise level at which a control counts as seen itself


@dataclass(frozen=True)
class OddControl:
    """The control that disagrees most with the others: its ``place`` in the sequence given, its
    ``score``, the score that the others predict for it, and the target's p-value without it."""

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
    and what the others predict; it is sought when it is first asked for.
    """

    weights: NDArray[np.float64]
    prediction: Prediction
    prediction_all: Prediction
    aside: tuple[int, ...]
    controls: int
    instances: int
    odd: Later[tuple[int, float, Prediction] | None] = Later()  # noqa: RUF009  # a descriptor


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
    80 %, None if it finds none; ``needed_instances`` the number of instances that would find a
    κ_control of 0.2, None if the controls differ too much for any number. Both are worked out when
    they are first asked for."""

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
    minimum_kappa: Later[float | None] = Later()  # noqa: RUF009  # a descriptor
    needed_n: Later[int | None] = Later()  # noqa: RUF009  # as above

    def used(self, controls: Sequence[T]) -> tuple[T, ...]:
        """The given ``controls`` without those that were set aside."""
        return tuple(control for place, control in enumerate(controls) if place not in self.aside)

    @property
    def leaves_room(self) -> bool:
        """False if the model finds the controls' originals too, so that even finding all of the
        target's would say nothing."""
        full = self.minimum_kappa is None and self.control_score >= FULL
        return self.kappa_control is not None and not full


def calibrate(
    target: ArrayLike,
    controls: Sequence[ArrayLike],
    *,
    own_share: float | None = None,
    refused_as_wrong: ArrayLike | None = None,
    prior: Prior | None = QUIZ,
    confidence: float = 0.95,
) -> Calibration | None:
    """Compare a target with its controls, all of them tables (instances, slots).

    Values are 1 right, 0 wrong, a probability between them, and NaN no answer; only instances with
    an answer in every slot count. Of a quiz with one slot the table has one column, and its answers
    are counted; the ``prior`` is on how much counts differ between unseen partitions. Numbers that
    are no counts, such as midranks, have none, and are taken as normal.

    Where the same model also took the quiz without originals (protocol v2), the values are those of
    the quiz with it minus those without, from −1 to 1, in one column, and ``own_share`` is how
    often the model chose the target's slot without it, over the same instances; it is added back,
    so that scores are shares again. ``refused_as_wrong`` is then the target's table with the calls
    that have no answer counted as wrong; by default NaN becomes 0.

    None where no control has a complete instance, or the target has none. Raises ``InputError``
    where the tables differ in their slots, and for values outside of these limits.
    """
    expected = expect(controls, gains=own_share is not None, prior=prior)
    if expected is None:
        return None
    return compare_with(
        expected,
        target,
        own_share=own_share,
        refused_as_wrong=refused_as_wrong,
        confidence=confidence,
    )


def compare_with(
    expected: Expected,
    target: ArrayLike,
    *,
    own_share: float | None = None,
    refused_as_wrong: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Calibration | None:
    """As ``calibrate``, where the prediction from the controls is known already because other
    targets have the same controls."""
    check_confidence(confidence)
    check_number(own_share or 0.0, "The own share", 0, 1)
    target_rows = complete_rows(target)
    if not len(target_rows):
        return None
    if target_rows.shape[1] != len(expected.weights):
        raise InputError("The target and its controls were asked in different numbers of slots.")
    values = _scores(target_rows, expected.weights)
    n, gain, prediction = len(values), float(values.mean()), expected.prediction
    wrong = np.nan_to_num(as_table(target), nan=0.0)
    if refused_as_wrong is not None:
        wrong = complete_rows(refused_as_wrong)
        if not len(wrong) or wrong.shape[1] != len(expected.weights):
            raise InputError("Values with refusals as wrong need each slot of the target.")
    plus = own_share or 0.0
    # The center is a weighted mean as well: 1 but for rounding where all controls are right.
    floor, limits = _share(round(prediction.center + plus, 12)), prediction.limits(confidence)
    base_limits = Interval(_share(limits.low + plus), _share(limits.high + plus))
    score = _share(gain + plus)
    low, high = kappa_interval(score, _limits(values, own_share, confidence), floor, base_limits)
    odd = None
    if expected.odd is not None:
        place, odd_score, other_prediction = expected.odd
        odd = OddControl(
            place,
            odd_score + plus,
            other_prediction.center + plus,
            other_prediction.p_value(gain, n),
        )
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
        minimum_kappa=partial(minimum_kappa, prediction, n, own_share=plus),
        needed_n=partial(needed_instances, prediction, own_share=plus),
    )


def expect(
    controls: Sequence[ArrayLike],
    *,
    gains: bool = False,
    prior: Prior | None = QUIZ,
    ratio: float | None = RATIO,
) -> Expected | None:
    """What an unseen partition would score; None where no control has a complete instance.

    ``gains``: values are differences (see ``calibrate``), which are never counted. ``ratio``, of
    scores that are taken as normal, is as in ``dcq.evidence.prediction.predict``.
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
    parts = tuple(_part(_scores(table, weights)) for table in used)
    predicted = _predict(parts, prior if counted else None, ratio)
    return Expected(
        weights=weights,
        prediction=predicted.prediction,
        prediction_all=predicted.prediction_all,
        aside=tuple(sorted(places[i] for i in predicted.aside)),
        controls=len(parts) - len(predicted.aside),
        instances=sum(part.n for i, part in enumerate(parts) if i not in predicted.aside),
        odd=lambda: (odd := predicted.odd) and (places[odd[0]], parts[odd[0]].score, odd[1]),
    )


class _ControlPart(NamedTuple):
    """A control with ``n`` instances: their mean, and the sum of squares around it."""

    n: int
    score: float
    squares: float


def _part(scores: NDArray[np.float64]) -> _ControlPart:
    mean = scores.mean()
    return _ControlPart(len(scores), float(mean), float(((scores - mean) ** 2).sum()))


@dataclass(frozen=True, eq=False)
class _Predicted:
    """What controls predict, without those that were set ``aside`` and with them; the odd one with
    what the others predict. Controls are indices."""

    aside: tuple[int, ...]
    prediction: Prediction
    prediction_all: Prediction
    odd: Later[tuple[int, Prediction] | None] = Later()  # noqa: RUF009  # a descriptor


@lru_cache(maxsize=512)  # targets of one model share their controls
def _predict(
    parts: tuple[_ControlPart, ...], prior: Prior | None, ratio: float | None
) -> _Predicted:
    pool = _Pool(parts, prior, ratio)
    aside = _screen(pool)
    retained = [i for i in range(len(parts)) if i not in aside]
    prediction = pool.predict(retained)

    def find_odd() -> tuple[int, Prediction] | None:
        if len(retained) < MANY:
            return None
        above = pool.tails(retained)
        i = retained[int(np.argmin(np.minimum(above, 1 - above)))]
        return i, pool.predict([j for j in retained if j != i])

    everyone = pool.predict(range(len(parts))) if aside else prediction
    return _Predicted(tuple(aside), prediction, everyone, find_odd)


class _Pool:
    """Controls, and what any of them predict. Scores of 0 and 1 are counted where there is a
    ``prior`` on counts."""

    def __init__(
        self, parts: Sequence[_ControlPart], prior: Prior | None, ratio: float | None
    ) -> None:
        self.ratio = ratio
        self.n = np.array([part.n for part in parts], dtype=np.float64)
        self.scores = np.array([part.score for part in parts])
        self.squares = np.array([part.squares for part in parts])
        self.shares = None if prior is None else Shares(self.scores * self.n, self.n, prior)

    def predict(self, indices: Sequence[int]) -> Prediction:
        """What the controls ``indices`` lead to expect."""
        if self.shares is not None:
            return self.shares.predict(indices)
        use = list(indices)
        noise = _noise(float(self.squares[use].sum()), float((self.n[use] - 1).sum()))
        return predict(self.scores[use], self.n[use], noise, self.ratio)

    def tails(self, indices: Sequence[int]) -> NDArray[np.float64]:
        """P(a partition scores at least as much) for each of the controls ``indices``, if it is
        like the others of them, shape (len(indices),)."""
        if self.shares is not None:
            return self.shares.tails(indices)
        return np.array(
            [
                self.predict([j for j in indices if j != i]).p_value(self.scores[i], self.n[i])
                for i in indices
            ]
        )


def slot_weights(controls: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """1/standard deviation of a right answer in each slot on unseen text; they sum to 1.

    A slot that the model nearly always or nearly never picks varies little on unseen text, so a
    change there says more. Raises ``InputError`` for no control, for tables that differ in their
    slots, and in several slots for values that are no shares.
    """
    tables = [read_numbers(control, "Controls", -1, 1, axes=2) for control in controls]
    if len({table.shape[1] for table in tables}) != 1:
        raise InputError("Weights of slots need controls that were all asked in the same slots.")
    if tables[0].shape[1] == 1:
        return np.ones(1)
    pooled = read_numbers(np.concatenate(tables), "Values of several slots", 0, 1, axes=2)
    share = (pooled.sum(axis=0) + 1) / (len(pooled) + 4)
    weight = 1 / np.sqrt(share * (1 - share))
    return np.asarray(weight / weight.sum())


def _scores(table: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    # Weights add up to 1 but for rounding, and whether all is right is asked of the scores.
    return np.asarray(np.round(table @ weights, 12))


def noise_of(parts: Sequence[NDArray[np.float64]]) -> float:
    """Variance of an instance's score within its partition, pooled, and kept above 0. Raises
    ``InputError`` for a partition without a score."""
    tables = [read_numbers(part, "Scores") for part in parts]
    if not all(map(len, tables)):
        raise InputError("A partition without a score has no variance; leave it out.")
    control_parts = [_part(part) for part in tables]
    return _noise(
        sum(part.squares for part in control_parts), sum(part.n - 1 for part in control_parts)
    )


def _noise(squares: float, freedom: float) -> float:
    return (squares + LEAST_SQUARES) / (freedom + 1)


def _screen(pool: _Pool) -> list[int]:
    """Indices of controls too high to be unseen, given the others: at most a tenth, at least 1."""
    retained, aside = list(range(len(pool.n))), list[int]()
    if len(retained) < SCREENED:
        return aside
    for _ in range(max(1, len(retained) // 10)):
        top = max(retained, key=lambda i: pool.scores[i])
        remaining = [i for i in retained if i != top]
        above = pool.predict(remaining).p_value(float(pool.scores[top]), float(pool.n[top]))
        if above * len(retained) > _SCREEN_LEVEL:
            break
        retained, aside = remaining, [*aside, top]
    return aside


def _limits(values: NDArray[np.float64], own_share: float | None, confidence: float) -> Interval:
    """Interval of the target's score."""
    of = wilson_over_instances if own_share is None else mean_interval
    interval = of(values, confidence)
    if interval is None:
        return Interval(0.0, 1.0)
    plus = own_share or 0.0
    return Interval(_share(interval.low + plus), _share(interval.high + plus))


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
