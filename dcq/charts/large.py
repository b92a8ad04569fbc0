"""A chart for the back of a room: all that is measured in pixels grows, and nothing else."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

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
