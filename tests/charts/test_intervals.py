from __future__ import annotations

import pandas as pd
import pytest

from dcq.charts import describe_kappa_intervals, kappa_intervals
from dcq.charts.template import ORIGINAL, VARIANT

ROWS = pd.DataFrame(
    {
        "name": ["<b>first</b>", "second", "all"],
        "kappa": [0.4, None, 0.3],
        "low": [0.2, None, 0.2],
        "high": [0.5, None, 0.4],
        "n": [100, 0, 200],
        "whole": [False, False, True],
    }
)


def test_each_group_has_its_line_and_its_interval() -> None:
    groups, whole = kappa_intervals(ROWS).data
    assert list(groups.x) == [0.4]
    assert list(groups.error_x.arrayminus) == pytest.approx([0.2])
    assert (groups.marker.color, whole.marker.color) == (ORIGINAL, VARIANT)
    assert list(whole.y) == [2]


def test_a_group_without_answers_says_so() -> None:
    words = [note.text for note in kappa_intervals(ROWS).layout.annotations]
    assert words[1] == "no value  n 0"


def test_names_are_never_markup() -> None:
    assert kappa_intervals(ROWS).layout.yaxis.ticktext[0] == "&lt;b&gt;first&lt;/b&gt;"


def test_it_is_described_in_a_sentence() -> None:
    assert "second no value (n 0), all 0.30 [0.20, 0.40] (n 200)" in describe_kappa_intervals(ROWS)
    assert "nothing" in describe_kappa_intervals(ROWS.head(0))
    assert len(kappa_intervals(ROWS.head(0)).data[0].x) == 0
