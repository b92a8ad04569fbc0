"""Length and likeness of the options of an instance as bars."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.quiz import standing
from dcq.quiz.standing import Standing
from dcq.ui import pictures
from dcq.ui.pictures import Bar


def show(standings: Sequence[Standing]) -> None:
    """A line an option, the original first, and how the original stands out in words."""
    longest = max(one.length for one in standings)
    said = [
        f"{one.name}: {one.length:,} characters"
        + ("" if one.centrality is None else f", likeness {one.centrality:.2f}")
        for one in standings
    ]
    pictures.bars(
        ("length", "likeness"),
        [
            Bar(
                one.name,
                one.name == standing.ORIGINAL,
                (
                    (one.length / longest, f"{one.length:,}"),
                    None if one.centrality is None else (one.centrality, f"{one.centrality:.2f}"),
                ),
            )
            for one in standings
        ],
        words=f"Length and likeness. {'; '.join(said)}.",
        key="variants_bars",
    )
    apart = standing.give_away(list(standings))
    told = " and ".join(apart)
    st.caption(
        f":material/visibility: The original is {told}: it can be told without memory."
        if apart
        else "By length and likeness the original does not stand out.",
    )
