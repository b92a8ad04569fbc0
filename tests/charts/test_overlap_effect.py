from __future__ import annotations

import math

import pandas as pd
import pytest

from dcq import charts
from dcq.charts.overlap_effect import MOST_NAMES

BINS = pd.DataFrame(
    [
        {
            "model": model, "start": start, "end": start + 0.1, "n": n, "accuracy": share,
            "low": share - 0.1, "high": share + 0.1,
        }
        for model in ("a", "b", "c")
        for start, n, share in ((0.0, 20, 0.4), (0.5, 0, math.nan), (0.9, 7, 0.6))
    ]
)  # fmt: skip
SIZES = pd.DataFrame(
    [
        {"model": "m-7b", "billions": 7.0, "gain": 0.03, "low": -0.1, "high": 0.15},
        {"model": "m-70b", "billions": 70.0, "gain": -0.05, "low": math.nan, "high": math.nan},
    ]
)


DOMAINS = pd.DataFrame({"domain": ["quizlet.com", "<b>a</b>.org"], "instances": [9, 2]})


def test_domains_are_counted() -> None:
    figure = charts.domain_bars(DOMAINS, 10)
    assert list(figure.data[0].text) == ["9", "2"]
    assert figure.layout.yaxis.ticktext[1] == "&lt;b&gt;a&lt;/b&gt;.org"
    assert charts.describe_domain_bars(DOMAINS, 10).startswith(
        "Of 10 found instances with an address, by domain: quizlet.com 9"
    )


def test_each_model_has_a_panel_of_bins_with_their_n() -> None:
    figure = charts.accuracy_by_meteor(BINS)
    assert len(figure.data) == 3
    assert list(figure.data[0].x) == pytest.approx([0.05, 0.95])  # the empty bin is left out
    texts = [note.text for note in figure.layout.annotations]
    assert texts[:3] == ["<b>a</b>", "<b>b</b>", "<b>c</b>"]
    assert texts.count("20") == 3
    assert "a: 40 % of 20 from 0.0 to 0.1, 60 % of 7 from 0.9 to 1.0." in (
        charts.describe_accuracy_by_meteor(BINS)
    )


def test_gains_are_points_on_a_logarithmic_axis_of_size() -> None:
    figure = charts.gain_by_size(SIZES)
    assert list(figure.data[0].y) == pytest.approx([3, -5])
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.xaxis.ticktext == ("7B", "70B")
    assert figure.data[0].error_y.array[1] == 0
    assert charts.describe_gain_by_size(SIZES, -0.5) == (
        "Points on found minus clean instances: m-7b (7 billion) +3, m-70b (70 billion) −5. "
        "Rank correlation −0.50."
    )
    many = pd.concat([SIZES] * MOST_NAMES)
    assert charts.gain_by_size(many).data[0].mode == "markers"


def test_nothing_draws_an_empty_chart() -> None:
    assert len(charts.accuracy_by_meteor(BINS[:0]).data) == 0
    assert len(charts.domain_bars(DOMAINS[:0], 0).data[0].x) == 0
    assert "none has a web address" in charts.describe_domain_bars(DOMAINS[:0], 0)
    assert len(charts.gain_by_size(SIZES[:0]).data[0].x) == 0
    assert charts.describe_accuracy_by_meteor(BINS[:0]).endswith("No model yet.")
    assert charts.describe_gain_by_size(SIZES[:0], None).endswith("no model.")
