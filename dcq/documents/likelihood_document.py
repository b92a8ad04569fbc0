"""The measures of a run of likelihoods: as JSON for the command line, as a table on the screen, and
as the rows of its chart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from dcq.documents.names import end_caption
from dcq.evidence.controls import Calibration
from dcq.judging.judged import JudgedResult
from dcq.likelihood import panel, wording
from dcq.likelihood.detection import panel_of
from dcq.likelihood.panel import PanelRow
from dcq.records import PartitionRole
from dcq.result_columns import COUNT, SHARE, Column, Number, for_people
from dcq.words import model_title, p_number, percent

_percent = partial(percent, decimals=1)


@dataclass(frozen=True, eq=False)
class Measured:
    """The result of one measure: a ``row`` of the panel of a ``result``."""

    result: JudgedResult
    row: PanelRow

    @property
    def title(self) -> str:
        """The measure, and whether it decides."""
        return self.row.measure.title + (" (decides)" if self.row.decides else "")

    @property
    def comparison(self) -> Calibration | None:
        """The mean midrank compared with that of the controls; None without controls, and for a
        control."""
        return (
            self.result.side_calibrations.get(self.row.rank_name) if self.result.verdict else None
        )

    @property
    def interval(self) -> str | None:
        """The 95 % interval of the mean midrank."""
        limits = panel.limits_of(self.row.ranks)
        return f"{percent(limits[0])} to {percent(limits[1])}" if limits else None

    @property
    def expected(self) -> float | None:
        """The share of first places that unseen text would have."""
        return (
            panel.expected(self.row, self.result.side_calibrations) if self.result.verdict else None
        )

    @property
    def p_control(self) -> float | None:
        """The p-value of the mean midrank against the controls; for the deciding measure the one
        that was judged."""
        if self.row.decides and self.result.verdict:
            return self.result.verdict.p_value
        return self.comparison.p_value if self.comparison else None

    @property
    def q_control(self) -> float | None:
        """``p_control`` corrected over the study; only the deciding measure has it."""
        verdict = self.result.verdict
        return verdict.q_value if verdict and self.row.decides else None

    @property
    def ruling(self) -> str | None:
        """The verdict; only the deciding measure has one."""
        verdict = self.result.verdict
        return verdict.ruling.value if verdict and self.row.decides else None

    @property
    def reasons(self) -> list[str]:
        """The reasons for the verdict, or why there is none; empty for a control."""
        if self.result.verdict is None:
            return []
        return list(self.result.verdict.reasons) if self.row.decides else [wording.BESIDE]


_P = Number("%.3f")

# Shares are fractions in JSON. ``score`` is the share of instances in which the original beats all
# its variants, with its 95 % interval, and ``expected`` that of unseen text. ``p_value`` is None:
# no share is fixed that guessing would reach. What does not apply is None.
COLUMNS: tuple[Column[Measured], ...] = (
    Column("run", "", lambda measurement: measurement.result.evidence.run),
    Column("model", "", lambda measurement: measurement.result.evidence.model),
    Column("sample", "", lambda measurement: measurement.result.evidence.sample),
    Column("measure", "", lambda measurement: measurement.row.measure.name),
    Column("", "Measure", lambda measurement: measurement.title),
    Column("n", "n", lambda measurement: measurement.row.n, term="n", number=COUNT),
    Column(
        "",
        "Mean midrank",
        lambda measurement: measurement.row.rank,
        _percent,
        "Mean midrank",
        SHARE,
    ),
    Column(
        "",
        "95 % interval",
        lambda measurement: measurement.interval,
        term="Interval of a mean midrank",
    ),
    Column(
        "",
        "On unseen text",
        lambda measurement: (
            measurement.comparison.control_score if measurement.comparison else None
        ),
        _percent,
        "On unseen text",
        SHARE,
        optional=True,
    ),
    Column(
        "score",
        "Original first",
        lambda measurement: measurement.row.score,
        _percent,
        "Original first",
        SHARE,
    ),
    Column(
        "expected",
        "First on unseen text",
        lambda measurement: measurement.expected,
        _percent,
        "On unseen text",
        SHARE,
        optional=True,
    ),
    Column(
        "low", "", lambda measurement: measurement.row.limits[0] if measurement.row.limits else None
    ),
    Column(
        "high",
        "",
        lambda measurement: measurement.row.limits[1] if measurement.row.limits else None,
    ),
    Column("p_value", "", lambda measurement: None),
    Column(
        "p_control",
        "p above controls",
        lambda measurement: measurement.p_control,
        p_number,
        "p above controls",
        _P,
        optional=True,
    ),
    Column(
        "q_control",
        "q",
        lambda measurement: measurement.q_control,
        p_number,
        "q",
        _P,
        optional=True,
    ),
    Column("verdict", "", lambda measurement: measurement.ruling),
    Column("reasons", "", lambda measurement: measurement.reasons),
)


def measured(result: JudgedResult) -> list[Measured]:
    """What each measure shows, the deciding one first."""
    return [Measured(result, row) for row in panel_of(result.evidence)]


def documents(result: JudgedResult) -> list[dict[str, Any]]:
    """The measures with the keys documented for the command line, an entry for each."""
    return [
        {column.key: column.value(row) for column in COLUMNS if column.key}
        for row in measured(result)
    ]


def of_people(rows: Sequence[Measured]) -> list[Column[Measured]]:
    """The columns of these rows for people."""
    return for_people(COLUMNS, rows)


def ruler(rows: Sequence[Measured]) -> pd.DataFrame:
    """The rows that ``dcq.charts.measure_ruler`` takes."""
    return pd.DataFrame([_mark(row) for row in rows])


def control_marks(result: JudgedResult) -> pd.DataFrame:
    """The controls on the chart: the mean midrank of each, by measure. Empty for a control."""
    marks = [
        {
            "measure": row.measure.title,
            "name": control.place,
            "value": row.rank,
            "n": row.n,
        }
        for control in (result.controls if result.verdict else ())
        for row in panel_of(control)
        if row.rank is not None
    ]
    return pd.DataFrame(marks, columns=["measure", "name", "value", "n"])


def caption_lines(result: JudgedResult) -> list[str]:
    """The caption of the chart: the run, and those of its controls."""
    controls = result.controls if result.verdict else ()
    return end_caption(
        [
            f"{model_title(run.model)} · {run.place} · n = {run.estimate.n:,}"
            f"{'' if run.finished else ' (unfinished)'} · run {run.run}"
            for run in (result.evidence, *controls)
        ]
    )


def is_control(result: JudgedResult) -> bool:
    """Whether a result is one of a control."""
    return result.evidence.role == PartitionRole.CONTROL


def _mark(measurement: Measured) -> dict[str, object]:
    low, high = panel.limits_of(measurement.row.ranks) or (math.nan, math.nan)
    calibration = measurement.comparison
    return {
        "measure": measurement.row.measure.title,
        "decides": measurement.row.decides,
        "n": measurement.row.n,
        "value": math.nan if measurement.row.rank is None else measurement.row.rank,
        "low": low,
        "high": high,
        "expected": calibration.control_score if calibration else math.nan,
        "expected_low": calibration.control_low if calibration else math.nan,
        "expected_high": calibration.control_high if calibration else math.nan,
    }
