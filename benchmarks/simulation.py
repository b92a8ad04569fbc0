"""Draws the figure "what each rule calls contaminated" (docs/method.md) and writes its numbers.

    python -m benchmarks.simulation [--repeats 2000] [--out docs/figures/simulation.csv]
    python -m benchmarks.simulation --repeats 0      # only draws the figure again from the csv

One row a contamination: how often the controlled interval covers it, its mean width, and how often
each rule calls the partition contaminated. 0 % rows are false alarms, the others power.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchmarks import read_options
from dcq import charts
from dcq.charts.template import CHANCE, CONTAMINATED, CONTROL, ORIGINAL, VARIANT, dress
from dcq.evidence.controls import calibrate
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.rotated import rotated_kappa
from tests.support.simulate import Nuisance, simulate

N, CONTROLS, SLOT_D, ALPHA = 100, 10, 3, 0.05
LINES = (
    (
        "controlled_says_contaminated",
        "rotated, against controls",
        CONTROL,
        "solid",
    ),
    ("rotated_chance_says_contaminated", "rotated, against guessing", CONTAMINATED, "dash"),
    ("fixed_slot_above_chance", "the paper's rule, original at D", VARIANT, "dashdot"),
    ("covered", "controlled interval covers the truth", ORIGINAL, "dot"),
)
COLUMNS = (
    "contamination",
    "n",
    "controls",
    "repeats",
    "covered",
    "mean_width",
    "controlled_says_contaminated",
    "rotated_chance_says_contaminated",
    "fixed_slot_chance_says_contaminated",
    "fixed_slot_above_chance",
)


def row(rng: np.random.Generator, truth: float, repeats: int) -> list[float]:
    """All columns for one contamination."""
    results = []
    for _ in range(repeats):
        controls = [simulate(rng, N, 0.0, Nuisance()).right for _ in range(CONTROLS)]
        target = simulate(rng, N, truth, Nuisance())
        calibration = calibrate(target.right, controls)
        plain, fixed = rotated_kappa(target.right), kappa_fixed(*target.fixed(SLOT_D))
        assert calibration is not None
        low = -np.inf if calibration.kappa_low is None else calibration.kappa_low
        high = 1.0 if calibration.kappa_high is None else calibration.kappa_high
        results.append(
            (
                low <= truth <= high,
                high - low,
                calibration.p_value <= ALPHA,
                (plain.p_value or 0.0) <= ALPHA,
                (fixed.p_value or 0.0) <= ALPHA,
                (fixed.kappa_fixed or 0.0) > 0,
            )
        )
    means = [round(float(mean), 4) for mean in np.mean(results, axis=0)]
    return [truth, N, CONTROLS, repeats, *means]


def main() -> None:
    """Read the options, write the csv, print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=2000)
    parser.add_argument("--out", type=Path, default=Path("docs/figures/simulation.csv"))
    chosen = read_options(parser, repeats=2, out=Path("build/simulation.csv"))
    if chosen.repeats:
        write(chosen.out, chosen.repeats)
    chosen.out.with_suffix(".svg").write_bytes(
        charts.to_image(draw(pd.read_csv(chosen.out)), "svg")
    )


def write(out: Path, repeats: int) -> None:
    """Simulate and write the csv."""
    rng = np.random.default_rng(0)
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for tenth in range(11):
            values = row(rng, tenth / 10, repeats)
            table.writerow(values)
            print(*values, flush=True)


def draw(table: pd.DataFrame) -> go.Figure:
    """How often each rule says "contaminated", by how much truly is; and how often the controlled
    interval covers the truth."""
    figure = dress(go.Figure(), height=440)
    for column, name, colour, dash in LINES:
        figure.add_scatter(
            x=table["contamination"],
            y=table[column],
            name=name,
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 2.5},
        )
    figure.add_hline(y=0.05, line={"color": CHANCE, "dash": "dot"}, annotation_text="5 %")
    figure.update_xaxes(title="truly contaminated", tickformat=".0%")
    figure.update_yaxes(title="called contaminated", tickformat=".0%", range=[-0.02, 1.04])
    return figure.update_layout(margin={"l": 60, "r": 20, "t": 70, "b": 60}, showlegend=True)


if __name__ == "__main__":
    main()
