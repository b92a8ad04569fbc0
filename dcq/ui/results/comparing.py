"""Models and splits compared with each other: a sentence and a compact table."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.documents.result_tables import rank, tabulate_comparisons
from dcq.judging.comparisons import ComparedResults
from dcq.ui import glossary
from dcq.ui.text import plain

WIDTHS = {"sides": 195, "quiz": 150, "test": 110}  # pixels
CHARACTER, ROW = 7, 72  # pixels; Streamlit breaks lines in rows of this height and not of 56


def show(comparisons: Sequence[ComparedResults]) -> None:
    """The clearest comparison in words, then all of them; if there is none, what is required."""
    known_comparisons = [
        comparison for comparison in comparisons if comparison.comparison.difference is not None
    ]
    if not known_comparisons:
        st.caption(
            "Nothing to compare among the results shown. A comparison needs two models on one "
            "partition, or one model on two splits of a dataset at the same slot, with the same "
            "kind of quiz, finished, and at most a fifth of the replies unusable."
        )
        return
    ranked = rank(known_comparisons)
    st.markdown(plain(ranked[0].sentence()))
    table = tabulate_comparisons(ranked)
    # What is the same in all rows is said once, so that the names of the models have the width.
    same = [name for name in ("quiz", "test") if table[name].nunique(dropna=False) == 1]
    width = WIDTHS["sides"] + sum(WIDTHS[name] for name in same)
    is_long = table["sides"].str.len().max() * CHARACTER > width
    st.dataframe(
        table.drop(columns=same),
        hide_index=True,
        key="results_comparisons",
        column_config=glossary.columns(
            {
                "difference": "Difference",
                "n": "n",
                "p": "p",
                "test": "Test of a comparison",
            },
            {
                "sides": st.column_config.TextColumn("Compared", width=width),
                "on": st.column_config.TextColumn("On", width=130),
                "quiz": st.column_config.TextColumn(
                    "Quiz",
                    width=WIDTHS["quiz"],
                    help="Both slots where two models have different ones: a preference for a slot "
                    "is then part of the difference.",
                ),
                "difference": st.column_config.TextColumn("Difference", width=115),
                "n": st.column_config.TextColumn(
                    "n", width=60, help="Instances; for two samples, one number each."
                ),
                "p": st.column_config.TextColumn("p", width=60),
                "test": st.column_config.TextColumn("Test", width=WIDTHS["test"]),
            },
        ),
        alt="Comparisons: sides, quiz, difference in points with interval, n, p.",
        row_height=ROW if is_long else None,
    )
    if same:
        st.caption("All: " + plain(" · ".join(str(table[name].iloc[0]) for name in same)))
