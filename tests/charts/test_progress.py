from __future__ import annotations

import pandas as pd
import pytest

from dcq import charts


@pytest.fixture
def runs() -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"label": "tiny · <i>news</i>", "correct": 10, "other": 20, "error": 5, "waiting": 65},
            {"label": "new", "waiting": 40},
        ]
    )


def test_the_parts_of_a_run_fill_its_bar(runs: pd.DataFrame) -> None:
    figure = charts.progress_bars(runs)
    assert [trace.name for trace in figure.data] == [
        "the original",
        "another option",
        "no reply",
        "still to ask",
    ]
    assert [sum(trace.x[i] for trace in figure.data) for i in (0, 1)] == pytest.approx([1, 1])
    assert list(figure.data[0].customdata[0]) == ["tiny · <i>news</i>", "correct", 10, 100]


def test_labels_are_plain_and_say_how_far(runs: pd.DataFrame) -> None:
    figure = charts.progress_bars(runs)
    assert [a.text for a in figure.layout.annotations] == [
        *("35 of 100", "0 of 40"),
        *("tiny · &lt;i&gt;news&lt;/i&gt;", "new"),
    ]


def test_a_long_label_loses_some_of_the_address_and_nothing_else() -> None:
    label = "guess@http://127.0.0.1:8653/some/long/path/r429/v1 · control-news/test · standard"
    figure = charts.progress_bars(pd.DataFrame([{"label": label, "waiting": 3}]))
    shown = figure.layout.annotations[1].text
    assert shown.startswith("guess@http://")
    assert shown.endswith("/v1 · control-news/test · standard")
    assert "…" in shown


def test_description_counts_what_came_back(runs: pd.DataFrame) -> None:
    sentence = charts.describe_progress_bars(runs)
    assert "35 of 100 asked (10 the original, 20 another option, 5 no reply)" in sentence
    assert "new: 0 of 40 asked" in sentence


def test_nothing_under_way_still_draws(runs: pd.DataFrame) -> None:
    assert not charts.progress_bars(runs.iloc[:0]).data
    assert charts.describe_progress_bars(runs.iloc[:0]).endswith("none is in progress.")
