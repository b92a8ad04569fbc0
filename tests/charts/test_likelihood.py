from __future__ import annotations

import math

import pandas as pd

from dcq import charts
from dcq.charts.template import CONTROL, ORIGINAL

NONE = math.nan
ROWS = pd.DataFrame(
    [
        {
            "measure": "Mean log-probability", "decides": True, "n": 24, "value": 0.9,
            "low": 0.8, "high": 0.96, "expected": 0.5, "expected_low": 0.3, "expected_high": 0.7,
        },
        {
            "measure": "<b>zlib</b>", "decides": False, "n": 24, "value": 0.4,
            "low": NONE, "high": NONE, "expected": NONE, "expected_low": NONE,
            "expected_high": NONE,
        },
        {
            "measure": "CoDeC", "decides": False, "n": 0, "value": NONE,
            "low": NONE, "high": NONE, "expected": NONE, "expected_low": NONE,
            "expected_high": NONE,
        },
    ]
)  # fmt: skip
CONTROLS = pd.DataFrame(
    [
        {"measure": "Mean log-probability", "name": "<i>Lakes</i> test", "value": 0.45, "n": 24},
        {"measure": "Mean log-probability", "name": "Ponds test", "value": 0.55, "n": 24},
        {"measure": "no such measure", "name": "Ponds test", "value": 0.5, "n": 24},
    ]
)


def test_a_measure_is_a_mark_on_one_ruler_and_the_deciding_one_is_larger_and_said() -> None:
    figure = charts.measure_ruler(ROWS, CONTROLS)
    controls, marks = figure.data
    assert list(marks.x)[:2] == [0.9, 0.4]
    assert math.isnan(marks.x[2])
    assert marks.marker.color == ORIGINAL
    assert marks.marker.size[0] > marks.marker.size[1]
    assert math.isclose(marks.error_x.array[0], 0.06)
    assert marks.error_x.array[1] == 0  # without an interval, no bar
    assert figure.layout.yaxis.ticktext[0] == "<b>Mean log-probability</b><br><b>decides</b>"
    assert list(figure.layout.xaxis.ticktext) == ["0 %", "25 %", "50 %", "75 %", "100 %"]
    assert controls.marker.color == CONTROL
    assert list(controls.x) == [0.45, 0.55]  # each in the row of a measure that is shown
    assert len(set(controls.y)) == 1


def test_what_is_expected_is_a_grey_band_in_its_row_alone() -> None:
    [band] = [one for one in charts.measure_ruler(ROWS).layout.shapes if one.fillcolor]
    assert (band.x0, band.x1) == (0.3, 0.7)
    assert -0.5 < band.y0 < 0 < band.y1 < 0.5
    assert "140,146,155" in band.fillcolor
    without = ROWS.assign(expected=NONE, expected_low=NONE, expected_high=NONE)
    assert not [one for one in charts.measure_ruler(without).layout.shapes if one.fillcolor]


def test_a_control_is_drawn_as_one() -> None:
    [marks] = charts.measure_ruler(ROWS, is_control=True).data
    assert (marks.marker.color, marks.marker.symbol) == (CONTROL, "diamond")
    assert "of a control" in charts.describe_measure_ruler(ROWS, is_control=True)


def test_names_are_shown_as_typed() -> None:
    figure = charts.measure_ruler(ROWS, CONTROLS)
    assert figure.layout.yaxis.ticktext[1] == "&lt;b&gt;zlib&lt;/b&gt;"
    assert figure.data[0].customdata[0][0] == "&lt;i&gt;Lakes&lt;/i&gt; test"
    texts = [note.text for note in figure.layout.annotations]
    assert texts == ["<b>90 %</b>", "40 %", "no value"]


def test_it_is_told_in_words() -> None:
    words = charts.describe_measure_ruler(ROWS, CONTROLS)
    assert (
        "Mean log-probability (decides): 90 % (80 % to 96 %), on unseen text 30 % to 70 %, "
        "controls 45 %, 55 %." in words
    )
    assert "CoDeC: no value." in words
    assert "nan" not in words
    assert "nothing to show" in charts.describe_measure_ruler(ROWS.iloc[:0])


def test_without_a_measure_there_is_an_empty_ruler() -> None:
    assert len(charts.measure_ruler(ROWS.iloc[:0]).data[0].x) == 0
