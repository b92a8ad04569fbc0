"""A chart as a picture for a slide or a paper.

A chart for the back of a room: all that is measured in pixels grows, and nothing else."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from typing import Any, Literal

import kaleido
import plotly.graph_objects as go
from choreographer.errors import BrowserFailedError, ChromeNotFoundError

from dcq.errors import DcqError

PNG_SCALE = 2  # sharp on a projector
CAPTION_SIZE, CAPTION_LINE, CAPTION_GAP = 12, 16, 10  # pixels
CAPTION_CHARACTER = 7.2  # pixels, the mean width of a letter in a wide face
CAPTION_INK = "#5A6069"


def to_image(
    figure: go.Figure,
    file_format: Literal["svg", "png"],
    width: int = 960,
    caption: Sequence[str] = (),
) -> bytes:
    """``figure`` on white as SVG or PNG, ``width`` pixels wide (a PNG has twice as many), with the
    lines of ``caption`` below it, so that a slide shows them without the app.

    Starts a separate Chromium, which takes a second or two, and needs no network. Raises
    ``DcqError`` if no Chromium is installed or it does not start.
    """
    picture = go.Figure(figure)
    picture.update_layout(paper_bgcolor="white", plot_bgcolor="white")
    _add_caption(picture, caption, width)
    options = {
        "format": file_format,
        "width": width,
        "height": picture.layout.height,
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


def _add_caption(picture: go.Figure, caption: Sequence[str], width: int) -> None:
    """Small lines at the lower edge, in room of their own."""
    if not caption:
        return
    most = int(width / CAPTION_CHARACTER)
    lines = [part for line in caption for part in textwrap.wrap(" ".join(line.split()), most)]
    room = CAPTION_LINE * len(lines) + 2 * CAPTION_GAP
    height = picture.layout.height + room
    picture.update_layout(
        height=height,
        margin_b=(picture.layout.margin.b or 0) + room,
        title={
            "text": "<br>".join(html.escape(line, quote=False) for line in lines),
            "font": {"size": CAPTION_SIZE, "color": CAPTION_INK},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": (room - CAPTION_GAP) / height,
            "yref": "container",
            "yanchor": "top",
            "pad": {"l": CAPTION_GAP},
        },
    )


_PIXELS = {"size", "xshift", "yshift", "standoff", "ax", "ay", "itemwidth", "height", "arrowwidth"}
_STROKES = {"line", "error_x", "error_y"}  # whose width is in pixels; that of a bar is not
_KEPT = {"template", "domain"}


def enlarge(figure: go.Figure, factor: float) -> go.Figure:
    """A copy of ``figure`` with letters, marks, lines, margins and height larger by ``factor``."""
    made: dict[str, Any] = _grow(figure.to_dict(), factor, "")
    return go.Figure(made)


def _grow(value: Any, factor: float, inside: str) -> Any:
    if isinstance(value, dict):
        return {
            key: part if key in _KEPT else _grow_part(key, part, factor, inside)
            for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [_grow(part, factor, inside) for part in value]
    return value


def _grow_part(key: str, part: Any, factor: float, inside: str) -> Any:
    pixels = key in _PIXELS or inside == "margin" or (key == "width" and inside in _STROKES)
    if pixels and isinstance(part, int | float) and not isinstance(part, bool):
        return part * factor
    if key == "size" and isinstance(part, list | tuple):
        return [size * factor for size in part]
    return _grow(part, factor, key)
