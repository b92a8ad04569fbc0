"""The panel: the result of each measure for a run, compared with the controls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dcq.evidence.interval import wilson_over_instances
from dcq.evidence.midrank import beats_all, midranks
from dcq.evidence.record import Measure
from dcq.likelihood.measures import CODEC, DECIDING, LikelihoodMeasure

if TYPE_CHECKING:
    from dcq.evidence.controls import Calibration


@dataclass(frozen=True, eq=False)
class PanelRow:
    """The result of one measure for ``n`` instances: ``ranks`` of the original among its rewordings
    and ``first``, whether it is above all (see ``dcq.evidence.midrank``), both of shape
    (instances,). ``dropped`` is the score of CoDeC's authors: 1 where another instance before the
    original lowers its likelihood; None for other measures."""

    measure: LikelihoodMeasure
    ranks: NDArray[np.float64]
    first: NDArray[np.float64]
    dropped: NDArray[np.float64] | None = None

    @property
    def n(self) -> int:
        """Instances with a value for each wording."""
        return int((~np.isnan(self.ranks)).sum())

    @property
    def rank(self) -> float | None:
        """The mean midrank."""
        return _mean(self.ranks)

    @property
    def score(self) -> float | None:
        """The share of instances whose original is above all of its rewordings."""
        return _mean(self.first)

    @property
    def limits(self) -> tuple[float, float] | None:
        """The 95 % interval of ``score``."""
        return limits_of(self.first)

    @property
    def compared(self) -> tuple[Measure, ...]:
        """The measures that are compared with controls."""
        named = ((self.rank_name, self.ranks), (self.first_name, self.first))
        measures = [Measure(name, values[:, None], prior=None) for name, values in named]
        if self.dropped is not None:
            measures.append(Measure(DROPPED, self.dropped[:, None]))
        return tuple(measures)

    @property
    def rank_name(self) -> str:
        """The name of the comparison of midranks."""
        return self.measure.name

    @property
    def first_name(self) -> str:
        """The name of the comparison of first places."""
        return f"{self.measure.name} first"

    @property
    def decides(self) -> bool:
        """Whether the verdict rests on this measure."""
        return self.measure is DECIDING


DROPPED = "codec share"  # of the comparison of what the authors of CoDeC call its score


def row(measure: LikelihoodMeasure, scores: NDArray[np.float64]) -> PanelRow:
    """The row of a measure from ``scores`` by instance and wording, the original first."""
    dropped = None
    if measure is CODEC:
        original = scores[:, 0]
        dropped = np.where(np.isnan(original), np.nan, original > 0)
    return PanelRow(measure, midranks(scores), beats_all(scores), dropped)


def expected(row: PanelRow, calibrations: Mapping[str, Calibration]) -> float | None:
    """The share of first places that unseen text would have."""
    calibration = calibrations.get(row.first_name)
    return calibration.control_score if calibration else None


def limits_of(values: NDArray[np.float64]) -> tuple[float, float] | None:
    """The 95 % interval of the mean of ``values``, without NaN."""
    interval = wilson_over_instances(values[~np.isnan(values)])
    return (interval.low, interval.high) if interval else None


def _mean(values: NDArray[np.float64]) -> float | None:
    present = values[~np.isnan(values)]
    return float(present.mean()) if present.size else None
