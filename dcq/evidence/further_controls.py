"""How many further controls are worth their calls.

Another control shows more of how much unseen partitions differ; as many calls given to the controls
there are only make their own scores surer. Further controls are proposed as long as they add more
power than that, and add some at all. What they will score is not known, so they are reckoned in
pairs, one above and one below what is expected.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from dcq.errors import InputError
from dcq.evidence.controls import noise_of, slot_weights
from dcq.evidence.power import ENOUGH_POWER, power
from dcq.evidence.prediction import Prediction, predict
from dcq.evidence.rotated import complete_rows
from dcq.evidence.share_prediction import QUIZ, Prior, Shares

INSTANCES = 10  # of a further control
MOST = 10  # further controls at a time
LEAST_GAIN = 0.01  # of the power, by two of them


@dataclass(frozen=True)
class FurtherControls:
    """``count`` further controls of ten instances are worth their calls; ``now`` is the power
    against the present controls and ``then`` the one with them, for a target of which a fifth is
    known."""

    count: int
    now: float
    then: float


def further_controls(
    controls: Sequence[ArrayLike],
    n: float,
    *,
    own_share: float | None = None,
    prior: Prior | None = QUIZ,
) -> FurtherControls:
    """Whether a target of ``n`` instances with these controls, tables as of
    ``dcq.evidence.controls.calibrate``, should have further ones.

    ``own_share`` and ``prior`` are as there. Raises ``InputError`` where no control has a complete
    instance.
    """
    tables = [rows for table in controls if len(rows := complete_rows(table))]
    if not tables:
        raise InputError("Without a control with an answer nothing can be said of further ones.")
    weights = slot_weights(tables)
    scores = [table @ weights for table in tables]
    counted = len(weights) == 1 and own_share is None
    return _further(
        tuple((float(part.mean()), float(len(part))) for part in scores),
        noise_of(scores),
        float(n),
        own_share or 0.0,
        prior if counted else None,
    )


_Parts = tuple[tuple[float, float], ...]  # the score and the instances of each control


@lru_cache(maxsize=256)
def _further(
    parts: _Parts, noise: float, n: float, own_share: float, prior: Prior | None
) -> FurtherControls:
    def reached(controls: _Parts) -> float:
        return power(_predict(controls, noise, prior), ENOUGH_POWER, n, own_share=own_share)

    first = present = reached(parts)
    count = 0
    while count < MOST:
        prediction = _predict(parts, noise, prior)
        more = (*parts, *_pair(prediction))
        with_more, with_larger = reached(more), reached(_enlarged(parts, prediction))
        if with_more < max(with_larger, present + LEAST_GAIN):
            break
        parts, present, count = more, with_more, count + 2
    return FurtherControls(count, first, present)


def _predict(parts: _Parts, noise: float, prior: Prior | None) -> Prediction:
    scores, sizes = (np.array(values) for values in zip(*parts, strict=True))
    if prior is not None:
        return Shares(scores * sizes, sizes, prior).predict()
    return predict(scores, sizes, noise)


def _pair(prediction: Prediction) -> _Parts:
    """Two further controls, a standard deviation above and below what is expected, so that they
    differ as much as those there are."""
    deviation = math.sqrt(prediction.spread**2 + prediction.noise / INSTANCES)
    return tuple(
        (min(1.0, max(0.0, prediction.center + side * deviation)), float(INSTANCES))
        for side in (-1, 1)
    )


def _enlarged(parts: _Parts, prediction: Prediction) -> _Parts:
    """The controls with as many instances more among them as two further ones have. Of each these
    score a standard deviation above or below what is expected of it, by turns, so that the controls
    differ as much as they would."""
    more, between = 2 * INSTANCES / len(parts), prediction.spread**2
    enlarged = []
    for number, (score, size) in enumerate(sorted(parts)):
        noise = prediction.noise / size
        own = between / (between + noise) if noise else 1.0
        expected = own * score + (1 - own) * prediction.center
        side = 1 if number % 2 else -1
        new = expected + side * math.sqrt(own * noise + prediction.noise / more)
        mean = (score * size + min(1.0, max(0.0, new)) * more) / (size + more)
        enlarged.append((mean, size + more))
    return tuple(enlarged)
