"""The contamination report's own figures (data/reference) as tables. Shares are fractions."""

from __future__ import annotations

import pandas as pd

from dcq.places import DATA

_FOLDER = DATA / "reference"


def contamination() -> pd.DataFrame:
    """Table 1: dataset, split and counts of instances, with ``share`` contaminated of all."""
    table = pd.read_csv(_FOLDER / "webscan_table1.csv")
    return table.assign(share=table["contaminated"] / table["total"])


def accuracy() -> pd.DataFrame:
    """Table 2, long: model, dataset (mmlu, hellaswag, arc, average), subset, and ``value``, the
    accuracy on the clean subset and the signed difference from it on others; NaN where the sign
    cannot be read."""
    wide = pd.read_csv(_FOLDER / "webscan_table2.csv")
    table = wide.melt("model", var_name="column", value_name="value")
    parts = table.pop("column").str.split("_", n=1, expand=True)
    return table.assign(dataset=parts[0], subset=parts[1])[["model", "dataset", "subset", "value"]]


def accuracy_ceval() -> pd.DataFrame:
    """Table 3: model and its accuracy on C-Eval's clean, not clean and input-and-label subsets."""
    return pd.read_csv(_FOLDER / "webscan_table3_ceval.csv")


def ground_truth() -> pd.DataFrame:
    """Table 4: dataset, method, share ``contaminated`` and accuracy ``inflation`` in fractions."""
    table = pd.read_csv(_FOLDER / "webscan_table4.csv")
    return pd.DataFrame(
        {
            "dataset": table["dataset"],
            "method": table["method"],
            "contaminated": table["contaminated_pct"] / 100,
            "inflation": table["accuracy_inflation_pct"] / 100,
        }
    )


def by_subject() -> pd.DataFrame:
    """Table 5, long: model, subjects (mmlu, humanities, stem, social_science, other), subset and
    ``accuracy`` as a fraction, of the Llama series on MMLU."""
    wide = pd.read_csv(_FOLDER / "webscan_table5.csv")
    table = wide.melt(["model", "subjects"], var_name="subset", value_name="accuracy")
    return table.assign(
        subset=table["subset"].str.removesuffix("_pct"), accuracy=table["accuracy"] / 100
    )
