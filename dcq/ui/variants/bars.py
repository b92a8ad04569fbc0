"""Length and likeness of the options of an instance as bars of text."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.quiz import standing
from dcq.quiz.standing import Standing

_WIDTH = 4  # characters of a full bar
_SHORT = {standing.ORIGINAL: "orig"}
_EIGHTHS = " ▏▎▍▌▋▊▉"


def show(standings: Sequence[Standing]) -> None:
    """A line an option, the original first, and how the original stands out in words."""
    longest = max(one.length for one in standings)
    lines = [f"{'':5}{'length':10}likeness"]
    for one in standings:
        name, length = _SHORT.get(one.name, one.name), _bar(one.length / longest)
        central = "" if one.centrality is None else f"{_bar(one.centrality)} {one.centrality:.2f}"
        lines.append(f"{name:5}{length} {one.length:<5}{central}")
    st.code("\n".join(lines), language=None)
    apart = standing.give_away(list(standings))
    said = " and ".join(apart)
    st.caption(
        f":material/visibility: The original is {said}: it can be told without memory."
        if apart
        else "By length and likeness the original does not stand out.",
    )


def _bar(share: float) -> str:
    """A bar of ``_WIDTH`` characters for a share of 0 to 1."""
    eighths = round(share * _WIDTH * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(_WIDTH)
