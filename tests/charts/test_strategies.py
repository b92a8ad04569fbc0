from __future__ import annotations

import pandas as pd

from dcq.charts import describe_strategy_bars, strategy_bars
from dcq.charts.template import ORIGINAL, VARIANT

SCORES = pd.DataFrame(
    {
        "name": ["<b>model</b>", "always the shortest"],
        "score": [0.79, 0.795],
        "low": [0.7, 0.7],
        "high": [0.86, 0.87],
        "n": [100, 100],
        "is_model": [True, False],
    }
)


def test_models_are_blue_and_strategies_grey() -> None:
    (bars,) = strategy_bars(SCORES).data
    assert list(bars.marker.color) == [ORIGINAL, VARIANT]
    assert bars.error_x.array.tolist() == [0.86 - 0.79, 0.87 - 0.795]
    assert bars.customdata.tolist() == [["<b>model</b>", 100], ["always the shortest", 100]]


def test_names_are_never_markup() -> None:
    (name, _) = strategy_bars(SCORES).layout.yaxis.ticktext
    assert name == "<b>&lt;b&gt;model&lt;/b&gt;</b>"


def test_it_is_described_in_a_sentence() -> None:
    assert "always the shortest 80" in describe_strategy_bars(SCORES)


def test_no_score_draws_an_empty_chart() -> None:
    empty = SCORES.head(0)
    assert not len(strategy_bars(empty).data[0].x)
    assert describe_strategy_bars(empty).startswith("Share of originals found")


def test_guessing_is_named_below_its_number() -> None:
    axis = strategy_bars(SCORES).layout.xaxis
    assert axis.ticktext[1] == "25 %<br>guessing"  # beside it, it would run into the next
