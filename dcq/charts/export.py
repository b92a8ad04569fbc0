"""A chart as a picture for a slide or a paper."""

from __future__ import annotations

import asyncio
import html
import textwrap
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import kaleido
import plotly.graph_objects as go
from choreographer.errors import BrowserFailedError, ChromeNotFoundError

from dcq import writer
from dcq.errors import DcqError

FileFormat = Literal["svg", "png"]

_WIDTH = 960  # pixels
PNG_SCALE = 2  # sharp on a projector
CAPTION_SIZE, CAPTION_LINE, CAPTION_GAP = 12, 16, 10  # pixels
CAPTION_CHARACTER = 7.2  # pixels, the mean width of a letter in a wide face
CAPTION_INK = "#5A6069"


def to_image(
    figure: go.Figure,
    file_format: FileFormat,
    width: int = _WIDTH,
    caption: Sequence[str] = (),
) -> bytes:
    """``figure`` on white as SVG or PNG, ``width`` pixels wide (a PNG has twice as many), with the
    lines of ``caption`` below it, so that a slide shows them without the app.

    Starts a separate Chromium, which takes a second or two, and needs no network. Raises
    ``DcqError`` if no Chromium is installed or it does not start.
    """
    [image] = _images(figure, [file_format], width, caption)
    return image


def write_images(figure: go.Figure, path: Path) -> None:
    """Write ``figure`` as SVG and as PNG to files of the name ``path``, by one Chromium; as
    ``to_image`` otherwise."""
    formats: tuple[FileFormat, ...] = ("svg", "png")
    images = zip(formats, _images(figure, formats), strict=True)
    writer.write_all({path.with_suffix(f".{name}"): image for name, image in images})


def _images(
    figure: go.Figure,
    file_formats: Sequence[FileFormat],
    width: int = _WIDTH,
    caption: Sequence[str] = (),
) -> list[bytes]:
    picture = go.Figure(figure)
    picture.update_layout(paper_bgcolor="white", plot_bgcolor="white")
    _add_caption(picture, caption, width)
    options = [
        {
            "format": file_format,
            "width": width,
            "height": picture.layout.height,
            "scale": PNG_SCALE if file_format == "png" else 1,
        }
        for file_format in file_formats
    ]
    try:
        with ThreadPoolExecutor(1) as apart:  # in this thread there may be a loop already
            return apart.submit(asyncio.run, _drawn(picture, options)).result()
    except (ChromeNotFoundError, BrowserFailedError) as error:
        raise DcqError(
            "Pictures are drawn by Chromium, which is missing or does not start; "
            "install it, for example with: apt-get install chromium"
        ) from error


async def _drawn(picture: go.Figure, options: Sequence[dict[str, Any]]) -> list[bytes]:
    # Without mathjax=False, kaleido fetches MathJax from the network; no chart here needs it.
    async with kaleido.Kaleido(n=1, mathjax=False) as chromium:
        return [bytes(await chromium.calc_fig(picture, opts=each)) for each in options]


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
