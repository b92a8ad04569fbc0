"""The rule for controls beside the one before it, on simulated answers with known truth.

    python -m benchmarks.controls [--repeats 300] [--out docs/figures/controls.csv]
    python -m benchmarks.controls --repeats 0        # only draws the figure again from the csv
    python -m benchmarks.controls --scenarios 60     # benchmarks/control_scenarios.py

Seven invented models, rotated quizzes of 33 instances with four calls each. Each model has a
preference for slots and for the original's wording, by log-odds; the spread between its unseen
partitions' scores is .013 to .077, one value a model. A repeat is one study: 105 targets of a
model, against the same 1 to 20 controls. Targets are seen or not; of a seen one, each instance is
known with a probability drawn evenly from .05 to .7 for the partition. One row a rule, number of
controls and number of seen targets: means over the models, and the worst of them. The rule before
has the prior that those seven spreads were in the middle of.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchmarks import control_scenarios, read_options
from benchmarks.control_models import answers, new_rule, old_rule
from dcq import charts
from dcq.charts.template import CHANCE, CONTROL, VARIANT, dress
from dcq.evidence.family import benjamini_hochberg, holm
from dcq.invented import SLOTS, SPREADS, Array

TARGETS, ALPHA = 105, 0.05
CONTROLS = (1, 2, 3, 5, 10, 20)
SEEN = (70, 10)  # of the targets: most of them, as with the books of DE-COP, and few
KNOWN = (0.05, 0.7)  # share of a seen partition's instances that the model knows
COLUMNS = (
    "rule",
    "controls",
    "seen",
    "repeats",
    "false_alarms",
    "false_alarms_worst",
    "power",
    "power_worst",
    "bh_power",
    "bh_false_share",
    "bh_false_share_worst",
    "holm_power",
)


RULES: dict[str, Callable[[Array, Array], list[float]]] = {"before": old_rule, "now": new_rule}


def study(rng: np.random.Generator, model: int) -> list[tuple[str, int, int, list[float]]]:
    """Rule, controls, seen targets, and the results of one repeat."""
    spread = float(SPREADS[model])
    controls = answers(rng, model, np.zeros(max(CONTROLS)), spread)
    unseen = answers(rng, model, np.zeros(TARGETS - min(SEEN)), spread)
    seen = answers(rng, model, rng.uniform(*KNOWN, size=max(SEEN)), spread)
    rows = []
    for count in CONTROLS:
        for name, rule in RULES.items():
            p_seen, p_unseen = rule(seen, controls[:count]), rule(unseen, controls[:count])
            rows += [(name, count, k, calls(p_seen[:k], p_unseen[: TARGETS - k])) for k in SEEN]
    return rows


def calls(seen: Sequence[float], unseen: Sequence[float]) -> list[float]:
    """Shares called: unseen and seen one at a time, seen in the study, false among those calls,
    and seen by Holm."""
    family = [*seen, *unseen]
    discoveries = np.array(benjamini_hochberg(family), dtype=np.float64) <= ALPHA
    strict = np.array(holm(family), dtype=np.float64) <= ALPHA
    k = len(seen)
    return [
        float((np.array(unseen) <= ALPHA).mean()),
        float((np.array(seen) <= ALPHA).mean()),
        float(discoveries[:k].mean()),
        float(discoveries[k:].sum() / max(1, discoveries.sum())),
        float(strict[:k].mean()),
    ]


def main() -> None:
    """Read the options, write the csv, draw it, print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=300, help="studies of each model")
    parser.add_argument("--out", type=Path, default=Path("docs/figures/controls.csv"))
    parser.add_argument("--scenarios", type=int, default=0, help="studies a model; nothing else")
    chosen = read_options(parser, repeats=1, out=Path("build/controls.csv"))
    models = 2 if chosen.quick else len(SLOTS)
    if chosen.scenarios:
        out = chosen.out.with_name("control_scenarios.csv")
        control_scenarios.write(out, chosen.scenarios, models)
        return
    if chosen.repeats:
        write(chosen.out, chosen.repeats, models)
    table = pd.read_csv(chosen.out)
    print(table.to_string(index=False))
    chosen.out.with_suffix(".svg").write_bytes(charts.to_image(draw(table), "svg"))


def write(out: Path, repeats: int, models: int) -> None:
    """Simulate and write the csv, with the first so many ``models``."""
    rng = np.random.default_rng(0)
    results: dict[tuple[str, int, int], list[list[list[float]]]] = {}
    for model in range(models):
        for _ in range(repeats):
            for name, count, seen, values in study(rng, model):
                by_model = results.setdefault((name, count, seen), [[] for _ in range(models)])
                by_model[model].append(values)
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for (name, count, seen), by_model in results.items():
            means = np.array(by_model).mean(axis=1)  # (models, measures)
            alarms, power, bh_power, false_share, holm_power = means.T
            measures = (
                alarms.mean(),
                alarms.max(),
                power.mean(),
                power.min(),
                bh_power.mean(),
                false_share.mean(),
                false_share.max(),
                holm_power.mean(),
            )
            table.writerow([name, count, seen, repeats, *(round(float(m), 4) for m in measures)])


PANELS = (
    ("false alarms, one at a time", "false_alarms", "false_alarms_worst"),
    ("power, one at a time", "power", "power_worst"),
    ("false among the calls of a study", "bh_false_share", "bh_false_share_worst"),
)


def draw(table: pd.DataFrame) -> go.Figure:
    """Both rules by the number of controls: mean over the models, and the worst model."""
    rows = table[table["seen"] == max(SEEN)]
    figure = make_subplots(cols=len(PANELS), subplot_titles=[title for title, *_ in PANELS])
    for place, (_, mean, worst) in enumerate(PANELS, start=1):
        for name, colour in (("before", VARIANT), ("now", CONTROL)):
            rule = rows[rows["rule"] == name]
            for column, words, dash in ((mean, "mean", "solid"), (worst, "worst model", "dot")):
                figure.add_scatter(
                    x=[str(count) for count in rule["controls"]],
                    y=rule[column],
                    name=f"rule {name}, {words}",
                    showlegend=place == 1,
                    mode="lines+markers",
                    line={"color": colour, "dash": dash, "width": 2.5},
                    row=1,
                    col=place,
                )
        if "power" not in mean:
            figure.add_hline(y=ALPHA, line={"color": CHANCE, "dash": "dot"}, row=1, col=place)
        top = 1.02 if "power" in mean else None
        figure.update_yaxes(tickformat=".0%", range=[0, top], row=1, col=place)
        figure.update_xaxes(title="controls", type="category", row=1, col=place)
    dress(figure, height=400)
    return figure.update_layout(margin={"l": 60, "r": 20, "t": 84, "b": 60}, showlegend=True)


if __name__ == "__main__":
    main()
