from __future__ import annotations

import pandas as pd

from dcq import charts
from dcq.charts.template import CONTAMINATED, VARIANT

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
DOMAINS = pd.DataFrame({"domain": ["quizlet.com", "<b>a</b>.org"], "instances": [9, 2]})


def test_categories_have_their_colours_numbers_and_whiskers() -> None:
    figure = charts.overlap_categories(CATEGORIES)
    [bars] = figure.data
    assert list(bars.marker.line.color) == [VARIANT, CONTAMINATED, CONTAMINATED]
    assert bars.marker.color[1] != bars.marker.color[2]  # and a word beside each
    assert list(figure.layout.yaxis.ticktext) == ["clean", "input only", "input and label"]
    assert abs(bars.error_x.array[2] - 0.07) < 1e-9
    assert "<b>7</b> (7 %)" in [note.text for note in figure.layout.annotations]
    assert charts.describe_overlap_categories(CATEGORIES) == (
        "Of 100 instances looked for: clean 90 (90 %), input only 3 (3 %), input and label 7 (7 %)."
    )


def test_windows_are_shown_in_their_order_and_as_typed() -> None:
    figure = charts.found_by_window(WINDOWS)
    assert figure.layout.yaxis.ticktext[0] == "2017–&lt;i&gt;2020&lt;/i&gt;"
    assert [note.text for note in figure.layout.annotations][1] == "<b>31 %</b> of 50"
    assert "2020–2023 31 % of 50" in charts.describe_found_by_window(WINDOWS)


def test_domains_are_counted() -> None:
    figure = charts.domain_bars(DOMAINS, 10)
    assert list(figure.data[0].text) == ["9", "2"]
    assert figure.layout.yaxis.ticktext[1] == "&lt;b&gt;a&lt;/b&gt;.org"
    assert charts.describe_domain_bars(DOMAINS, 10).startswith(
        "Of 10 found instances with an address, by domain: quizlet.com 9"
    )


def test_nothing_draws_an_empty_chart_and_says_so() -> None:
    assert charts.overlap_categories(CATEGORIES[:0]).layout.yaxis.ticktext == ()
    assert "nothing was looked for" in charts.describe_overlap_categories(CATEGORIES[:0])
    assert "no window yet" in charts.describe_found_by_window(WINDOWS[:0])
    assert charts.found_by_window(WINDOWS[:0]).layout.annotations == ()
    assert len(charts.domain_bars(DOMAINS[:0], 0).data[0].x) == 0
    assert "none has a web address" in charts.describe_domain_bars(DOMAINS[:0], 0)


def test_the_words_beside_a_full_bar_have_room_whatever_the_width() -> None:
    full = CATEGORIES.assign(count=1_346, n=1_346, share=1.0, low=0.9, high=1.0)
    layout = charts.overlap_categories(full).layout
    assert layout.xaxis.range[1] < 1.05  # the room is pixels, not a share of a narrow plot
    assert layout.margin.r > 6 * len("1,346 (100 %)")
    assert layout.margin.r > charts.overlap_categories(CATEGORIES).layout.margin.r
