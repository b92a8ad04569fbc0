from datetime import date

import pandas as pd

from dcq.charts import describe_effect_over_time, effect_over_time

CUT = date(2023, 12, 31)
ROWS = pd.DataFrame(
    [
        ("originals", date(2024, 2, 1), 0.5, 10),
        ("originals", date(2023, 2, 1), 0.9, 10),
        ("originals", date(2023, 8, 1), 0.7, 30),
        ("recognised", date(2024, 3, 1), 0.1, 10),
        ("m<b>", date(2023, 3, 1), 0.6, 10),
    ],
    columns=["line", "day", "share", "n"],
)


def test_a_line_is_broken_at_the_cutoff_and_named_once() -> None:
    figure = effect_over_time(ROWS, CUT)
    assert [(trace.name, trace.showlegend) for trace in figure.data] == [
        ("originals", True),
        ("originals", False),
        ("m&lt;b&gt;", True),
        ("recognised", True),
    ]
    assert list(figure.data[0].y) == [0.9, 0.7]
    assert figure.layout.shapes[0].x0 == "2023-12-31"


def test_in_words() -> None:
    said = describe_effect_over_time(ROWS, CUT)
    assert "originals 75 %, then 50 %" in said.replace("\u202f", " ").replace("\u00a0", " ")
    assert "recognised 10" in said
    assert "none" in describe_effect_over_time(ROWS[:0], CUT)
    assert len(effect_over_time(ROWS[:0], CUT).data) == 0
