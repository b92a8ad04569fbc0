"""The scope of a stored search: its days and its language."""

from __future__ import annotations

from dcq.overlap.search.service import Scope, Window
from dcq.store.overlaps import OverlapDesign


def scope_of(design: OverlapDesign) -> Scope:
    """The scope that a service was given with each query."""
    return Scope(window_of(design), design.language)


def window_of(design: OverlapDesign) -> Window | None:
    """The days that are asked about; None for no limit."""
    if design.window_start is None or design.window_end is None:
        return None
    return Window(design.window_start, design.window_end)
