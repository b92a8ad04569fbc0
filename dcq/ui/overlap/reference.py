"""The contamination report's own tables, with their source."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.evidence.interval import wilson
from dcq.evidence.subsets import trend
from dcq.overlap import published
from dcq.overlap.sizes import size_in_name
from dcq.sections import Chart
from dcq.ui import glossary, rulers
from dcq.words import interval_words, p_words, two_decimals

SOURCE = (
    "Li, Guo, Guerin and Lin, *An Open-Source Data Contamination Report for Large Language Models*"
)
_SHARE = st.column_config.NumberColumn(format="%.1f %%")
_GAP = st.column_config.NumberColumn(format="%+.2f")


def show() -> None:
    """Tables 1 to 5: how much of six benchmarks was found, and accuracy by subset."""
    _found()
    _accuracy()
    _rest()


def _found() -> None:
    st.markdown("##### How much of each benchmark was found")
    table = published.contamination()
    limits = [
        wilson(int(k), int(n)) for k, n in zip(table["contaminated"], table["total"], strict=True)
    ]
    rows = pd.DataFrame(
        {
            "window": table["dataset"] + " " + table["split"],
            "n": table["total"],
            "share": table["share"],
            "low": [interval.low if interval else None for interval in limits],
            "high": [limit.high if limit else None for limit in limits],
        }
    ).sort_values("share", ascending=False)
    rulers.show_chart(Chart("found_by_window", rows), key="overlap_reference_found")
    st.caption(
        f"{SOURCE}, Table 1. The shares are of all instances, the intervals are ours. The authors' "
        "code drops instances that it cannot search for without counting them."
    )
    with st.expander("Table 1 in numbers"):
        st.dataframe(
            table.assign(share=100 * table["share"]),
            hide_index=True,
            column_config=glossary.columns(
                {"share": "Share found", "total": "Instances", "online": "Instances"}
                | dict.fromkeys(("contaminated", "input_only", "input_and_label"), "Category"),
                {"share": _SHARE},
            ),
            alt="Table 1 of the report: instances by data set, found, input only, with label.",
        )


def _accuracy() -> None:
    st.markdown("##### Accuracy on found and on clean instances")
    table = published.accuracy()
    wide = table.assign(
        column=table["dataset"] + ", " + table["subset"].str.replace("_", " "),
        value=100 * table["value"],
    ).pivot(index="model", columns="column", values="value")
    wide = wide.reindex(table["model"].unique())
    gains = table[(table["dataset"] == "average") & (table["subset"] == "not_clean")]
    rows = pd.DataFrame(
        {
            "model": gains["model"],
            "billions": [size_in_name(model) for model in gains["model"]],
            "gain": gains["value"],
            "low": float("nan"),
            "high": float("nan"),
        }
    )
    size_trend = trend(rows["billions"], rows["gain"])
    st.plotly_chart(
        charts.gain_by_size(rows),
        key="overlap_reference_sizes",
        config={"displayModeBar": False},
        alt=charts.describe_gain_by_size(rows, size_trend.correlation),
    )
    sentence = ""
    if size_trend.correlation is not None and size_trend.p_value is not None:
        sentence = (
            f" Rank correlation over {size_trend.n} models: {two_decimals(size_trend.correlation)}"
        )
        if size_trend.low is not None and size_trend.high is not None:
            sentence += f" {interval_words(size_trend.low, size_trend.high)}"
        sentence += f", {p_words(size_trend.p_value)}."
    st.caption(
        f"{SOURCE}, Table 2: not clean minus clean, the average of three benchmarks, by size of "
        f"the model. The correlation is ours.{sentence}"
    )
    with st.expander("Table 2 in numbers"):
        st.dataframe(
            wide,
            column_config=glossary.columns(
                {name: "Accuracy" if name.endswith(", clean") else "Gap" for name in wide.columns},
                {name: _SHARE if name.endswith(", clean") else _GAP for name in wide.columns},
            ),
            alt="Table 2 of the report: accuracy on clean instances and differences from it.",
        )
        st.caption("Accuracy on clean instances in per cent, differences from it in points.")


def _rest() -> None:
    with st.expander("Table 3: C-Eval"):
        ceval = published.accuracy_ceval().set_index("model")
        st.dataframe(
            100 * ceval,
            column_config=glossary.columns(
                dict.fromkeys(ceval.columns, "Accuracy"), dict.fromkeys(ceval.columns, _SHARE)
            ),
            alt="Table 3 of the report: accuracy on C-Eval by subset.",
        )
    with st.expander("Table 4: beside the ground truth"):
        truth = published.ground_truth()
        st.dataframe(
            truth.assign(
                contaminated=100 * truth["contaminated"], inflation=100 * truth["inflation"]
            ),
            hide_index=True,
            column_config=glossary.columns(
                {"contaminated": "Share found", "inflation": "Gap"},
                {"contaminated": _SHARE, "inflation": _SHARE},
            ),
            alt="Table 4 of the report: share contaminated and inflation by method.",
        )
    with st.expander("Table 5: MMLU by subjects"):
        subjects = published.by_subject()
        wide = subjects.assign(accuracy=100 * subjects["accuracy"]).pivot(
            index=["subjects", "model"], columns="subset", values="accuracy"
        )
        st.dataframe(
            wide.reset_index(),
            hide_index=True,
            column_config=glossary.columns(
                dict.fromkeys(wide.columns, "Accuracy"), dict.fromkeys(wide.columns, _SHARE)
            ),
            alt="Table 5 of the report: accuracy of the Llama series on MMLU by subjects.",
        )
    st.caption(f"All from {SOURCE}; the files are in data/reference.")
