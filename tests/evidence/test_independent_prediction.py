"""Predictions, power and looks beside numerical integration, counting and simulation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from dcq.evidence.looks import plan_looks
from dcq.evidence.power import detectable_gain, detectable_kappa, minimum_kappa, needed_n, power
from dcq.evidence.prediction import SPREADS, NormalPrediction, predict
from tests.support.exact import splits, two_sided_half

NORMAL = NormalDist()
CONTROLS = (
    # scores and sizes of controls, variance of an instance's score
    ([0.0], [1], 0.2),
    ([1.0, 1.0], [2, 10_000], 0.001),
    ([0.0, 0.4], [10_000, 3], 0.1),
    ([0.3, 0.32, 0.28, 0.55], [40, 500, 25, 12], 0.19),
)


def posterior(
    scores: list[float], sizes: list[int], noise: float, of: Callable[[float, float, float], float]
) -> float:
    """The mean of ``of`` (spread, and mean and variance of the centre at that spread) over what the
    controls leave open, by adaptive quadrature over the spread."""

    def joint(spread: float) -> tuple[float, float, float]:
        """Likelihood at a spread, centre integrated out: controls are a multivariate normal."""
        errors = [spread**2 + noise / n for n in sizes]
        total = sum(1 / e for e in errors)
        center = sum(x / e for x, e in zip(scores, errors, strict=True)) / total
        first, *rest = zip(scores, errors, strict=True)
        # A flat centre: each control given those before it, the first one free.
        log, middle, left = 0.0, first[0], first[1]
        for x, e in rest:
            log += stats.norm.logpdf(x, middle, math.sqrt(left + e))
            middle, left = (middle * e + x * left) / (left + e), left * e / (left + e)
        assert middle == pytest.approx(center)
        return math.exp(log), middle, left

    def over(weigh: Callable[[float, float, float], float]) -> float:
        def at(spread: float) -> float:
            height, middle, left = joint(spread)
            return height * weigh(spread, middle, left)

        found = integrate.quad(at, SPREADS[0], SPREADS[-1], epsabs=0, epsrel=1e-6, limit=200)
        return float(found[0])

    return over(of) / over(lambda *_: 1.0)


@pytest.mark.parametrize(("scores", "sizes", "noise"), CONTROLS)
def test_the_prediction_is_the_integral_over_centre_and_spread(
    scores: list[float], sizes: list[int], noise: float
) -> None:
    found = predict(scores, sizes, noise)
    center = posterior(scores, sizes, noise, lambda _, middle, __: middle)
    assert found.center == pytest.approx(center, abs=2e-3)
    assert found.spread == pytest.approx(
        posterior(scores, sizes, noise, lambda spread, *_: spread), rel=0.02
    )
    for score, n in ((center + 0.12, 1), (center + 0.12, 60), (center - 0.05, 10_000)):

        def above(
            spread: float, middle: float, left: float, score: float = score, n: int = n
        ) -> float:
            """P(a target at least as high), its centre integrated once more."""
            error, width = math.sqrt(spread**2 + noise / n), math.sqrt(left)
            z = np.linspace(-8, 8, 201)
            tails = stats.norm.sf(score, middle + width * z, error)
            return float(integrate.simpson(tails * stats.norm.pdf(z), z))

        expected = posterior(scores, sizes, noise, above)
        assert found.p_value(score, n) == pytest.approx(expected, rel=0.02, abs=1e-4)
        # The score at which the p-value is that one, and the limits that leave 2.5 % on each side.
        assert found.critical(n, found.p_value(score, n)) == pytest.approx(score, abs=1e-6)
    for limit, share in zip(found.limits(), (0.975, 0.025), strict=True):
        assert found.p_value(limit, 1e12) == pytest.approx(share, rel=1e-4)


@pytest.mark.parametrize(("kappa", "n", "own"), [(0.1, 400, 0.0), (0.35, 60, 0.0), (0.7, 12, 0.4)])
def test_power_is_the_share_of_drawn_targets_that_are_found(
    kappa: float, n: int, own: float
) -> None:
    """Partitions drawn from the prediction, their answers one by one; the critical score is the
    95th percentile of those that hold nothing known."""
    share, rng, draws = 0.35, np.random.default_rng(1), 20_000
    # Right answers have a variance of p(1 − p), and so have the choices without the original.
    noise = share * (1 - share) + own * (1 - own)
    expected = predict(np.array([share, share + 0.03, share - 0.02]) - own, [300, 40, 900], noise)
    part = rng.choice(len(expected.weight), p=expected.weight, size=draws)
    base = rng.normal(expected.mean[part], np.sqrt(expected.variance[part])) + own
    base = np.clip(base, 0, 1)

    def scored(known: float) -> np.ndarray:
        right = rng.binomial(n, base + known * (1 - base)) / n
        # Spread evenly between whole counts, which the prediction knows nothing of.
        return np.asarray(right - (rng.binomial(n, own, draws) + rng.random(draws) - 0.5) / n)

    critical = np.quantile(scored(0.0), 0.95)
    found = (scored(kappa) >= critical).mean()
    assert power(expected, kappa, n, own_share=own) == pytest.approx(found, abs=0.03)
    least = minimum_kappa(expected, n, own_share=own)
    assert least is not None
    assert (scored(least) >= critical).mean() == pytest.approx(0.8, abs=0.03)


def tail(k: int, n: int, share: float) -> float:
    """P(X ≥ k), added up term by term."""
    return math.fsum(
        math.exp(
            math.lgamma(n + 1)
            - math.lgamma(i + 1)
            - math.lgamma(n - i + 1)
            + i * math.log(share)
            + (n - i) * math.log1p(-share)
        )
        for i in range(k, n + 1)
    )


@pytest.mark.parametrize("n", [3, 4, 20, 10_000])
@pytest.mark.parametrize("chance", [0.25, 0.2, 0.02, 0.6])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_detectable_effect_by_counting(n: int, chance: float, alpha: float) -> None:
    low, high = 0, n + 1
    while low < high:  # the first count that is significant
        middle = (low + high) // 2
        low, high = (low, middle) if tail(middle, n, chance) <= alpha else (middle + 1, high)
    found = detectable_kappa(n, chance=chance, alpha=alpha)
    if low > n:
        assert found is None
        return
    share = optimize.brentq(lambda share: tail(low, n, share) - 0.8, chance, 1 - 1e-12)
    assert found == pytest.approx((share - chance) / (1 - chance), rel=1e-7)


@pytest.mark.parametrize(("kappa", "chance"), [(1.0, 0.02), (0.9, 0.6), (0.35, 0.02), (0.3, 0.5)])
def test_the_needed_number_by_counting(kappa: float, chance: float) -> None:
    share = chance + kappa * (1 - chance)

    def enough(n: int) -> bool:
        critical = next((k for k in range(n + 1) if stats.binom.sf(k - 1, n, chance) <= 0.05), None)
        return critical is not None and bool(stats.binom.sf(critical - 1, n, share) >= 0.8)

    needed = needed_n(kappa, chance=chance)
    assert all(enough(n) for n in range(needed, needed + 30))
    assert needed == 1 or not enough(needed - 1)


@pytest.mark.parametrize(
    ("gained", "lost", "n"), [(0, 0, 6), (0, 0, 7), (3, 3, 12), (0, 0, 90), (30, 2, 60), (1, 6, 60)]
)
def test_the_detectable_gain_over_all_pairs_of_changes(gained: int, lost: int, n: int) -> None:
    gain = detectable_gain(gained, lost, n)
    assert gain is not None
    changed = max(min(1.0, (gained + lost + 0.5) / n), gain)
    up, down = (changed + gain) / 2, (changed - gain) / 2
    significant = [two for two in splits(n) if two[0] > two[1] and two_sided_half(*two) <= 0.05]
    cells = np.array([(g, b, n - g - b) for g, b in significant])
    chances = np.clip([up, down, 1 - up - down], 1e-15, 1)
    logs = stats.multinomial.logpmf(cells, n, chances / chances.sum())
    assert np.exp(logs).sum() == pytest.approx(0.8, abs=1e-6)


def crossed(times: tuple[float, ...], bounds: list[float]) -> list[float]:
    """P(a Brownian motion, scaled to variance 1, first exceeds its bound at each look), by the
    recursive integration of Armitage, McPherson and Rowe (1969) with Gauss and Legendre's nodes."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    found, before = list[float](), None
    for look, (time, bound) in enumerate(zip(times, bounds, strict=True)):
        edge = min(bound, 9.0) * math.sqrt(time)
        low = -9.0 * math.sqrt(time)
        places = low + (edge - low) * (nodes + 1) / 2
        widths = weights * (edge - low) / 2
        if before is None:
            found.append(float(stats.norm.sf(bound)))
            density = stats.norm.pdf(places, 0, math.sqrt(time))
        else:
            step = math.sqrt(time - times[look - 1])
            mass, start = before
            found.append(float(mass @ stats.norm.sf(bound * math.sqrt(time), start, step)))
            density = stats.norm.pdf(places[:, None], start, step) @ mass
        before = density * widths, places
    return found


