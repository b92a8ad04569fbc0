"""The section of a method that has none of its own: what it asks, its verdicts, its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dcq.detection import DetectionMethod
from dcq.documents import method_table
from dcq.documents.chart_rows import estimate_row
from dcq.documents.deck import captions
from dcq.documents.deck.model import Part
from dcq.judging.study import JudgedResult
from dcq.sections import Chart, Exhibit, Section

READ_ALOUD = 3  # verdicts


def section(
    method: DetectionMethod[Any], found: Sequence[JudgedResult], changed: Mapping[str, str]
) -> Section | None:
    """``found`` are all its results, the strongest first; ``changed`` says what changed a verdict,
    by run."""
    if not found:
        return None
    said = [
        f"{one.verdict.ruling.value.capitalize()}: {one.sentence} "
        f"{changed.get(one.evidence.run, '')}".rstrip()
        for one in found
        if one.verdict
    ]
    rows, unit = _rows(found), found[0].evidence.estimate.unit
    times = [one.evidence.at for one in found]
    return Section(
        Part.OTHERS,
        method.question,
        (method.explanation, *said[:READ_ALOUD]),
        (
            Exhibit(
                f"{method.title}: {unit}",
                (f"{len(found):,} runs · {captions.days(times)}", captions.made()),
                method_table.tabulate(found),
                Chart("estimate_intervals", rows, (unit,)),
            ),
            *method.exhibits(
                [one.evidence for one in found],
                {one.evidence.run: one.case.beside for one in found},
            ),
        ),
    )


def _rows(found: Sequence[JudgedResult]) -> pd.DataFrame:
    """As ``dcq.charts.estimate_intervals`` takes them."""
    return pd.DataFrame(
        [
            {
                "name": f"{one.evidence.model} · {one.evidence.place}",
                "whole": one.verdict is None,
                **estimate_row(one),
            }
            for one in found
        ]
    )
