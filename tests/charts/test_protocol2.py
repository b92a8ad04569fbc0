from __future__ import annotations

import pandas as pd
import pytest

from dcq import charts


@pytest.fixture
def slots() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "model": "a<b>",
            "slot": ["B", "D"],
            "n": 100,
            "without": [0.02, 0.0],
            "having": [0.55, 0.8],
        }
    )


def test_each_slot_has_both_shares_and_the_range_is_a_band(slots: pd.DataFrame) -> None:
    figure = charts.contamination_range(slots, 0.79, 0.8)
    shares = {
        (mark[0], mark[1]): x
        for trace in figure.data
        for mark, x in zip(trace.customdata, trace.x, strict=True)
    }
    assert shares == {
        ("modified", "B"): 0.02,
        ("standard", "B"): 0.55,
        ("modified", "D"): 0.0,
        ("standard", "D"): 0.8,
    }
    [band] = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert (band.x0, band.x1) == (0.79, 0.8)
    assert not [shape for shape in figure.layout.shapes if shape.type == "line"]  # no chance
    words = " ".join(str(note.text) for note in figure.layout.annotations)
    assert "79 % to 80 %" in words
    assert "a&lt;b&gt;" in words


def test_a_range_of_nothing_can_be_seen(slots: pd.DataFrame) -> None:
    figure = charts.contamination_range(slots, 0.5, 0.5)
    [band] = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert band.x1 > band.x0 == 0.5


def test_the_range_is_described_for_screen_readers(slots: pd.DataFrame) -> None:
    described = charts.describe_contamination_range(slots, 0.79, 0.8)
    assert described.startswith("Contamination from 79 % to 80 %;")
    assert "B 2 % without and 55 % with it, D 0 % without and 80 % with it" in described


def test_ends_that_round_to_one_number_are_given_more_digits(slots: pd.DataFrame) -> None:
    described = charts.describe_contamination_range(slots, 0.7879, 0.79)
    assert described.startswith("Contamination from 78.8 % to 79.0 %;")
