"""The test by lot, simulated: false calls, power beside other tests, and looking all the time.

    python -m benchmarks.lots [--lots 10000] [--repeats 2000] [--runs 1000] [--families 300]

False calls are of one model whose scores stay while lots are drawn anew. Power is of items whose
published wording scores higher by a shift, or that are recognised outright. The t-test is that of
STAMP on items: the published wording's score minus the mean of the others'.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import NDArray

from benchmarks import read_options
from dcq.evidence.lot import STOP, assess, call_models, e_process, power_at
from dcq.evidence.power import ALPHA
from dcq.words import percent

Array = NDArray[np.float64]
K, N = 4, 60


def main() -> None:
    """Print the tables of docs/method.md, "By lot"."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for name, number in (("lots", 10_000), ("repeats", 2_000), ("runs", 1_000), ("families", 300)):
        parser.add_argument(f"--{name}", type=int, default=number)
    args = read_options(parser, lots=200, repeats=50, runs=20, families=3)
    rng = np.random.default_rng(29)
    false_calls(rng, args.lots)
    power(rng, args.repeats)
    looking(rng, args.runs, args.families)


def loves_a_slot(rng: np.random.Generator) -> Array:
    """The first slot is always picked."""
    return np.eye(K)[rng.integers(K, size=N)]


def loves_length(rng: np.random.Generator) -> Array:
    """The longer the better, with ties."""
    return np.round(rng.normal(20, 3, (N, K)))


def refuses(rng: np.random.Generator) -> Array:
    """Each wording has a probability of being refused of its own, higher where it scores low."""
    scores = rng.normal(size=(N, K))
    return np.where(rng.random((N, K)) < 1 / (1 + np.exp(2 * scores)), np.nan, scores)


def false_calls(rng: np.random.Generator, lots: int) -> None:
    """Of unseen models, at 5 %."""
    print(
        "| model that never saw it | called | items dropped whose published wording was refused |"
    )
    print("|---|---|---|")
    models: tuple[Callable[[np.random.Generator], Array], ...] = (
        loves_a_slot,
        loves_length,
        refuses,
    )
    for model in models:
        scores = model(rng)
        ranks = scipy.stats.rankdata(np.where(np.isnan(scores), -np.inf, scores), axis=1)
        called, dropped = 0, 0
        by_sum: dict[float, bool] = {}
        for _ in range(lots):
            chosen = rng.integers(K, size=N)
            total = float(ranks[np.arange(N), chosen].sum())
            if total not in by_sum:
                by_sum[total] = assess(_first(scores, chosen)).p_value <= ALPHA
            called += by_sum[total]
            chosen_scores = scores[np.arange(N), chosen]
            dropped += _called_by_others(scores, ranks, chosen, ~np.isnan(chosen_scores))
        name = (model.__doc__ or "").rstrip(".")
        print(
            f"| {name} | {percent(called / lots, 1)} | {percent(dropped / lots, 1)} |", flush=True
        )


def _called_by_others(scores: Array, ranks: Array, chosen: NDArray[np.int64], mask: Array) -> bool:
    """The same test, by its normal approximation, on the items that are kept."""
    kept_slots, kept_ranks = chosen[mask.astype(bool)], ranks[mask.astype(bool)]
    if not len(kept_slots):
        return False
    sums = kept_ranks[np.arange(len(kept_slots)), kept_slots].sum() - kept_ranks.mean(axis=1).sum()
    spread = np.sqrt(kept_ranks.var(axis=1).sum())
    return bool(spread and sums / spread >= -scipy.special.ndtri(ALPHA))


def _first(scores: Array, chosen: NDArray[np.int64]) -> list[Array]:
    """The published wording first."""
    return [
        np.r_[row[place], np.delete(row, place)] for row, place in zip(scores, chosen, strict=True)
    ]


