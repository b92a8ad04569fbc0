"""A chart as a picture for a slide or a paper."""

from __future__ import annotations

from typing import Literal

import kaleido
import plotly.graph_objects as go
import plotly.io as pio
from choreographer.errors import BrowserFailedError, ChromeNotFoundError

from dcq.charts.template import INK
from dcq.errors import DcqError

PRINTED_INK = "#22262B"
PNG_SCALE = 2  # sharp on a projector


def to_image(figure: go.Figure, file_format: Literal["svg", "png"], width: int = 960) -> bytes:
    """``figure`` on white as SVG or PNG, ``width`` pixels wide (a PNG has twice as many).

    Starts a Chromium of its own, which takes a second or two, and needs no network. Raises
    ``DcqError`` where no Chromium is installed or it does not start.
    """
    picture = pio.from_json(figure.to_json().replace(INK, PRINTED_INK))
    picture.update_layout(paper_bgcolor="white", plot_bgcolor="white")
    options = {
        "format": file_format,
        "width": width,
        "height": figure.layout.height,
        "scale": PNG_SCALE if file_format == "png" else 1,
    }
    try:
        # Without this, kaleido fetches MathJax from the network; no chart here needs it.
        image = kaleido.calc_fig_sync(picture, opts=options, kopts={"mathjax": False})
    except (ChromeNotFoundError, BrowserFailedError) as error:
        raise DcqError(
            "Pictures are drawn by Chromium, which is missing or does not start; "
            "install it, for example with: apt-get install chromium"
        ) from error
    return bytes(image)
