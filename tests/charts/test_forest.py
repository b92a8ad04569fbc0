from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from dcq import charts
from dcq.charts.template import CONTAMINATED, CONTROL, INK


def row(model: str, partition: str, role: str, kappa: float, **more: Any) -> dict[str, Any]:
    limits = {"low": kappa - 0.1, "high": kappa + 0.1}
    return {
        "model": model, "partition": partition, "role": role, "n": 100, "kappa": kappa,
    } | limits | more  # fmt: skip  # one line a row reads better here


@pytest.fixture
def results() -> pd.DataFrame:
    return pd.DataFrame(
        [
            row("tiny", "control/news", "control", -0.07),
            row("weak", "ag_news/train", "target", 0.03),
            row("strong", "ag_news/train", "target", 0.53),
            row("strong", "kjv/all", "positive", 0.9),
            row("paper", "ag_news/train", "target", 0.6, published=True),
            row("silent", "kjv/all", "positive", math.nan, n=0),
        ]
    )


def places(results: pd.DataFrame) -> dict[tuple[str, str], float]:
    return {
        (mark[0], mark[1]): y
        for trace in charts.kappa_forest(results).data
        for mark, y in zip(trace.customdata, trace.y, strict=True)
    }


def test_targets_come_first_and_models_by_falling_kappa(results: pd.DataFrame) -> None:
    at = places(results)
    assert sorted(at, key=lambda key: at[key]) == [
        ("paper", "ag_news/train"),
        ("strong", "ag_news/train"),
        ("weak", "ag_news/train"),
        ("strong", "kjv/all"),
        ("silent", "kjv/all"),
        ("tiny", "control/news"),
    ]
    assert len(set(at.values())) == len(at)


def test_role_and_source_decide_the_mark(results: pd.DataFrame) -> None:
    looks = {
        (mark[0], mark[1]): (trace.marker.symbol, trace.marker.color)
        for trace in charts.kappa_forest(results).data
        for mark in trace.customdata
    }
    assert looks[("strong", "ag_news/train")] == ("circle", INK)
    assert looks[("strong", "kjv/all")] == ("triangle-up", INK)
    assert looks[("tiny", "control/news")] == ("square", CONTROL)
    assert looks[("paper", "ag_news/train")][0] == "diamond-open"


def test_numbers_stand_beside_the_marks(results: pd.DataFrame) -> None:
    texts = [a.text for a in charts.kappa_forest(results).layout.annotations]
    assert "0.53 [0.43, 0.63]" in texts
    assert "0.03 [−0.07, 0.13]" in texts
    assert "no valid answer" in texts


def test_an_unfinished_run_shows_how_far_it_came_in_place_of_n(results: pd.DataFrame) -> None:
    figure = charts.kappa_forest(results.assign(progress=["", "9 of 40", "", "", math.nan, ""]))
    assert "9 of 40" in [a.text for a in figure.layout.annotations]
    [weak] = [t for trace in figure.data for t in trace.text if "weak" in t]
    assert weak.endswith("unfinished: 9 of 40")


def test_kappa_that_rounds_to_zero_has_no_sign() -> None:
    table = pd.DataFrame([row("m", "p", "target", -0.001, low=math.nan, high=math.nan)])
    assert "0.00" in [a.text for a in charts.kappa_forest(table).layout.annotations]


def test_a_verdict_is_a_colour_and_a_word(results: pd.DataFrame) -> None:
    table = results.assign(verdict=["", "no evidence", "contaminated", "", math.nan, math.nan])
    figure = charts.kappa_forest(table)
    [trace] = [t for t in figure.data if t.marker.color == CONTAMINATED]
    assert list(trace.x) == [0.53]
    assert "contaminated" in [a.text for a in figure.layout.annotations]


def test_control_zone_is_shaded_and_named(results: pd.DataFrame) -> None:
    none = results[results["role"] != "control"]
    assert not [s for s in charts.kappa_forest(none).layout.shapes if s.name]
    [own] = [s for s in charts.kappa_forest(results).layout.shapes if s.name]
    assert (own.x0, own.x1) == (-0.07, -0.07)
    [zone] = [s for s in charts.kappa_forest(results, (-0.2, 0.1)).layout.shapes if s.name]
    assert (zone.x0, zone.x1, zone.name) == (-0.2, 0.1, "range of the controls")


def test_height_grows_with_the_rows_alone() -> None:
    def height(count: int) -> float:
        table = pd.DataFrame([row(f"m{i}", "p", "target", 0.1) for i in range(count)])
        return float(charts.kappa_forest(table).layout.height)

    assert height(60) - height(1) == 59 * (height(2) - height(1))


def test_markup_and_placeholders_in_names_stay_text() -> None:
    table = pd.DataFrame([row("<b>%{y}{x}", "<a href='x'>p", "target", 0.1)])
    figure = charts.kappa_forest(table)
    assert "&lt;b&gt;%{y}{x}" in [a.text for a in figure.layout.annotations]
    assert figure.data[0].hovertemplate == "%{text}<extra></extra>"
    assert "<a" not in figure.data[0].text[0]


def test_description_names_the_highest(results: pd.DataFrame) -> None:
    assert "strong on kjv/all: 0.90 [0.80, 1.00], n = 100" in charts.describe_kappa_forest(results)


def test_empty_table_draws_and_says_so(results: pd.DataFrame) -> None:
    assert not charts.kappa_forest(results.iloc[:0]).data
    assert charts.describe_kappa_forest(results.iloc[:0]).endswith("no result yet.")


def test_names_stand_in_a_gutter_that_is_wide_enough_for_them(results: pd.DataFrame) -> None:
    table = results.assign(model=[f"{one} with quite a long name indeed" for one in results.model])
    layout = charts.kappa_forest(table).layout
    names = [note for note in layout.annotations if "indeed" in note.text]
    assert len(names) == 5  # the control shares a line that has no name of a model
    for note in names:
        assert (note.x, note.xref, note.xanchor) == (0, "paper", "right")
        assert len(note.text) * 7 < layout.margin.l + note.xshift


def test_controls_share_a_line_and_what_is_inconclusive_is_hollow(results: pd.DataFrame) -> None:
    more = pd.DataFrame([row("strong", "control/news", "control", 0.1)])
    table = pd.concat([results.assign(verdict="undecided"), more])
    figure = charts.kappa_forest(table)
    [controls] = [trace for trace in figure.data if trace.marker.symbol == "square"]
    assert sorted(controls.x) == [-0.07, 0.1]
    assert len(set(controls.y)) == 1
    [hollow] = [trace for trace in figure.data if trace.marker.symbol == "circle-open"]
    assert sorted(hollow.x) == [0.03, 0.53]


def test_columns_to_the_right_do_not_run_into_one_another(results: pd.DataFrame) -> None:
    layout = charts.kappa_forest(results.assign(verdict="contaminated")).layout
    words = [note for note in layout.annotations if note.text == "contaminated"]
    [end] = {note.xshift for note in layout.annotations if note.text == "100"}
    assert {note.xanchor for note in words} == {"left"}
    assert all(end < note.xshift < layout.margin.r - 12 * 7 for note in words)
