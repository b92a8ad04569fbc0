from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
import pytest

from dcq import charts
from dcq.charts.template import ORIGINAL, VARIANT, faded
from dcq.evidence.interval import wilson


def bars_of(figure: go.Figure, kind: str) -> go.Bar:
    [bars] = [t for t in figure.data if t.customdata is not None and t.customdata[0][0] == kind]
    return bars


def words(figure: go.Figure) -> list[str]:
    return [annotation.text for annotation in figure.layout.annotations]


def test_shares_are_of_replies_and_errors_are_left_out(both_quizzes: pd.DataFrame) -> None:
    bars = bars_of(charts.option_distribution(both_quizzes, "D"), "standard")
    assert list(bars.y) == [0.12, 0.10, 0.06, 0.70, 0.02]
    assert list(bars.customdata[3]) == ["standard", "D", 70, 100]
    assert list(bars.customdata[4][:3]) == ["standard", "refused", 2]


def test_whiskers_are_wilson_intervals(both_quizzes: pd.DataFrame) -> None:
    bars = bars_of(charts.option_distribution(both_quizzes, "D"), "standard")
    interval = wilson(70, 100)
    assert interval is not None
    assert bars.y[3] + bars.error_y.array[3] == pytest.approx(interval.high)
    assert bars.y[3] - bars.error_y.arrayminus[3] == pytest.approx(interval.low)


def test_original_is_blue_and_named_only_where_it_stands(both_quizzes: pd.DataFrame) -> None:
    figure = charts.option_distribution(both_quizzes, "D")
    assert list(bars_of(figure, "standard").marker.color) == [
        *[VARIANT] * 3,
        ORIGINAL,
        VARIANT,
    ]
    assert bars_of(figure, "modified").marker.color[3] == faded(ORIGINAL)
    named = [name for name in figure.layout.xaxis.ticktext if "original" in name]
    assert named == ["<b>D</b><br><b>original</b>"]
    assert not any("original" in text for text in words(figure))


def test_legend_gives_both_numbers_in_the_order_of_the_bars(both_quizzes: pd.DataFrame) -> None:
    figure = charts.option_distribution(both_quizzes, "D")
    assert [trace.name for trace in figure.data if trace.showlegend is None] == [
        "without the original, n = 100",
        "with the original at D, n = 100 (3 without a reply left out)",
    ]
    first, second = (bars_of(figure, kind) for kind in ("modified", "standard"))
    assert all(left < right for left, right in zip(first.x, second.x, strict=True))


@pytest.mark.parametrize("kind", ["modified", "standard"])
def test_one_quiz_alone_stands_in_the_middle_of_its_slots(
    both_quizzes: pd.DataFrame, kind: str
) -> None:
    figure = charts.option_distribution(both_quizzes[both_quizzes["kind"] == kind], "D")
    assert list(bars_of(figure, kind).x[:4]) == [0, 1, 2, 3]


def test_no_value_is_struck_through_by_the_chance_line(both_quizzes: pd.DataFrame) -> None:
    figure = charts.option_distribution(both_quizzes, "D")
    assert all(a.y >= 0.25 or a.y <= 0.25 - 0.07 for a in figure.layout.annotations)
    assert figure.layout.shapes[0].y0 == 0.25
    assert figure.layout.yaxis.ticktext[1] == "guessing 25 %"


def test_a_quiz_without_any_reply_draws_no_number() -> None:
    counts = pd.DataFrame([{"kind": "standard", "answer": "error", "count": 4}])
    figure = charts.option_distribution(counts, "D")
    assert words(figure) == []
    assert "no answer yet" in charts.describe_option_distribution(counts, "D")


def test_no_quiz_at_all_still_draws() -> None:
    counts = pd.DataFrame({"kind": [], "answer": [], "count": []})
    assert not charts.option_distribution(counts).data
    assert charts.describe_option_distribution(counts).endswith("no answer yet.")


def test_description_says_shares_and_chance(both_quizzes: pd.DataFrame) -> None:
    sentence = charts.describe_option_distribution(both_quizzes, "D")
    assert "without the original, n = 100: A 50 %, B 30 %, C 20 %, D 0 %" in sentence
    assert "D 70 %, refused 2 %" in sentence
    assert sentence.endswith("guessing gives 25 %.")
