from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st
from streamlit.elements.lib import streamlit_plotly_theme

from dcq.charts import template
from dcq.settings import ROOT


def test_nothing_but_ink_has_its_colour() -> None:
    """Else a mark with a meaning would take the colour of the page's text."""
    colours = [name for name, value in vars(template).items() if value == template.INK]
    assert colours == ["INK"]


def test_streamlit_swaps_no_ink() -> None:
    """What it swaps keeps the colour of the theme that a page was opened in."""
    assert template.INK not in vars(streamlit_plotly_theme).values()


def test_page_and_charts_give_a_meaning_the_same_colour() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    for scheme in ("light", "dark"):
        theme = config["theme"][scheme]
        assert theme["blueColor"].upper() == template.ORIGINAL
        assert theme["greenColor"].upper() == template.CONTROL
        assert theme["orangeColor"].upper() == template.CONTAMINATED
        assert theme["yellowColor"].upper() == template.INCONCLUSIVE
        assert theme["grayColor"].upper() == template.VARIANT


@given(st.text(), st.integers(min_value=3, max_value=60))
def test_plain_leaves_no_markup_and_no_line_break(text: str, limit: int) -> None:
    shown = template.plain(text, limit)
    assert "<" not in shown
    assert ">" not in shown
    assert len(shown.splitlines()) <= 1
    unescaped = shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert len(unescaped) <= limit
    if len(" ".join(text.split())) <= limit:
        assert unescaped == " ".join(text.split())


def test_plain_keeps_both_ends_of_a_long_name() -> None:
    shown = template.plain("meta-llama/Meta-Llama-3.1-405B-Instruct-Turbo", 20)
    assert shown.startswith("meta-llama/M")
    assert shown.endswith("-Turbo")


def test_a_label_is_cut_in_its_model_alone() -> None:
    label = "guess@http://127.0.0.1:8653/some/long/path/v1 · standard, original at D"
    shown = template.plain_label(label, 48)
    assert len(shown) == 48
    assert shown.endswith("/v1 · standard, original at D")
    assert template.plain_label("<b>", 48) == "&lt;b&gt;"


def test_faded_keeps_the_colour() -> None:
    assert template.faded("#0072B2", 0.5) == "rgba(0,114,178,0.5)"


def test_what_one_figure_gets_is_not_in_the_next() -> None:
    """All begin with a copy of the same look."""
    before = template.new_figure(100).to_plotly_json()
    first = template.new_figure(100)
    first.update_layout(title="Mine", margin={"l": 1}, legend={"x": 0.3}, hoverlabel_align="left")
    first.update_xaxes(range=[0, 1], title="x").add_annotation(x=0, y=0, text="a").add_vline(x=1)
    first.layout.font.size = 3
    assert template.new_figure(100).to_plotly_json() == before
    assert template.new_figure(200).layout.height == 200
