from __future__ import annotations

import math

import pandas as pd
import pytest

from dcq import charts
from dcq.charts.template import CONTROL, ORIGINAL

ROWS = pd.DataFrame(
    [
        {
            "name": "m · <b>Rivers</b> test", "n": 24, "is_control": False,
            "gain": 0.62, "gain_low": 0.4, "gain_high": 0.8,
            "rate": 0.5, "rate_low": 0.3, "rate_high": 0.7,
        },
        {
            "name": "Lakes test", "n": 5, "is_control": True,
            "gain": -0.02, "gain_low": math.nan, "gain_high": math.nan,
            "rate": math.nan, "rate_low": math.nan, "rate_high": math.nan,
        },
    ]
)  # fmt: skip
EXPECTED = {"gain": (-0.1, 0.2)}


def test_marks_are_in_points_and_in_shares_and_controls_look_different() -> None:
    figure = charts.replication_measures(ROWS, EXPECTED)
    gain, rate = figure.data
    assert list(gain.x) == [62.0, -2.0]
    assert rate.x[0] == 0.5
    assert list(gain.marker.color) == [ORIGINAL, CONTROL]
    assert len(set(gain.marker.symbol)) == 2
    assert gain.error_x.array[0] == 80 - 62
    assert gain.error_x.array[1] == 0  # without an interval, no bar


def test_the_band_is_drawn_in_its_panel_alone() -> None:
    [band] = [s for s in charts.replication_measures(ROWS, EXPECTED).layout.shapes if s.fillcolor]
    assert (band.x0, band.x1, band.xref) == (-10, 20, "x")
    assert not [s for s in charts.replication_measures(ROWS).layout.shapes if s.fillcolor]


def test_names_are_shown_as_typed_and_nothing_is_said_of_nothing() -> None:
    figure = charts.replication_measures(ROWS)
    texts = [note.text for note in figure.layout.annotations]
    assert any("&lt;b&gt;Rivers" in text for text in texts)
    assert "<b>50 %</b>" in texts
    assert not any("nan" in text for text in texts)


def test_it_is_told_in_words() -> None:
    words = charts.describe_replication_measures(ROWS, EXPECTED)
    assert "guided minus general +62 points, 50 % exact or near-exact" in words
    assert "Lakes test (control): guided minus general −2 points." in words
    assert "on unseen text: −10 to +20" in words


@pytest.mark.parametrize("reach", [0.0, 0.0004, 0.012, 0.3, 4.0])
def test_no_two_ticks_have_the_same_label(reach: float) -> None:
    rows = ROWS.assign(gain=reach, gain_low=-reach / 3, gain_high=reach * 1.5, rate=reach / 4)
    rows = rows.assign(rate_low=0.0, rate_high=reach / 4)
    layout = charts.replication_measures(rows).layout
    for axis in (layout.xaxis, layout.xaxis2):
        assert 2 <= len(axis.ticktext) <= 5
        assert len(set(axis.ticktext)) == len(axis.ticktext)
        assert all(axis.range[0] <= tick <= axis.range[1] for tick in axis.tickvals)
    assert "0" in layout.xaxis.ticktext  # with no sign, and no decimals that none needs


def test_a_tick_is_written_as_every_other_number() -> None:
    layout = charts.replication_measures(ROWS).layout
    assert list(layout.xaxis.ticktext) == ["0", "+20", "+40", "+60", "+80"]
    assert layout.xaxis2.ticktext[1] == "20 %"
