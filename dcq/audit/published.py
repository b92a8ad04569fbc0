"""The paper's own figures (data/reference) as tables."""

from __future__ import annotations

import pandas as pd

from dcq.evidence.kappa import kappa_fixed
from dcq.settings import DATA

_FOLDER = DATA / "reference"


def table1() -> pd.DataFrame:
    """The 28 settings of the Data Contamination Quiz, Table 1: model, dataset, split, n, correct,
    score, kappa, low, high (by the formula, signed) and printed (as in the paper, which prints 0
    for negative values); all shares are fractions."""
    printed = pd.read_csv(_FOLDER / "dcq_table1.csv")
    kappas = [
        kappa_fixed(int(correct), int(n))
        for correct, n in zip(printed["correct"], printed["n"], strict=True)
    ]
    ours = pd.DataFrame(
        {
            "score": [kappa.score for kappa in kappas],
            "kappa": [kappa.kappa_fixed for kappa in kappas],
            "low": [kappa.kappa_low for kappa in kappas],
            "high": [kappa.kappa_high for kappa in kappas],
            "printed": (printed["printed_contamination_pct"] / 100).round(4),
        }
    )
    return pd.concat([printed[["model", "dataset", "split", "n", "correct"]], ours], axis=1)


def misprints(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of ``table1`` whose printed figure is not what the formula gives."""
    formula = table["kappa"].clip(lower=0)
    return table[(formula - table["printed"]).abs() > 0.0001]


def figure3() -> pd.DataFrame:
    """Figure 3 as ``dcq.charts.from_figure_3`` takes it: the share of option D without and with the
    original, in per cent."""
    return pd.read_csv(_FOLDER / "dcq_figure3.csv")
