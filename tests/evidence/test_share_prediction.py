import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from dcq.evidence.power import minimum_kappa, needed_instances, power
from dcq.evidence.share_prediction import MATCHES, QUIZ, Prior, SharePrediction, Shares

CASES = (
    # right and sizes of controls, right and size of the target
    ([0], [10], 1, 10),
    ([0, 0, 1, 16], [100, 100, 50, 100], 6, 100),
    ([12, 15, 9], [40, 40, 33], 25, 40),
    ([33, 30], [33, 30], 33, 33),
    ([3, 0, 40, 7, 1, 0], [1_000] * 6, 61, 1_000),
)


def by_brute_force(right: list[int], n: list[int], k: int, size: int, prior: Prior) -> float:
    """Mid-p over the whole posterior, on other grids: of the mean by its own density, of ρ, and
    the beta-binomial distribution by scipy."""
    theta = (np.arange(400) + 0.5) / 400 * np.pi / 2  # even in θ is Jeffreys' prior
    mean = np.sin(theta) ** 2
    mean = mean[(mean > 0.00055) & (mean < 0.9933)]  # beyond it is the grid of the product
    log_rho = np.linspace(np.log(0.0005), np.log(0.4), 60)[:, None]
    a, b = (part * (np.exp(-log_rho) - 1) for part in (mean, 1 - mean))
    log = stats.norm.logpdf(log_rho, np.log(prior.median), prior.width)
    log = log + sum(stats.betabinom.logpmf(x, m, a, b) for x, m in zip(right, n, strict=True))
    weight = np.exp(log - log.max())
    tail = stats.betabinom.sf(k, size, a, b) + stats.betabinom.pmf(k, size, a, b) / 2
    return float((weight * tail).sum() / weight.sum())


@pytest.mark.parametrize("prior", [QUIZ, MATCHES])
@pytest.mark.parametrize("case", CASES[:4])
def test_agrees_with_brute_force(case: tuple[list[int], list[int], int, int], prior: Prior) -> None:
    right, n, k, size = case
    found = Shares(right, n, prior).predict().p_value(k / size, size)
    assert found == pytest.approx(by_brute_force(right, n, k, size, prior), rel=0.04, abs=1e-4)


def test_agrees_with_the_prototype_of_the_rule() -> None:
    # Numbers of the prototype, with its prior.
    before = Prior(0.017, 1.4)
    assert Shares([5], [100], before).predict().p_value(0.2, 100) == pytest.approx(
        0.05733083726530512, abs=5e-5
    )


def test_the_true_share_is_spread_as_the_betas_are() -> None:
    found = Shares([12, 15, 9], [40, 40, 33]).predict()
    assert found.weight.sum() == pytest.approx(1)
    assert found.noise + found.between == pytest.approx(found.center * (1 - found.center))
    assert 0.03 < found.spread < 0.2
    low, high = found.limits()
    assert low < found.center < high
    assert found.limits(0.5).low > low


def test_a_share_that_is_known_is_binomial() -> None:
    known = SharePrediction(np.array([0.3]), np.ones(1), 0.0)
    assert known.p_value(0.5, 20) == pytest.approx(
        stats.binom.sf(10, 20, 0.3) + stats.binom.pmf(10, 20, 0.3) / 2
    )
    assert known.p_value(0.0, 20) == pytest.approx(1 - stats.binom.pmf(0, 20, 0.3) / 2)
    assert known.p_value(1.0, 20) == pytest.approx(stats.binom.pmf(20, 20, 0.3) / 2)
    # The smallest count with a mid-p of at most .05, and what finds it with a κ of .4.
    least = min(k for k in range(21) if known.p_value(k / 20, 20) <= 0.05)
    assert np.ceil(known.critical(20, 0.05) * 20) == least
    assert power(known, 0.4, 20) == pytest.approx(stats.binom.sf(least - 1, 20, 0.4 + 0.6 * 0.3))
    assert known.critical(2, 0.05) == pytest.approx(1 - 1e-9, abs=0.1)
    assert known.critical(1, 0.05) == 2.0  # even one of one is too likely


def test_a_count_is_critical_only_if_it_is_significant_itself() -> None:
    # Of 4, 3 are not significant; continued to counts that are not whole, 3.001 would be.
    known = SharePrediction(np.array([0.31]), np.ones(1), 0.0)
    assert known.p_value(0.75, 4) > 0.05 > known.p_value(0.75025, 4)
    assert known.critical(4, 0.05) == 1.0
    assert power(known, 0.5, 4) == pytest.approx(0.655**4)


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=6),
    st.integers(1, 300),
    st.floats(0.001, 0.6),
)
@settings(max_examples=60, deadline=None)
def test_the_critical_count_is_the_first_that_is_significant(
    right: list[int], size: int, alpha: float
) -> None:
    found = Shares(right, [30] * len(right)).predict()
    counts = [k for k in range(size + 1) if found.p_value(k / size, size) <= alpha]
    expected = counts[0] / size if counts else 1 + 1 / size
    assert found.critical(size, alpha) == pytest.approx(expected)


