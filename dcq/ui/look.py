"""What the theme in ``.streamlit/config.toml`` cannot say."""

from __future__ import annotations

import streamlit as st

# In the dark theme one accent cannot be the background of white letters and a letter on the page,
# both with a contrast of 4.5: the accent is dark enough for the first, this is for the second.
_DARK = """<style>
[data-selected="true"] p, [data-selected="true"] [data-testid="stIconMaterial"],
[data-testid="stSliderThumbValue"] p {color: #c3d7ea}
</style>"""

# Small letters keep the line height of large ones, a third of which a record needs to be in sight
# as a whole with what its checks found.
_DENSE = """<style>
.st-key-variants_original p, .st-key-variants_options p {line-height: 1.35}
</style>"""


def adjust() -> None:
    """Once a page, after its title."""
    if st.context.theme.type == "dark":
        _add(_DARK)


def dense_records() -> None:
    """On the page of records."""
    _add(_DENSE)


def _add(style: str) -> None:
    """Below the links, where an element more moves nothing. A style alone would be no element of
    the page but take the place of a toast, which a run of the whole page then removes."""
    st.sidebar.html(f"{style}<span></span>")
