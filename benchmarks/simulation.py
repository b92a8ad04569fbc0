"""Writes the numbers of the figure "what each rule calls contaminated" (docs/method.md).

    python -m benchmarks.simulation [--repeats 2000] [--out docs/figures/simulation.csv]

One row a contamination: how often the controlled interval covers it, its mean width, and how often
each rule calls the partition contaminated. 0 % rows are false alarms, the others power.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

from dcq.evidence.controls import calibrate_rotated
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.rotated import rotated_kappa
from tests.support.simulate import Nuisance, simulate

N, CONTROLS, SLOT_D, ALPHA = 100, 10, 3, 0.05
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
        known = calibrate_rotated(target.right, controls)
        plain, fixed = rotated_kappa(target.right), kappa_fixed(*target.fixed(SLOT_D))
        assert known is not None
        low = -np.inf if known.kappa_low is None else known.kappa_low
        high = 1.0 if known.kappa_high is None else known.kappa_high
        results.append(
            (
                low <= truth <= high,
                high - low,
                known.p_value <= ALPHA,
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
    chosen = parser.parse_args()
    rng = np.random.default_rng(0)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    with chosen.out.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for tenth in range(11):
            values = row(rng, tenth / 10, chosen.repeats)
            table.writerow(values)
            print(*values, flush=True)


if __name__ == "__main__":
    main()
