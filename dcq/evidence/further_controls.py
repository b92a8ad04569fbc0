"""How many further controls are worth their calls.

Another control shows more of how much unseen partitions differ; as many calls given to the controls
there are only make their own scores surer. Further controls are proposed as long as another one
adds more power than that, and adds some at all. What a further control will score is not known, so
the power is averaged over what the others predict for it.
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
LEAST_GAIN = 0.005  # of the power
# The middles of five equal parts of a standard normal distribution.
_PARTS = (-1.2816, -0.5244, 0.0, 0.5244, 1.2816)


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
    for count in range(MOST):
        prediction = _predict(parts, noise, prior)
        another = float(
            np.mean([reached((*parts, (_score(prediction, z), INSTANCES))) for z in _PARTS])
        )
        larger = reached(_enlarged(parts, prediction))
        if another - max(larger, present + LEAST_GAIN) <= 0:
            return FurtherControls(count, first, present)
        # On either side by turns, so that they differ as much as those there are.
        z = 1.0 if count % 2 else -1.0
        parts = (*parts, (_score(prediction, z, known=True), float(INSTANCES)))
        present = reached(parts)
    return FurtherControls(MOST, first, present)


def _predict(parts: _Parts, noise: float, prior: Prior | None) -> Prediction:
    scores, sizes = (np.array(values) for values in zip(*parts, strict=True))
    if prior is not None:
        return Shares(scores * sizes, sizes, prior).predict()
    return predict(scores, sizes, noise)


def _score(prediction: Prediction, z: float, *, known: bool = False) -> float:
    """A further control's score, ``z`` deviations from what is expected; ``known``: as if the
    expected score were known."""
    between = prediction.spread**2 if known else prediction.between
    deviation = math.sqrt(between + prediction.noise / INSTANCES)
    return min(1.0, max(0.0, prediction.center + z * deviation))


def _enlarged(parts: _Parts, prediction: Prediction) -> _Parts:
    """The controls with ten more instances among them, which score what is expected of each."""
    more = INSTANCES / len(parts)
    enlarged = []
    for score, size in parts:
        noise = prediction.noise / size
        own = prediction.spread**2 / (prediction.spread**2 + noise) if noise else 1.0
        expected = own * score + (1 - own) * prediction.center
        enlarged.append(((score * size + expected * more) / (size + more), size + more))
    return tuple(enlarged)
