from __future__ import annotations

import pandas as pd
import pytest

from dcq import charts
from dcq.charts.template import INK
from dcq.errors import DcqError


def test_svg_holds_the_words_on_white_in_printed_ink(both_quizzes: pd.DataFrame) -> None:
    svg = charts.to_image(charts.option_distribution(both_quizzes, "D"), "svg").decode()
    assert "without the original, n = 100" in svg
    assert "rgb(34, 38, 43)" in svg
    assert INK not in svg
    assert "rgb(0, 0, 55)" not in svg  # INK as Chromium writes it
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