def test_what_is_kept_of_predictions_is_what_would_be_found_anew() -> None:
    shares, apart = Shares([12, 15, 9], [40, 40, 33]), Shares([12, 15, 9], [40, 40, 33])
    kept, anew = shares.predict(), apart.predict()
    elsewhere = SharePrediction(kept.share.copy(), kept.weight, kept.spread)  # on a grid of its own
    for score in (0.0, 0.3, 0.475, 1.0):
        for n in (1, 39, 40):
            assert kept.p_value(score, n) == anew.p_value(score, n)
            assert kept.p_value(score, n) == pytest.approx(elsewhere.p_value(score, n), abs=1e-12)


def test_each_control_as_the_others_predict() -> None:
    right, n = [12, 15, 39, 12], [40, 40, 40, 40]
    shares = Shares(right, n)
    found = shares.tails([0, 2, 3])
    for at, (place, others) in enumerate(((0, [2, 3]), (2, [0, 3]), (3, [0, 2]))):
        expected = shares.predict(others).p_value(right[place] / 40, 40)
        assert found[at] == pytest.approx(expected, abs=1e-6)
    assert found[0] == found[2]  # alike to the last digit, so that the first of them is named


def test_power_is_what_repeats_find() -> None:
    rng, found = np.random.default_rng(5), Shares([12, 15, 9, 14], [40] * 4).predict()
    share = rng.choice(found.share, p=found.weight, size=20_000)
    right = rng.binomial(60, 0.3 + 0.7 * share)
    by_count = np.array([found.p_value(k / 60, 60) for k in range(61)])
    called = float((by_count[right] <= 0.05).mean())
    assert power(found, 0.3, 60) == pytest.approx(called, abs=0.01)
    least = minimum_kappa(found, 60)
    assert least is not None
    assert power(found, least, 60) == pytest.approx(0.8)
    assert minimum_kappa(found, 1) is None


def test_needed_instances() -> None:
    close = Shares([30] * 12, [100] * 12).predict()
    needed = needed_instances(close)
    assert needed is not None
    assert power(close, 0.2, needed + 5) > 0.75
    assert power(close, 0.2, needed // 2) < 0.8
    assert needed_instances(Shares([30], [100]).predict()) is None


def test_leaving_controls_out() -> None:
    shares = Shares([12, 15, 39], [40] * 3)
    assert shares.predict([0, 1]).p_value(0.5, 40) == pytest.approx(
        Shares([12, 15], [40] * 2).predict().p_value(0.5, 40)
    )
    assert shares.predict().p_value(0.5, 40) > shares.predict([0, 1]).p_value(0.5, 40)


@given(
    st.lists(st.integers(0, 200), min_size=1, max_size=8),
    st.integers(200, 2_000),
    st.integers(1, 300),
)
@settings(max_examples=40, deadline=None)
def test_order_of_what_is_predicted(right: list[int], n: int, size: int) -> None:
    found = Shares(right, [n] * len(right)).predict()
    tails = [found.p_value(k / size, size) for k in range(size + 1)]
    assert all(0 <= p <= 1 for p in tails)
    assert all(later <= earlier + 1e-12 for earlier, later in itertools.pairwise(tails))
    # Mid-p of all outcomes average to a half, under what is predicted.
    mass = [float(found.weight @ stats.binom.pmf(k, size, found.share)) for k in range(size + 1)]
    assert sum(mass) == pytest.approx(1)
    assert float(np.dot(mass, tails)) == pytest.approx(0.5)


def test_the_prior_on_correlations_is_log_normal() -> None:
    # Without controls' evidence (nothing asked of them) the spread is the prior's.
    def density(log_rho: float) -> float:
        return float(stats.norm.pdf(log_rho, np.log(MATCHES.median), MATCHES.width))

    def root(log_rho: float) -> float:
        return density(log_rho) * float(np.exp(log_rho / 2))

    ends = (np.log(0.0005), np.log(0.4))
    mean_root = integrate.quad(root, *ends)[0] / integrate.quad(density, *ends)[0]
    odds = np.linspace(-7.5, 5, 50)
    mean = 1 / (1 + np.exp(-odds))
    weight = np.sqrt(mean * (1 - mean))
    deviation = float((weight * np.sqrt(mean * (1 - mean))).sum() / weight.sum())
    assert Shares([0], [0], MATCHES).predict().spread == pytest.approx(
        mean_root * deviation, rel=0.04
    )
