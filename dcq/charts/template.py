"""The look that all charts share: colours by meaning, one template, and text made safe to show.

Text and plain marks are drawn in ``INK``, as they are printed. On the screen they take the text
colour of the page around them, in light and in dark: see ``dcq.ui.page``, and the style of the HTML
report. All other colours here stand out on both grounds.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from functools import cache

import plotly.graph_objects as go

ORIGINAL = "#0072B2"
VARIANT = "#8C929B"
CONTROL = "#009E73"
CONTAMINATED = "#D55E00"
INCONCLUSIVE = "#E69F00"
CHANCE = "#8C929B"
CHANCE_LINE = {"color": CHANCE, "dash": "dash", "width": 1.5}

# Nothing else has this colour, so that a page finds by it what to draw in its own. Streamlit would
# swap some colours for the theme's, but only once: they stay when the theme changes.
INK = "#22262B"

FADED = 0.35  # opacity of what was answered without the original
TEXT_SIZE = 14
SMALL_SIZE = 13
TICKS = {"size": SMALL_SIZE, "color": INK}
THIN_SPACE = "\u202f"  # does not break
CHARACTER = 7.4  # pixels, the mean width of a figure in a wide face of SMALL_SIZE

TEMPLATE = go.layout.Template(
    layout={
        "font": {"family": "'Source Sans', 'Source Sans Pro', Arial, Helvetica, sans-serif"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"pad": 8},
        "xaxis": {"showgrid": False, "zeroline": False, "automargin": True},
        "yaxis": {"gridcolor": "rgba(140,146,155,0.25)", "zeroline": False, "automargin": True},
    }
)


def new_figure(height: int) -> go.Figure:
    """An empty figure in the shared look, ``height`` in pixels."""
    figure = go.Figure(layout=_look())
    figure.layout.height = height
    return figure


@cache
def _look() -> go.Layout:
    """To copy it takes a seventh of the time that it takes to set all of it anew."""
    return dress(go.Figure(), 100).layout


def dress(figure: go.Figure, height: int) -> go.Figure:
    """Give ``figure`` the shared look and return it."""
    return figure.update_layout(
        template=TEMPLATE,
        height=height,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"size": TEXT_SIZE, "color": INK},
        margin={"l": 8, "r": 8, "t": 44, "b": 40},
        hoverlabel_font_size=SMALL_SIZE,
        modebar_remove=["toImage"],  # a picture leaves with its caption only: ``to_image``
        legend={
            "orientation": "h",
            "x": 0,
            "traceorder": "normal",
            "xanchor": "left",
            "y": 1,
            "yanchor": "top",
            "yref": "container",
            "font": {"size": SMALL_SIZE, "color": INK},
            # Words at the marks would stay when a click hid the marks.
            "itemclick": False,
            "itemdoubleclick": False,
        },
    )


def faded(colour: str, opacity: float = FADED) -> str:
    """``colour`` (``#rrggbb``) as CSS, let through by ``opacity`` from 0 to 1."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def room(words: Iterable[str], shift: int = 8) -> int:
    """Pixels for the longest of ``words``, their markup aside, which begin ``shift`` to the right
    of what they stand beside: a margin, because a share of the axis is too little on a phone."""
    longest = max((len(html.unescape(re.sub("<[^>]*>", "", text))) for text in words), default=0)
    return round(shift + CHARACTER * longest)


def plain(text: str, limit: int = 200) -> str:
    """``text`` on one line, cut in its middle to ``limit`` characters, its markup shown as typed.

    Plotly reads ``<b>`` and the like in every text it draws, and names may hold anything.
    """
    line = " ".join(text.split())
    if len(line) > limit:
        head = (limit - 1) * 2 // 3
        line = f"{line[:head]}…{line[len(line) - (limit - 1 - head) :]}"
    return html.escape(line, quote=False)


def plain_label(label: str, limit: int) -> str:
    """``model · partition · quiz`` as ``plain`` does, cut in the model alone: its name may hold a
    long address, and what comes after it tells the lines apart. Keeps 16 characters of it."""
    model, dot, tail = label.partition(" · ")
    return plain(model, max(limit - len(dot + tail), 16)) + dot + plain(tail)
