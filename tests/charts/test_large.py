from __future__ import annotations

import plotly.graph_objects as go

from dcq.charts import enlarge


def test_what_is_in_pixels_grows_and_data_does_not() -> None:
    figure = go.Figure(
        [
            go.Bar(x=["A", "B"], y=[0.2, 0.8], width=0.6, marker_line_width=1),
            go.Scatter(x=[1], y=[2], marker_size=[10], textfont_size=12),
        ]
    )
    figure.update_layout(height=300, margin={"t": 40}, font_size=14, xaxis_domain=[0, 0.5])
    figure.add_annotation(text="n", x=1, y=2, xshift=6, font_size=13)
    made = enlarge(figure, 2)
    assert list(made.data[0].y) == [0.2, 0.8]
    assert made.data[0].width == 0.6
    assert made.data[0].marker.line.width == 2
    assert list(made.data[1].marker.size) == [20]
    assert made.data[1].textfont.size == 24
    assert (made.layout.height, made.layout.margin.t, made.layout.font.size) == (600, 80, 28)
    assert tuple(made.layout.xaxis.domain) == (0, 0.5)
    annotation = made.layout.annotations[0]
    assert (annotation.x, annotation.y, annotation.xshift, annotation.font.size) == (1, 2, 12, 26)
    assert figure.layout.height == 300
