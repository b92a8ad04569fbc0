"""Models and splits compared with each other: a sentence and a compact table."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.documents.result_tables import COMPARISON_COLUMNS, rank
from dcq.judging.comparisons import NEEDED, ComparedResults
from dcq.ui import judged_table
from dcq.ui.text import plain

WIDTHS = {"On": 130, "Quiz": 150, "Points [95 % interval]": 115, "n": 60, "p (Holm)": 60}
WIDTHS |= {"Compared": 195, "Test": 110}  # pixels, as all others
CHARACTER, ROW = 7, 72  # Streamlit breaks lines in rows of this height and not of 56


def show(comparisons: Sequence[ComparedResults]) -> None:
    """The clearest comparison in words, then all of them; if there is none, what is required."""
    known_comparisons = [
        comparison for comparison in comparisons if comparison.comparison.difference is not None
    ]
    if not known_comparisons:
        st.caption(f"Nothing to compare among the results shown. {NEEDED}")
        return
    ranked = rank(known_comparisons)
    st.markdown(plain(ranked[0].sentence()))
    texts = {
        column.heading: [column.text(comparison) for comparison in ranked]
        for column in COMPARISON_COLUMNS
    }
    # What is the same in all rows is said once, so that the names of the models have the width.
    same = [heading for heading in ("Quiz", "Test") if len(set(texts[heading])) == 1]
    width = WIDTHS["Compared"] + sum(WIDTHS[heading] for heading in same)
    is_long = max(map(len, texts["Compared"])) * CHARACTER > width
    judged_table.show_columns(
        [column for column in COMPARISON_COLUMNS if column.heading not in same],
        ranked,
        alt="Comparisons: sides, quiz, difference in points with interval, n, p.",
        pinned=0,
        widths=WIDTHS | {"Compared": width},
        key="results_comparisons",
        row_height=ROW if is_long else None,
    )
    if same:
        st.caption("All: " + plain(" · ".join(texts[heading][0] for heading in same)))
