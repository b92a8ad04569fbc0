"""How far unseen partitions may differ, and how many controls of which size: the rule by a ratio.

    python -m benchmarks.design [--repeats 40] [--out docs/figures/design.csv]

The rule for rotated quizzes allows spreads between unseen partitions up to .25, or up to a ratio
times the deviation of an instance's score (``dcq.evidence.prediction.predict``). Ten invented
models: the seven of ``dcq.invented``, and three that nobody chose a constant on, whose
instances vary less, more, and by another preference for slots. A study is one model's controls, 20
unseen and 20 seen targets of 33 instances; of a seen one 5 to 70 % is known. Designs are one to ten
controls of 33 instances, and ten of ten, which take the calls of three. Scores of unseen partitions
are normal, skewed (exponential) or heavy-tailed (Student's with three degrees of freedom), with
deviations up to .12. One row a scenario, design and rule: false alarms at p ≤ .05, the mean over
models and the worst model, with their Monte Carlo errors over studies, and the power.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import read_options
from benchmarks.control_models import N
from dcq.evidence.controls import expect
from dcq.evidence.power import ALPHA
from dcq.evidence.root import find_root
from dcq.invented import SLOTS, SPREADS, WITHIN, WORDING, Array, chances

TARGETS = 20  # of a study, unseen and seen each
KNOWN = (0.05, 0.7)
RATIOS: dict[str, float | None] = {"now": None, "0.75": 0.75, "1.0": 1.0, "1.25": 1.25}
DESIGNS = ((1, N), (3, N), (5, N), (10, N), (10, 10))  # controls, instances of each
COLUMNS = (
    "scenario",
    "controls",
    "instances",
    "ratio",
    "false_alarms",
    "error",
    "worst",
    "worst_error",
    "worst_model",
    "power",
    "power_error",
)


class InventedModel(NamedTuple):
    """A model's preference for slots and for the original's wording, by log-odds: the mean and the
    deviation over instances; and the ``spread`` between its unseen partitions' scores."""

    slots: Array
    wording: float
    within: float
    spread: float


MODELS = (
    *(
        InventedModel(slots, WORDING, WITHIN, float(spread))
        for slots, spread in zip(SLOTS, SPREADS, strict=True)
    ),
    InventedModel(np.array([2.5, 0.0, 0.0, 0.5]), 0.4, 0.4, 0.02),
    InventedModel(np.array([0.2, 0.0, 0.1, -0.3]), 1.2, 1.6, 0.09),
    InventedModel(np.array([0.0, 2.0, 0.0, 1.0]), 0.1, 1.0, 0.05),
)
Shape = Callable[[np.random.Generator, int], Array]


def _normal(rng: np.random.Generator, size: int) -> Array:
    return rng.normal(size=size)


def _skewed(rng: np.random.Generator, size: int) -> Array:
    return rng.exponential(size=size) - 1


def _heavy(rng: np.random.Generator, size: int) -> Array:
    return np.asarray(rng.standard_t(3, size=size) / np.sqrt(3))


# The shape of the scores of unseen partitions, with a deviation of 1, and their deviation.
SCENARIOS: dict[str, tuple[Shape, float | None]] = {
    "each model's own spread": (_normal, None),
    "spread .02": (_normal, 0.02),
    "spread .05": (_normal, 0.05),
    "spread .08": (_normal, 0.08),
    "spread .12": (_normal, 0.12),
    "skewed, .05": (_skewed, 0.05),
    "skewed, .08": (_skewed, 0.08),
    "skewed, .12": (_skewed, 0.12),
    "heavy tails, .06": (_heavy, 0.06),
    "heavy tails, .12": (_heavy, 0.12),
}


def main() -> None:
    """Read the options, write the csv, print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=40, help="studies of each model, a scenario")
    parser.add_argument("--out", type=Path, default=Path("docs/figures/design.csv"))
    chosen = read_options(parser, repeats=2, out=Path("build/design.csv"))
    models = MODELS[:2] if chosen.quick else MODELS
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    with chosen.out.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for seed, name in enumerate(SCENARIOS):
            for row in scenario(name, models, chosen.repeats, np.random.default_rng(seed)):
                table.writerow(row)
                print(*row, sep="\t", flush=True)


def scenario(
    name: str, models: tuple[InventedModel, ...], repeats: int, rng: np.random.Generator
) -> list[list[object]]:
    """The rows of one scenario, in the order of ``COLUMNS``."""
    shape, given = SCENARIOS[name]
    rates: dict[tuple[int, int, str], list[list[tuple[float, float]]]] = {}
    for place, model in enumerate(models):
        scale = scale_of(model, shape, given or model.spread)
        for _ in range(repeats):
            for key, called in study(rng, model, shape, scale):
                by_model = rates.setdefault(key, [[] for _ in models])
                by_model[place].append(called)
    return [[name, *key, *_summary(np.array(by_model))] for key, by_model in rates.items()]


def _summary(rates: Array) -> list[str]:
    """Of shape (models, studies, 2): false alarms and power, with errors over studies."""
    means, errors = rates.mean(axis=1), rates.std(axis=1, ddof=1) / np.sqrt(rates.shape[1])
    worst = int(means[:, 0].argmax())
    overall = np.sqrt((errors**2).sum(axis=0)) / len(rates)
    values = (
        means[:, 0].mean(),
        overall[0],
        means[worst, 0],
        errors[worst, 0],
    )
    power = (means[:, 1].mean(), overall[1])
    return [*(f"{rate:.4f}" for rate in values), str(worst), *(f"{rate:.4f}" for rate in power)]


def scale_of(model: InventedModel, shape: Shape, spread: float) -> float:
    """The deviation of partitions in log-odds that gives their true scores this ``spread``."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(31)
    shifts = np.linspace(-15, 15, 301)
    right = chances(model.slots, model.wording + shifts[:, None] + model.within * nodes)
    scores = right.mean(axis=2) @ weights / weights.sum()
    partitions = shape(np.random.default_rng(0), 20_000)

    def short(scale: float) -> float:
        return float(np.interp(scale * partitions, shifts, scores).std()) - spread

    return find_root(short, 0.0, 10.0)


def study(
    rng: np.random.Generator, model: InventedModel, shape: Shape, scale: float
) -> list[tuple[tuple[int, int, str], tuple[float, float]]]:
    """False alarms and power of one study by controls, their instances, and rule. Partitions differ
    by ``shape`` times ``scale``, in log-odds."""

    def drawn(size: int, known: Array) -> Array:
        shift = scale * shape(rng, size)[:, None]
        advantage = model.wording + shift + model.within * rng.normal(size=(size, N))
        chance = chances(model.slots, advantage)
        chance = np.maximum(chance, (rng.random((size, N)) < known[:, None])[:, :, None])
        return (rng.random(chance.shape) < chance).astype(np.float64)

    most = max(count for count, _ in DESIGNS)
    controls, unseen = drawn(most, np.zeros(most)), drawn(TARGETS, np.zeros(TARGETS))
    seen = drawn(TARGETS, rng.uniform(*KNOWN, size=TARGETS))
    found = []
    for count, instances in DESIGNS:
        for rule, ratio in RATIOS.items():
            expected = expect(list(controls[:count, :instances]), ratio=ratio)
            assert expected is not None
            called = [
                np.mean(
                    [
                        expected.prediction.p_value(float(score), N) <= ALPHA
                        for score in (targets @ expected.weights).mean(axis=1)
                    ]
                )
                for targets in (unseen, seen)
            ]
            found.append(((count, instances, rule), (float(called[0]), float(called[1]))))
    return found


if __name__ == "__main__":
    main()