@pytest.mark.parametrize(
    ("n", "alpha"),
    [((1, 2), 0.05), ((10, 11, 15, 20), 0.05), ((30, 53, 76, 100), 0.2), ((300, 10_000), 0.05)],
)
def test_looks_spend_their_error_by_recursive_integration(n: tuple[int, ...], alpha: float) -> None:
    controls = predict([0.3, 0.35, 0.42], [30, 40, 25], 0.2)
    looks = plan_looks(controls, n, alpha=alpha)
    # The variance of a true score is that of a mixture; information is its inverse with the noise.
    mean = controls.weight @ controls.mean
    squares = controls.weight @ (controls.variance + controls.mean**2)
    information = 1 / (squares - mean**2 + 0.2 / np.array(n))
    assert looks.times == pytest.approx(information / information[-1])
    spent = [2 * stats.norm.sf(stats.norm.isf(alpha / 2) / math.sqrt(t)) for t in looks.times]
    bounds = [-NORMAL.inv_cdf(max(limit, 1e-300)) for limit in looks.limits]
    found = itertools.accumulate(crossed(looks.times, bounds))
    # The limits come from 200,000 paths.
    for exact, wanted in zip(found, spent, strict=True):
        assert exact == pytest.approx(wanted, abs=4 * math.sqrt(wanted / 200_000) + 1e-5)
    # The overall p-value at the last look: as a bound that this p-value would have been.
    for p in (0.001, 0.3):
        overall = sum(crossed(looks.times, [*bounds[:-1], -NORMAL.inv_cdf(p)]))
        assert looks.overall_p(len(n) - 1, p) == pytest.approx(
            max(p, overall), abs=4 * math.sqrt(overall / 200_000) + 1e-5
        )


def test_the_recursive_integration_is_that_of_another_library() -> None:
    """Four equal looks at one-sided .05, as SeqBounds.jl documents its result."""
    times = (0.25, 0.5, 0.75, 1.0)
    found = crossed(times, [3.74955, 2.53993, 2.01604, 1.72014])
    assert found == pytest.approx([8.85754e-5, 0.00548602, 0.0180505, 0.0263749], rel=1e-4)
    free = NormalPrediction(
        np.array([0.4]), np.array([1e-12]), np.ones(1), 0.24
    )  # time rises with n
    limits = plan_looks(free, (25, 50, 75, 100)).limits[1:]
    assert limits == pytest.approx([0.00554366, 0.0218979, 0.0427037], rel=0.06)
