"""The rule for controls beside the one before it, on simulated answers with known truth.

    python -m benchmarks.controls [--repeats 300] [--out docs/figures/controls.csv]
    python -m benchmarks.controls --repeats 0        # only draws the figure again from the csv

Seven invented models, rotated quizzes of 33 instances with four calls each. Each model has a
preference for slots and for the original's wording, by log-odds; the spread between its unseen
partitions' scores is .013 to .077, one value a model. A repeat is one study: 105 targets of a
model, against the same 1 to 20 controls. Targets are seen or not; of a seen one, each instance is
known with a probability drawn evenly from .05 to .7 for the partition. One row a rule, number of
controls and number of seen targets: means over the models, and the worst of them.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import scipy
from numpy.typing import NDArray
from plotly.subplots import make_subplots
from scipy import special

from dcq import charts
from dcq.charts.template import CHANCE, CONTROL, VARIANT, dress
from dcq.evidence.controls import expect
from dcq.evidence.family import benjamini_hochberg, holm

Array = NDArray[np.float64]

N, TARGETS, ALPHA = 33, 105, 0.05
CONTROLS = (1, 2, 3, 5, 10, 20)
SEEN = (70, 10)  # of the targets: most of them, as with the books of DE-COP, and few
KNOWN = (0.05, 0.7)  # share of a seen partition's instances that the model knows
WORDING, WITHIN = 0.7, 0.8  # the original's advantage: mean, and deviation over instances
SPREADS = np.linspace(0.013, 0.077, 7)  # between unseen partitions, as seen in seven models
SLOTS = np.array(
    [
        [0.0, 0.0, 0.0, 0.0],
        [1.5, 0.3, 0.0, -0.5],
        [0.5, 0.2, 0.0, -0.2],
        [-0.5, 0.0, 0.3, 1.0],
        [3.0, 0.5, 0.0, -1.0],
        [-2.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, -1.0, -1.0],
    ]
)
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


def chances(slots: Array, advantage: Array) -> Array:
    """P(right) with the original in each slot: shape of ``advantage`` and one axis of slots."""
    weight = np.exp(slots)
    own = weight * np.exp(advantage)[..., None]
    return np.asarray(own / (own + weight.sum() - weight))


def between(slots: Array, spread: float) -> float:
    """Deviation of the advantage over partitions that gives scores a deviation of ``spread``."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(31)

    def score(shift: float) -> float:
        found = chances(slots, WORDING + shift + WITHIN * nodes).mean(axis=1)
        return float(weights @ found / weights.sum())

    return 2 * spread / ((score(0.2) - score(-0.2)) / 0.2)


def answers(rng: np.random.Generator, model: int, known: Array) -> Array:
    """Right calls (partitions, instances, slots); ``known`` is a share for each partition."""
    slots, size = SLOTS[model], len(known)
    deviation = between(slots, float(SPREADS[model]))
    advantage = (
        WORDING + deviation * rng.normal(size=(size, 1)) + WITHIN * rng.normal(size=(size, N))
    )
    right = rng.random((size, N, 4)) < chances(slots, advantage)
    right |= (rng.random((size, N)) < known[:, None])[:, :, None]
    return right.astype(np.float64)


def new_rule(targets: Array, controls: Array) -> list[float]:
    """P-values of the ``targets`` by the rule of dcq.evidence.controls."""
    expected = expect(list(controls))
    assert expected is not None
    scores = (targets @ expected.weights).mean(axis=1)
    return [expected.prediction.p_value(float(score), N) for score in scores]