def power(rng: np.random.Generator, repeats: int) -> None:
    """How often each test finds a benchmark that was seen."""
    print("\n| share picked, k = 4, one ask | items | found, simulated | exact |")
    print("|---|---|---|---|")
    for share, n in ((0.30, 522), (0.35, 141), (0.40, 68), (0.45, 41), (0.55, 19)):
        critical = scipy.stats.binom.isf(ALPHA, n, 1 / K) + 1
        detected = (rng.binomial(n, share, repeats) >= critical).mean()
        exact = percent(power_at(n, K, share), 1)
        print(f"| {percent(share)} | {n} | {percent(detected, 1)} | {exact} |")

    def normal(size: tuple[int, int]) -> Array:
        return rng.standard_normal(size)

    def heavy(size: tuple[int, int]) -> Array:
        return np.asarray(rng.standard_t(1.5, size))

    print("\n| scores of 8 wordings, 100 items | rank sum | first places | t-test |")
    print("|---|---|---|---|")
    for name, draw, shift, recognised in (
        ("normal, unseen", normal, 0.0, 0.0),
        ("normal, raised by 0.3", normal, 0.3, 0.0),
        ("normal, 15 % recognised", normal, 0.0, 0.15),
        ("t with 1.5 degrees, unseen", heavy, 0.0, 0.0),
        ("t with 1.5 degrees, raised by 0.5", heavy, 0.5, 0.0),
        ("t with 1.5 degrees, 15 % recognised", heavy, 0.0, 0.15),
    ):
        detected = _compare(rng, draw, shift, recognised, repeats)
        print(f"| {name} | {' | '.join(percent(rate, 1) for rate in detected)} |", flush=True)


def _compare(
    rng: np.random.Generator,
    draw: Callable[[tuple[int, int]], Array],
    shift: float,
    recognised: float,
    repeats: int,
) -> list[float]:
    """How often rank sum, first places and t-test call 100 items of 8 wordings."""
    n, k = 100, 8
    critical = _critical_sum(n, k)
    firsts = scipy.stats.binom.isf(ALPHA, n, 1 / k) + 1
    calls = np.zeros(3)
    for _ in range(repeats):
        scores = draw((n, k))
        scores[:, 0] += shift
        recognised_mask = rng.random(n) < recognised
        scores[recognised_mask, 0] = scores[recognised_mask].max(axis=1) + 0.1
        original_ranks = (scores[:, :1] > scores[:, 1:]).sum(axis=1) + 1
        gap = scores[:, 0] - scores[:, 1:].mean(axis=1)
        by_t = scipy.stats.ttest_1samp(gap, 0, alternative="greater").pvalue
        calls += [
            original_ranks.sum() >= critical,
            (original_ranks == k).sum() >= firsts,
            by_t <= ALPHA,
        ]
    return [float(rate) for rate in calls / repeats]


def _critical_sum(n: int, k: int) -> int:
    """The smallest sum of ranks without ties that the exact test calls."""
    pmf = np.ones(1)
    for _ in range(n):
        pmf = np.convolve(pmf, np.full(k, 1 / k))
    tails = np.cumsum(pmf[::-1])[::-1]
    return n + int(np.flatnonzero(tails <= ALPHA)[0])


def looking(rng: np.random.Generator, runs: int, families: int) -> None:
    """The evidence after each item: how often it misleads, and how many items it takes."""
    print("\n| share picked, k = 4 | reach E = 20 in 1,500 items | items needed, median |")
    print("|---|---|---|")
    for share in (0.25, 0.40, 0.50):
        ends = []
        for _ in range(runs):
            process = e_process((rng.random(1_500) < share).astype(float), np.full(1_500, 1 / K))
            reached = np.flatnonzero(process >= STOP)
            ends.append(int(reached[0]) + 1 if len(reached) else None)
        reached_ends = [end for end in ends if end is not None]
        median = f"{np.median(reached_ends):.0f}" if share > 1 / K else "–"
        print(
            f"| {percent(share)} | {percent(len(reached_ends) / runs, 1)} | {median} |", flush=True
        )
    false = products = 0
    for _ in range(families):
        liked = rng.random(100) < 1 / K
        values = [
            e_process(
                np.where(rng.random(100) < 0.9, liked, rng.random(100) < 1 / K), np.full(100, 1 / K)
            )[-1]
            for _ in range(50)
        ]
        false += any(call_models(values))
        products += float(np.log(values).sum()) >= np.log(STOP)
    print(
        f"\n50 unseen models of one taste, {families} times: e-BH calls any in "
        f"{percent(false / families, 1)}; a product of their E would call all in "
        f"{percent(products / families, 1)}."
    )


if __name__ == "__main__":
    main()
