"""The adjusted difference of `overlap effect`: how often it errs, and what it sees.

    python -m benchmarks.overlap_effect [--repeats 1000] [--share 0.5] [--shift 1]

Found instances are easier by ``--shift`` logits. In each world, for each number of other models and
of instances: how often p <= .05 where being found helps no model, among instances that equally many
of the other models get right (the rule before) and among those that equally many of all models get
right (the rule), with its Monte Carlo error; then, where it gives the one model 10 points, how
often the rule sees that, by how many points its value is off on average (less where there is no
room for all ten), and how often its interval covers the truth.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks import read_options
from dcq.evidence.subsets import Adjusted, adjusted_difference, lead_differences

Table = NDArray[np.float64]
Draws = np.random.Generator
GAIN, OTHERS, SIZES = 0.1, (1, 5, 14), (400, 1600)
REPEATED = 5  # answers where models are asked repeatedly

ABILITY, SLOPE, OWN = 0.5, 0.3, 1.0  # standard deviations, in logits or of a logarithm


def _rasch(rng: Draws, ability: Table, difficulty: Table) -> Table:
    """All that follow bend this one."""
    return _logistic(ability - difficulty[:, None])


def _strong(rng: Draws, ability: Table, difficulty: Table) -> Table:
    ability[0] = 2
    return _rasch(rng, ability, difficulty)


def _guessing(rng: Draws, ability: Table, difficulty: Table) -> Table:
    return 0.25 + 0.75 * _rasch(rng, ability, difficulty)


def _strong_guessing(rng: Draws, ability: Table, difficulty: Table) -> Table:
    return 0.25 + 0.75 * _strong(rng, ability, difficulty)


def _slopes_of_instances(rng: Draws, ability: Table, difficulty: Table) -> Table:
    slopes = np.exp(rng.normal(0, SLOPE, len(difficulty)))
    return _logistic(slopes[:, None] * (ability - difficulty[:, None]))


def _slopes_of_models(rng: Draws, ability: Table, difficulty: Table) -> Table:
    slopes = np.exp(rng.normal(0, SLOPE, len(ability)))
    return _logistic(slopes * (ability - difficulty[:, None]))


def _kin(rng: Draws, ability: Table, difficulty: Table) -> Table:
    """The model and one other know and miss the same instances beside what is hard for all."""
    shared = rng.normal(0, OWN, len(difficulty))[:, None] * (np.arange(len(ability)) < 2)
    return _logistic(ability - difficulty[:, None] + shared)


WORLDS: dict[str, Callable[[Draws, Table, Table], Table]] = {
    "Rasch": _rasch,
    "Rasch, model at +2": _strong,
    "guessing": _guessing,
    "guessing, model at +2": _strong_guessing,
    "slopes of instances": _slopes_of_instances,
    "slopes of models": _slopes_of_models,
    "a near relative": _kin,
}


def draw(
    rng: Draws,
    n: int,
    others: int,
    *,
    world: str = "Rasch",
    shift: float = 1.0,
    share: float = 0.5,
    gain: float = 0.0,
    asked: int = 1,
) -> tuple[Table, NDArray[np.bool_], float]:
    """Answers (n, 1 + others), the mean of ``asked`` of them; which instances are found; and what
    being found gives the first model on them: ``gain``, as far as there is room below 1."""
    overlap_mask = rng.random(n) < share
    ability, difficulty = (
        rng.normal(0, ABILITY, 1 + others),
        rng.normal(0, 1, n) - shift * overlap_mask,
    )
    chances = WORLDS[world](rng, ability, difficulty)
    gained = np.minimum(gain, 1 - chances[:, 0]) * overlap_mask
    chances[:, 0] += gained
    answers = rng.binomial(asked, np.minimum(1, chances)) / asked
    return answers, overlap_mask, float(gained[overlap_mask].mean())


def before(answers: Table, overlap_mask: NDArray[np.bool_]) -> Adjusted:
    """The first model among instances that equally many of the others get right."""
    return adjusted_difference(answers[:, 0], overlap_mask, np.round(answers[:, 1:].sum(axis=1), 9))


def _significant(adjusted: Adjusted) -> bool:
    return adjusted.p_value is not None and adjusted.p_value <= 0.05


def _logistic(values: Table) -> Table:
    return 1 / (1 + np.exp(-values))


def _shown(hits: int, repeats: int) -> str:
    rate = hits / repeats
    return f"{rate:.3f} ± {math.sqrt(rate * (1 - rate) / repeats):.3f}"


def _row(world: str, n: int, others: int, asked: int, arguments: argparse.Namespace) -> list[str]:
    rng = np.random.default_rng(arguments.seed)
    old = new = seen = covered = 0
    values = []
    options = {"world": world, "shift": arguments.shift, "share": arguments.share, "asked": asked}
    for _ in range(arguments.repeats):
        answers, overlap_mask, _ = draw(rng, n, others, **options)
        old += _significant(before(answers, overlap_mask))
        new += _significant(lead_differences(answers, overlap_mask)[0])
        answers, overlap_mask, gained = draw(rng, n, others, gain=GAIN, **options)
        adjusted = lead_differences(answers, overlap_mask)[0]
        seen += _significant(adjusted)
        values.append((adjusted.difference or 0) - gained)
        covered += (
            adjusted.low is None or adjusted.high is None or adjusted.low <= gained <= adjusted.high
        )
    name = world if asked == 1 else f"{world}, {asked} answers each"
    rates = [_shown(hits, arguments.repeats) for hits in (old, new, seen)]
    mean = f"{100 * float(np.mean(values)):+.1f}"
    return [name, str(n), str(others), *rates, mean, f"{covered / arguments.repeats:.3f}"]


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description="Errors and power of the adjusted difference.")
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--share", type=float, default=0.5, help="of instances that are found")
    parser.add_argument("--shift", type=float, default=1.0, help="by how much they are easier")
    parser.add_argument("--seed", type=int, default=0)
    arguments = read_options(parser, repeats=2)
    head = ["world", "n", "others", "false before", "false", "power", "off by", "covered"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for world, asked in [*((name, 1) for name in WORLDS), ("Rasch", REPEATED)]:
        for others in OTHERS:
            for n in SIZES:
                print(f"| {' | '.join(_row(world, n, others, asked, arguments))} |", flush=True)


if __name__ == "__main__":
    main()
