"""What a service is told beside the query, as a stored search has it."""

from __future__ import annotations

from dcq.overlap.search.service import Scope, Window
from dcq.store.overlaps import OverlapDesign


def scope_of(asked: OverlapDesign) -> Scope:
    """What a service was told beside the query."""
    return Scope(window_of(asked), asked.language)


def window_of(asked: OverlapDesign) -> Window | None:
    """The days that are asked about; None for no limit."""
    if asked.window_start is None or asked.window_end is None:
        return None
    return Window(asked.window_start, asked.window_end)
