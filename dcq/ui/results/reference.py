"""The paper's own figures, with their source."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.audit import published
from dcq.sections import Chart
from dcq.ui import glossary, rulers
from dcq.ui.results.kappa import published_rows
from dcq.words import interval_words

SOURCE = (
    "Golchin and Surdeanu, *Data Contamination Quiz: A Tool to Detect and Estimate Contamination "
    "in Large Language Models*, arXiv 2311.06233"
)


def show_table1(table: pd.DataFrame) -> None:
    """Table 1 as a forest chart, its source, and where a printed value departs from the formula;
    the numbers are one click away."""
    rulers.show_chart(Chart("kappa_forest", published_rows(table)), key="reference_table1")
    odd = [
        f"{row['model']} on {row['dataset']} {row['split']} is printed as "
        f"{100 * row['printed']:.2f} %, but its score of {100 * row['score']:.2f} % gives "
        f"{100 * max(row['kappa'], 0):.2f} % by the formula"
        for row in published.misprints(table).to_dict("records")
    ]
    st.caption(
        f"Hollow marks: {SOURCE}, Table 1, {len(table)} settings, κ by the paper's formula; the "
        f"intervals are ours. The paper prints 0 where κ is below 0. {'; '.join(odd)}."
    )
    with st.expander("The paper's Table 1 in numbers"):
        st.dataframe(
            pd.DataFrame(
                {
                    "Model": table["model"],
                    "Partition": table["dataset"] + " " + table["split"],
                    "n": table["n"],
                    "Score": 100 * table["score"],
                    "κ by the formula": 100 * table["kappa"],
                    "95 % interval": [
                        interval_words(low, high)
                        for low, high in zip(table["low"], table["high"], strict=True)
                    ],
                    "κ as printed": 100 * table["printed"],
                }
            ),
            hide_index=True,
            column_config=glossary.columns(
                {
                    "n": "n",
                    "Score": "Score",
                    "κ by the formula": "κ",
                    "95 % interval": "95 % interval",
                    "κ as printed": "κ",
                },
                {
                    name: st.column_config.NumberColumn(format="%.2f %%")
                    for name in ("Score", "κ by the formula", "κ as printed")
                },
            ),
            alt="Table 1 of the paper: model, partition, n, score, kappa by formula and printed.",
        )


def show_figure3() -> None:
    """Figure 3: the share of option D without and with the original, on the train splits."""
    pairs = charts.from_figure_3(published.figure3())
    st.plotly_chart(
        charts.paired_slots(pairs),
        key="reference_figure3",
        config={"displayModeBar": False},
        alt=charts.describe_paired_slots(pairs),
    )
    st.caption(f"{SOURCE}, Figure 3: option D, n = 100 each.")
    with st.expander("The paper's Figure 3 in numbers"):
        st.dataframe(
            pairs.assign(modified=100 * pairs["modified"], standard=100 * pairs["standard"]),
            hide_index=True,
            column_config=glossary.columns(
                {"n": "n", "modified": "Without the original", "standard": "With the original"},
                {
                    "modified": st.column_config.NumberColumn(
                        "without the original", format="%d %%"
                    ),
                    "standard": st.column_config.NumberColumn("with the original", format="%d %%"),
                },
            ),
            alt="Figure 3 of the paper: model, partition, slot, n, share without and with.",
        )
