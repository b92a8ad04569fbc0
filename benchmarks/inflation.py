"""The inflation of `matter`: how often it errs, what it sees, and ConStat's beside it.

    python -m benchmarks.inflation [--repeats 1000] [--constat 200] [--n 500]

Answers are drawn from a model of abilities and difficulties in which a quarter is right by
guessing. A rewording is harder by ``HARDER`` logits on average, differently from instance to
instance and, by τ, from model to model. A contaminated model gains so many points on originals, on
half of the instances. Each row: how often inflation is called (p <= .05) with its Monte Carlo
error, how far the estimate is off on average in points, how often the 95 % interval holds the
truth, and how often ConStat calls (p <= .05) in the first ``--constat`` draws of the row. The
second table is the comparison within a model.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks import read_options
from dcq.evidence.constat import constat
from dcq.evidence.inflation import alike, inflation_above, near_guessing, within_model

Table = NDArray[np.float64]
CHANCE, HARDER, HARDER_SPREAD = 0.25, 0.15, 0.5
SEEN = 0.5  # share of instances on which a contaminated model gains


@dataclass(frozen=True)
class World:
    """``abilities`` of the references: mean and standard deviation in logits, the target's is 0.5.
    ``tau``: how much rewordings cost differs between models, in logits. ``gain``: of the target, in
    accuracy; ``contaminated`` references gain as much as ``reference_gain``. ``chosen``: the rule
    for references (alike, not near guessing) is applied. ``shift``: recognised instances are so
    much easier."""

    name: str
    abilities: tuple[float, float] = (0.5, 0.5)
    tau: float = 0.0
    gain: float = 0.0
    contaminated: int = 0
    reference_gain: float = 0.0
    chosen: bool = True
    shift: float = 0.0
    clumsy: float = 0.0


@dataclass(frozen=True)
class Draw:
    """Answers of shape (models, n), the target first; who is recognised; the truth in accuracy."""

    original: Table
    reworded: Table
    seen: NDArray[np.bool_]
    gained: float
    gained_seen: float


def draw(rng: np.random.Generator, world: World, n: int, references: int) -> Draw:
    """One benchmark, answered by all."""
    seen = rng.random(n) < SEEN
    ability = np.append(0.5, rng.normal(*world.abilities, references))
    difficulty = rng.normal(0, 1, n) - world.shift * seen
    harder = rng.normal(HARDER, HARDER_SPREAD, n) + world.clumsy * seen
    model_effects = rng.normal(0, world.tau, references + 1)
    level = ability[:, None] - difficulty
    chances = [_right(level), _right(level - harder - model_effects[:, None])]
    gains = np.zeros(references + 1)
    gains[0] = world.gain
    gains[1 : world.contaminated + 1] = world.reference_gain
    gained = np.minimum(gains[:, None] / SEEN, 1 - chances[0]) * seen
    # What gains where there is no room is given where there is some, so that the mean is as said.
    for row in np.flatnonzero(gains):
        gained[row] *= min(gains[row] / gained[row].mean(), 1 / max(1e-9, SEEN))
    before = np.clip(chances[0] + gained, 0, 1)
    first, second = (
        (rng.random(probabilities.shape) < probabilities).astype(np.float64)
        for probabilities in (before, chances[1])
    )
    truth = before[0] - chances[0][0]
    more = float(truth[seen].mean() - truth[~seen].mean())
    return Draw(first, second, seen, float(truth.mean()), more)


def _right(logits: Table) -> Table:
    return CHANCE + (1 - CHANCE) / (1 + np.exp(-logits))


def _chosen(benchmark: Draw, world: World) -> Draw:
    if not world.chosen:
        return benchmark
    levels = [float(level) for level in (benchmark.original + benchmark.reworded).mean(axis=1) / 2]
    mask = [
        row == 0 or (alike(level, levels[0]) and not near_guessing(level, CHANCE))
        for row, level in enumerate(levels)
    ]
    return replace(benchmark, original=benchmark.original[mask], reworded=benchmark.reworded[mask])


def shown(hits: int, repeats: int) -> str:
    """A share with its Monte Carlo error."""
    if not repeats:
        return "–"
    rate = hits / repeats
    return f"{rate:.3f} ± {math.sqrt(rate * (1 - rate) / repeats):.3f}"


def row(world: World, references: int, arguments: argparse.Namespace) -> list[str]:
    """One line of the first table."""
    rng = np.random.default_rng(arguments.seed)
    called = covered = judged = constat_calls = compared = 0
    errors, widths = [], []
    for index in range(arguments.repeats):
        benchmark = _chosen(draw(rng, world, arguments.n, references), world)
        gaps = benchmark.original - benchmark.reworded
        estimate = inflation_above(gaps[0], gaps[1:].T)
        if estimate is not None:
            judged += 1
            called += estimate.p_value <= 0.05
            covered += estimate.low <= benchmark.gained <= estimate.high
            errors.append(estimate.inflation - benchmark.gained)
            widths.append(estimate.smallest)
        if index < arguments.constat:
            other = constat(
                benchmark.original, benchmark.reworded, chance=CHANCE, samples=arguments.samples
            )
            if other is not None:
                compared += 1
                constat_calls += other.p_value <= 0.05
    off = f"{100 * float(np.mean(errors)):+.1f}" if errors else "–"
    least = f"{100 * float(np.mean(widths)):.1f}" if widths else "–"
    named = f"{world.name}, {references} references"
    rates = [
        shown(called, judged),
        off,
        shown(covered, judged),
        least,
        shown(constat_calls, compared),
    ]
    return [named, f"{judged / arguments.repeats:.2f}", *rates]


def within_row(world: World, references: int, arguments: argparse.Namespace) -> list[str]:
    """One line of the second table."""
    rng = np.random.default_rng(arguments.seed)
    called = covered = judged = naive = 0
    for _ in range(arguments.repeats):
        benchmark = _chosen(draw(rng, world, arguments.n, references), world)
        gaps = benchmark.original - benchmark.reworded
        level = (benchmark.original[1:] + benchmark.reworded[1:]).mean(axis=0) / 2
        estimate = within_model(gaps[0], gaps[1:].T, benchmark.seen, level, draws=arguments.draws)
        if estimate.difference is None or estimate.low is None or estimate.high is None:
            continue
        judged += 1
        called += estimate.p_value is not None and estimate.p_value <= 0.05
        covered += estimate.low <= benchmark.gained_seen <= estimate.high
        sides = gaps[0][benchmark.seen], gaps[0][~benchmark.seen]
        error = math.sqrt(sum(side.var() / len(side) for side in sides))
        naive += (sides[0].mean() - sides[1].mean()) / error >= 1.645
    rates = [shown(hits, judged) for hits in (called, covered, naive)]
    return [f"{world.name}, {references} references", *rates]


def worlds() -> Iterator[World]:
    """The worlds of the first table."""
    yield World("no inflation")
    yield World("no inflation, drops differ (τ 0.1)", tau=0.1)
    yield World("no inflation, drops differ (τ 0.3)", tau=0.3)
    yield World("no inflation, recognised are easier", shift=1.0, tau=0.1)
    yield World("no inflation, references near guessing", abilities=(-2.5, 0.3))
    yield World("no inflation, near guessing, all taken", abilities=(-2.5, 0.3), chosen=False)
    yield World("no inflation, references weaker", abilities=(-0.5, 0.5), tau=0.1)
    for gain in (0.02, 0.05, 0.1):
        yield World(f"{100 * gain:.0f} points, τ 0.1", gain=gain, tau=0.1)
    yield World(
        "10 points, 1 reference has 10 too", gain=0.1, contaminated=1, reference_gain=0.1, tau=0.1
    )
    yield World(
        "10 points, 2 references have 10 too", gain=0.1, contaminated=2, reference_gain=0.1, tau=0.1
    )


def within_worlds() -> Iterator[World]:
    """The worlds of the second table."""
    yield World("no gain, recognised are easier", shift=1.0, tau=0.1)
    yield World("no gain, recognised rewordings clumsy", clumsy=0.5, tau=0.1)
    yield World("no gain, easier and clumsy", clumsy=0.5, shift=1.0, tau=0.1)
    for gain in (0.05, 0.1):
        yield World(f"{100 * gain:.0f} points, easier", gain=gain, shift=1.0, tau=0.1)


def _print(head: list[str]) -> None:
    print(f"\n| {' | '.join(head)} |\n|{'---|' * len(head)}")


def main() -> None:
    """Print two tables in Markdown."""
    parser = argparse.ArgumentParser(description="Errors and power of the inflation.")
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--constat", type=int, default=200, help="draws that ConStat sees")
    parser.add_argument("--samples", type=int, default=200, help="ConStat's resamples")
    parser.add_argument("--draws", type=int, default=500, help="permutations within a model")
    parser.add_argument("--n", type=int, default=500, help="instances")
    parser.add_argument("--seed", type=int, default=0)
    arguments = read_options(parser, repeats=2, constat=1, samples=10, n=60)
    _print(["world", "judged", "called", "off by", "covered", "smallest", "ConStat calls"])
    for world in worlds():
        for references in (3, 5, 10):
            print(f"| {' | '.join(row(world, references, arguments))} |", flush=True)
    _print(["world", "called", "covered", "called without strata and clean models"])
    for world in within_worlds():
        for references in (3, 5, 10):
            print(f"| {' | '.join(within_row(world, references, arguments))} |", flush=True)


if __name__ == "__main__":
    main()
