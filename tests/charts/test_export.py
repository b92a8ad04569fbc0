from __future__ import annotations

import re

import pandas as pd
import pytest

from dcq import charts
from dcq.errors import DcqError

pytestmark = pytest.mark.slow


def test_svg_holds_the_words_on_white_in_ink(both_quizzes: pd.DataFrame) -> None:
    svg = charts.to_image(charts.option_distribution(both_quizzes, "D"), "svg").decode()
    assert "without the original, n = 100" in svg
    assert "rgb(34, 38, 43)" in svg  # INK as Chromium writes it
    assert "rgb(255, 255, 255)" in svg or "white" in svg


def test_png_is_twice_as_wide_as_asked(both_quizzes: pd.DataFrame) -> None:
    png = charts.to_image(charts.option_distribution(both_quizzes, "D"), "png", width=500)
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20], "big") == 1000


def test_without_chromium_the_fix_is_named(
    both_quizzes: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER_PATH", "/nonexistent/chromium")
    with pytest.raises(DcqError, match="apt-get install chromium"):
        charts.to_image(charts.option_distribution(both_quizzes, "D"), "svg")


def test_the_caption_is_below_the_chart_and_nothing_in_it_is_obeyed(
    both_quizzes: pd.DataFrame,
) -> None:
    figure = charts.option_distribution(both_quizzes, "D")
    caption = [
        "gpt-4o · AG News train · n = 100 · run 1",
        "<b>me</b> " + "long-name/" * 30,
        "Made with dcq",
    ]
    bare, dressed = (charts.to_image(figure, "svg", caption=c).decode() for c in ([], caption))
    assert "AG News train" not in bare
    assert "gpt-4o · AG News train · n = 100 · run 1" in dressed
    [title] = re.findall(r'<text class="gtitle" x="10" y="([\d.]+)".*?</text>', dressed)
    lines = re.findall(r'<tspan class="line" dy="([\d.]+)em"[^>]*>([^<]*)</tspan>', dressed)
    assert lines[1][1].startswith("&#60;b&#62;me&#60;/b&#62; long-name/")
    assert lines[-1][1] == "Made with dcq"
    assert figure.layout.height == 380  # the chart itself is not changed
    tall, short = (float(re.findall(r'height="([\d.]+)"', svg)[0]) for svg in (dressed, bare))
    assert float(title) >= short
    assert float(title) + 12 * (float(lines[-1][0]) + 1) <= tall


def test_a_wide_interval_and_a_large_n_have_room_beside_each_other() -> None:
    row = {"model": "m", "partition": "p", "role": "target", "kappa": -0.2}
    row |= {"low": -0.35, "high": -0.05, "n": 100_000}
    figure = charts.kappa_forest(pd.DataFrame([row]))
    shown = {note.text: note for note in figure.layout.annotations}
    interval, n = shown["−0.20 [−0.35, −0.05]"], shown["100,000"]
    assert interval.xanchor == "left"
    assert n.xanchor == "right"
    needed = interval.xshift + 7.4 * (len(interval.text) + len(n.text))
    assert n.xshift >= needed
    assert figure.layout.margin.r == n.xshift
