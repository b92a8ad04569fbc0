"""What the theme in ``.streamlit/config.toml`` cannot say."""

from __future__ import annotations

import streamlit as st

from dcq.charts.template import INK

# These follow a change of theme by themselves: Streamlit runs no page for it.
# In the dark theme one accent cannot be the background of white letters and a letter on the page,
# both with a contrast of 4.5: the accent is dark enough for the first, and a tab, an option of a
# choice and the value of a slider keep the text colour, whether chosen or not.
# So does what a chart draws in INK. Streamlit swaps colours of a figure for the theme's only once.
_INK = ", ".join(str(part) for part in bytes.fromhex(INK[1:]))  # as browsers write it
_FOLLOWING = f"""<style>
[role="tab"]:not([aria-disabled]), [data-testid="stButtonGroup"] button:not(:disabled),
[data-testid="stSliderThumbValue"] {{color: inherit !important}}
[data-testid="stPlotlyChart"] [style*="fill: rgb({_INK})"] {{fill: currentColor !important}}
[data-testid="stPlotlyChart"] [style*="stroke: rgb({_INK})"] {{stroke: currentColor !important}}
</style>"""

# Small letters keep the line height of large ones, a third of which a record needs to be in sight
# as a whole with what its checks found.
_DENSE = """<style>
.st-key-variants_original p, .st-key-variants_options p {line-height: 1.35}
</style>"""


def adjust() -> None:
    """Once a page, with its navigation."""
    _add(_FOLLOWING)


def dense_records() -> None:
    """On the page of records."""
    _add(_DENSE)


def _add(style: str) -> None:
    """Below the links, where an element more moves nothing. A style alone would be no element of
    the page but take the place of a toast, which a run of the whole page then removes."""
    st.sidebar.html(f"{style}<span></span>")
