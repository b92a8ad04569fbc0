"""Charts as data for the browser: numbers are those given, and no markup is made."""

from __future__ import annotations

import json
import math

import pandas as pd
import pytest

from dcq.documents import drawings, pictures, ruler_drawings
from dcq.sections import Chart, Example, Exhibit

NAMES = ("<b>one</b>", "two")


def rulers() -> pd.DataFrame:
    seen = {
        "run": "r1", "name": NAMES[0], "group": "Rivers", "n": 210, "progress": "", "found": 0.486,
        "low": 0.42, "high": 0.55, "expected_low": 0.2, "expected_high": 0.44, "dots": [0.3, 0.37],
        "ruling": "contaminated",
    }  # fmt: skip  # one finding
    nothing = dict.fromkeys(("found", "low", "high", "expected_low", "expected_high"), math.nan)
    bare = seen | nothing | {"run": "r2", "name": "two", "dots": [], "ruling": "", "n": 0}
    return pd.DataFrame([seen, bare])


def test_a_ruler_has_the_finding_its_interval_and_what_is_expected() -> None:
    kind, data = ruler_drawings.verdict_ruler(rulers())
    first, second = data["rows"]
    assert kind == "rulers"
    assert (first["found"], first["low"], first["high"]) == (0.486, 0.42, 0.55)
    assert (first["expected_low"], first["expected_high"], first["dots"]) == (
        0.2,
        0.44,
        [0.3, 0.37],
    )
    assert first["value"] == "49 % of 210"
    assert first["found_text"] == "found: 49 % [42 % to 55 %]"
    assert first["expected_text"] == "expected on unseen text: 20 % to 44 %"
    assert second["found"] is None
    assert second["value"] == "no value"
    assert data["scale"]["line"] == 0.25
    words = ruler_drawings.describe_verdict_ruler(rulers())
    assert (
        "found: 49 % [42 % to 55 %]; expected on unseen text: 20 % to 44 %; contaminated" in words
    )
    json.dumps(data, allow_nan=False)


@pytest.mark.parametrize("counts", [(0, 0, 200), (1, 0, 999), (33, 33, 34), (200, 0, 0), (1, 1, 1)])
def test_a_waffle_has_a_hundred_squares_and_one_for_what_is_rare(counts: tuple[int, ...]) -> None:
    rows = pd.DataFrame(
        {
            "category": ["input-and-label", "input-only", "clean"],
            "count": counts,
            "share": [count / sum(counts) for count in counts],
        }
    )
    chart = Chart("overlap_categories", rows)
    kind, data = drawings.DRAWINGS[chart.name](rows)
    squares = [part["squares"] for part in data["parts"]]
    assert kind == "waffle"
    assert sum(squares) == drawings.SQUARES
    assert [bool(one) for one in squares] == [bool(one) for one in counts]


def test_two_models_are_lines_with_what_they_found() -> None:
    rows = pd.DataFrame(
        {
            "name": ["Rivers", "Unseen"], "left": [0.28, 0.25], "right": [0.49, 0.3],
            "is_control": [False, True], "ruling": ["undecided", ""],
        }
    )  # fmt: skip  # a column a side
    _, data = drawings.model_slope(rows, *NAMES)
    assert (data["left"], data["right"]) == NAMES
    assert [line["right_text"] for line in data["lines"]] == ["49 %", "30 %"]
    assert [line["control"] for line in data["lines"]] == [False, True]
    assert ("undecided", "hollow: undecided") in data["legend"]
    assert "Rivers 28 % and 49 %" in drawings.describe_model_slope(rows, *NAMES)


def test_words_that_are_not_in_every_option_are_marked_and_tell_nobody_the_original() -> None:
    options = (
        ("A", "The quick fox leaps over it."),
        ("B", "The fast fox jumps over it."),
        ("C", "The quick fox jumps over it."),
    )
    example = Example("m", "", options, "C", "A", hidden=False, share="1 of 2", caption=())
    made = pictures.item_of(example, revealed=False).data["options"]
    for (_, text), option in zip(options, made, strict=True):
        assert "".join(words for words, _ in option["parts"]) == text
        assert len([words for words, differs in option["parts"] if differs]) == 2
        assert {"quick", "fast"} & {words for words, differs in option["parts"] if differs}


def test_a_chart_that_is_not_drawn_here_is_its_table() -> None:
    table = pd.DataFrame({"What": ["a"], "n": [1_000]})
    exhibit = Exhibit("Words", (), table, Chart("no_such_chart", table))
    assert pictures.picture_of(exhibit) is None
    shown = pictures.table_of(exhibit).data
    assert shown["rows"] == [["a", "1,000"]]
    assert shown["numbers"] == [False, True]