def old_rule(targets: Array, controls: Array) -> list[float]:
    """The peer, as it was: Fisher's exact test on pooled controls for one or two, a normal
    prediction interval with every spread alike before the data from three on."""
    shares, known = targets.mean(axis=2), controls.mean(axis=2)
    if len(controls) < 3:
        pooled = known.ravel()
        base = _old_size(pooled)
        others = round(pooled.mean() * base)
        sizes = [_old_size(share) for share in shares]
        right = [round(share.mean() * n) for share, n in zip(shares, sizes, strict=True)]
        return [
            float(scipy.stats.hypergeom.sf(k - 1, n + base, k + others, n))
            for k, n in zip(right, sizes, strict=True)
        ]
    sizes = [_old_size(share) for share in known]
    scores, n = known.mean(axis=1), np.array(sizes)
    spreads = np.linspace(0, 0.25, 51)
    inside = (scores * n + 0.5) / (n + 1)
    precision = 1 / (spreads[:, None] ** 2 + inside * (1 - inside) / n)
    total = precision.sum(axis=1)
    mean = precision @ scores / total
    misfit = (precision * (scores - mean[:, None]) ** 2).sum(axis=1)
    log = (np.log(precision).sum(axis=1) - np.log(total) - misfit) / 2
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    center, variance = float(weight @ mean), spreads**2 + 1 / total
    return [
        float(
            weight
            @ special.ndtr(
                (mean - share.mean()) / np.sqrt(variance + center * (1 - center) / _old_size(share))
            )
        )
        for share in shares
    ]


def _old_size(shares: Array) -> int:
    n, mean = len(shares), float(shares.mean())
    variance = (float(((shares - mean) ** 2).sum()) + 0.1) / n
    shrink = float(special.ndtri(0.975) / special.stdtrit(n - 1, 0.975))
    return round(min(max(n * mean * (1 - mean) / variance * shrink**2, n), 4 * n))


RULES: dict[str, Callable[[Array, Array], list[float]]] = {"before": old_rule, "now": new_rule}


def study(rng: np.random.Generator, model: int) -> list[tuple[str, int, int, list[float]]]:
    """Rule, controls, seen targets, and the results of one repeat."""
    controls = answers(rng, model, np.zeros(max(CONTROLS)))
    unseen = answers(rng, model, np.zeros(TARGETS - min(SEEN)))
    seen = answers(rng, model, rng.uniform(*KNOWN, size=max(SEEN)))
    found = []
    for count in CONTROLS:
        for name, rule in RULES.items():
            p_seen, p_unseen = rule(seen, controls[:count]), rule(unseen, controls[:count])
            found += [(name, count, k, calls(p_seen[:k], p_unseen[: TARGETS - k])) for k in SEEN]
    return found


def calls(seen: Sequence[float], unseen: Sequence[float]) -> list[float]:
    """Shares called: unseen and seen one at a time, seen in the study, false among those calls,
    and seen by Holm."""
    family = [*seen, *unseen]
    found = np.array(benjamini_hochberg(family), dtype=np.float64) <= ALPHA
    strict = np.array(holm(family), dtype=np.float64) <= ALPHA
    k = len(seen)
    return [
        float((np.array(unseen) <= ALPHA).mean()),
        float((np.array(seen) <= ALPHA).mean()),
        float(found[:k].mean()),
        float(found[k:].sum() / max(1, found.sum())),
        float(strict[:k].mean()),
    ]


def main() -> None:
    """Read the options, write the csv, draw it, print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=300, help="studies of each model")
    parser.add_argument("--out", type=Path, default=Path("docs/figures/controls.csv"))
    chosen = parser.parse_args()
    if chosen.repeats:
        write(chosen.out, chosen.repeats)
    table = pd.read_csv(chosen.out)
    print(table.to_string(index=False))
    chosen.out.with_suffix(".svg").write_bytes(charts.to_image(draw(table), "svg"))


def write(out: Path, repeats: int) -> None:
    """Simulate and write the csv."""
    rng = np.random.default_rng(0)
    results: dict[tuple[str, int, int], list[list[list[float]]]] = {}
    for model in range(len(SLOTS)):
        for _ in range(repeats):
            for name, count, seen, values in study(rng, model):
                by_model = results.setdefault((name, count, seen), [[] for _ in SLOTS])
                by_model[model].append(values)
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for (name, count, seen), by_model in results.items():
            models = np.array(by_model).mean(axis=1)  # (models, measures)
            alarms, power, bh_power, false_share, holm_power = models.T
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