ACCURACY = pd.DataFrame(
    [
        {"model": model, "category": category, "n": n, "accuracy": a, "low": a - 0.1, "high": a}
        for model, shares in {"m <b>7B</b>": (0.5, math.nan, 0.6), "n": (0.4, 0.3, 0.7)}.items()
        for category, a, n in zip(
            ("clean", "input-only", "input-and-label"), shares, (80, 0, 15), strict=True
        )
    ]
)
EFFECTS = pd.DataFrame(
    [
        ("t<b>", "c", "clean model", 0.7, 0.69),
        ("t<b>", "t<b>", "all instances", 0.8, 0.7),
        ("t<b>", "t<b>", "recognised", 0.9, 0.7),
        ("u", "u", "all instances", 0.6, 0.6),
    ],
    columns=["panel", "model", "line", "original", "reworded"],
)
STRATEGIES = pd.DataFrame(
    {
        "name": ["<b>model</b>", "always the shortest"],
        "score": [0.79, 0.795],
        "low": [0.7, 0.7],
        "high": [0.86, 0.87],
        "n": [100, 100],
        "is_model": [True, False],
    }
)


def test_accuracy_on_clean_and_found_instances_has_a_line_each() -> None:
    drawn = pictures.draw(Chart("accuracy_by_category", ACCURACY))
    assert [row["name"] for row in drawn.data["rows"][:2]] == ["not found", "only the input found"]
    assert "m <b>7B</b>: clean 50 % of 80, input and label 60 % of 15." in drawn.words
    assert pictures.draw(Chart("accuracy_by_category", ACCURACY[:0])).words.endswith(
        "no model yet."
    )


def test_clean_models_are_grey_and_unnamed_lines_beside_a_target() -> None:
    drawn = pictures.draw(Chart("effect_slopes", EFFECTS))
    assert [line["control"] for line in drawn.data["lines"]] == [True, False, False, False]
    assert drawn.data["lines"][0]["name"] == ""
    assert drawn.data["lines"][1]["left_text"] == "80 %"
    assert "u: all instances 60.0 % to 60.0 %; 0 clean models" in drawn.words
    assert "No model yet" in pictures.draw(Chart("effect_slopes", EFFECTS[:0])).words


def test_strategies_stand_aside_and_the_model_does_not() -> None:
    drawn = pictures.draw(Chart("strategy_bars", STRATEGIES))
    assert [row["look"] for row in drawn.data["rows"]] == ["", "is-aside"]
    assert drawn.data["rows"][0]["low"] == 0.7
    assert "always the shortest 80" in drawn.words
    assert pictures.draw(Chart("strategy_bars", STRATEGIES[:0])).words.startswith(
        "Share of originals found"
    )


CATEGORIES = pd.DataFrame(
    [
        {"category": "clean", "count": 90, "n": 100, "share": 0.9, "low": 0.82, "high": 0.95},
        {"category": "input-only", "count": 3, "n": 100, "share": 0.03, "low": 0.01, "high": 0.08},
        {
            "category": "input-and-label", "count": 7, "n": 100,
            "share": 0.07, "low": 0.03, "high": 0.14,
        },
    ]
)  # fmt: skip
WINDOWS = pd.DataFrame(
    [
        {"window": "2017–<i>2020</i>", "n": 50, "share": 0.1, "low": 0.04, "high": 0.21},
        {"window": "2020–2023", "n": 50, "share": 0.31, "low": 0.2, "high": 0.45},
    ]
)


def test_categories_are_told_with_their_numbers() -> None:
    drawn = pictures.draw(Chart("overlap_categories", CATEGORIES))
    assert drawn.words == (
        "Of 100 instances looked for: clean 90 (90 %), input only 3 (3 %), input and label 7 (7 %)."
    )
    empty = pictures.draw(Chart("overlap_categories", CATEGORIES[:0]))
    assert "nothing was looked for" in empty.words


def test_windows_stand_in_their_order_with_their_intervals() -> None:
    drawn = pictures.draw(Chart("found_by_window", WINDOWS))
    assert [row["name"] for row in drawn.data["rows"]] == ["2017–<i>2020</i>", "2020–2023"]
    assert (drawn.data["rows"][1]["low"], drawn.data["rows"][1]["high"]) == (0.2, 0.45)
    assert "2020–2023 31 % of 50" in drawn.words
    assert "no window yet" in pictures.draw(Chart("found_by_window", WINDOWS[:0])).words
