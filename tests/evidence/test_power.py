import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dcq.errors import InputError
from dcq.evidence.ablation import mcnemar
from dcq.evidence.power import (
    SMALLEST_KAPPA,
    critical_counts,
    detectable_gain,
    detectable_kappa,
    needed_n,
)


@given(st.integers(3, 400), st.sampled_from([0.2, 0.25, 0.5]), st.sampled_from([0.05, 0.01]))
def test_the_detectable_effect_is_found_with_that_power(
    n: int, chance: float, alpha: float
) -> None:
    kappa = detectable_kappa(n, chance=chance, alpha=alpha, power=0.7)
    critical = next(k for k in range(n + 2) if stats.binom.sf(k - 1, n, chance) <= alpha)
    if critical > n:
        assert kappa is None
        return
    assert kappa is not None
    assert 0 < kappa < 1
    found = stats.binom.sf(critical - 1, n, chance + (1 - chance) * kappa)
    assert found == pytest.approx(0.7)


@given(
    st.lists(st.integers(0, 3000), min_size=1, max_size=5),
    st.sampled_from([0.02, 0.2, 0.25, 1 / 3, 0.5, 0.9]),
    st.sampled_from([0.25, 0.125, 0.05, 0.025, 0.01, 1e-6]),
)
def test_a_critical_count_is_the_smallest_that_is_rare_enough(
    sizes: list[int], chance: float, alpha: float
) -> None:
    found = critical_counts(np.array(sizes), chance, alpha)
    for n, critical in zip(sizes, found, strict=True):
        rare = stats.binom.sf(np.arange(n + 2) - 1, n, chance) <= alpha * (1 + 1e-12)
        assert critical == list(rare).index(True)


@given(st.floats(0.02, 1))
@settings(max_examples=30)
def test_the_needed_sample_suffices_and_so_does_every_larger_one(kappa: float) -> None:
    n = needed_n(kappa)
    for size in (n, n + 1, n + 2, n + 7, 2 * n):
        assert (detectable_kappa(size) or 2.0) <= kappa
    assert (detectable_kappa(n - 1) or 2.0) > kappa


@pytest.mark.parametrize(
    ("kappa", "power", "alpha", "chance"),
    [(0.1, 0.8, 0.05, 0.25), (0.3, 0.9, 0.01, 0.25), (0.2, 0.6, 0.05, 0.5), (0.6, 0.8, 0.2, 0.1)],
)
def test_the_needed_sample_by_brute_force(
    kappa: float, power: float, alpha: float, chance: float
) -> None:
    def found(n: int) -> float:
        critical = stats.binom.isf(alpha, n, chance) + 1
        return float(stats.binom.sf(critical - 1, n, chance + kappa * (1 - chance)))

    last = max(n for n in range(1, 800) if found(n) < power)
    assert needed_n(kappa, power=power, alpha=alpha, chance=chance) == last + 1


def test_it_agrees_with_simulated_answers() -> None:
    kappa = detectable_kappa(100)
    assert kappa is not None
    drawn = np.random.default_rng(0).binomial(100, 0.25 + 0.75 * kappa, size=4000)
    assert (stats.binom.sf(drawn - 1, 100, 0.25) <= 0.05).mean() == pytest.approx(0.8, abs=0.03)


def test_edges() -> None:
    assert [detectable_kappa(n) for n in (0, 1, 2)] == [None, None, None]
    assert detectable_kappa(3) is not None  # all three right: 1/64
    assert detectable_kappa(10_000) == pytest.approx(0.0145, abs=0.001)
    assert needed_n(1) == 3
    assert needed_n(0.999, alpha=0.3) == 1  # one right answer is 1/4
    smallest = needed_n(SMALLEST_KAPPA)
    assert smallest == pytest.approx(83_000, rel=0.01)


@pytest.mark.parametrize("kappa", [0.0, -0.2, 1.1, 0.001])
def test_effects_without_a_sample_size_are_refused(kappa: float) -> None:
    with pytest.raises(InputError, match=r"ask for one from 0\.005 to 1"):
        needed_n(kappa)


@pytest.mark.parametrize("chance", [0.0, 1.0])
def test_impossible_chances_are_refused(chance: float) -> None:
    for asked in (lambda: needed_n(0.2, chance=chance), lambda: detectable_kappa(9, chance=chance)):
        with pytest.raises(InputError, match="chance level"):
            asked()
    with pytest.raises(InputError, match="give zero or more"):
        detectable_kappa(-1)


@pytest.mark.parametrize(
    ("gained", "lost", "n"), [(0, 0, 60), (5, 5, 60), (12, 9, 120), (0, 0, 9), (40, 10, 80)]
)
def test_a_detectable_gain_is_found_by_mcnemars_test(gained: int, lost: int, n: int) -> None:
    gain = detectable_gain(gained, lost, n)
    assert gain is not None
    changed = max((gained + lost + 0.5) / n, gain)
    rng = np.random.default_rng(0)
    up, down, _ = rng.multinomial(
        n, [(changed + gain) / 2, (changed - gain) / 2, 1 - changed], size=3000
    ).T
    p = {pair: mcnemar(*pair) for pair in set(zip(up.tolist(), down.tolist(), strict=True))}
    called = [p[pair] <= 0.05 for pair in zip(up.tolist(), down.tolist(), strict=True)]
    assert np.mean(called) == pytest.approx(0.8, abs=0.025)


def test_gains_by_hand() -> None:
    # Only gains: six of them are significant (2/64), so their number must be at least 6 of 60.
    gain = detectable_gain(0, 0, 60)
    assert gain is not None
    assert stats.binom.sf(5, 60, gain) == pytest.approx(0.8)
    strict = detectable_gain(0, 0, 60, alpha=0.01, power=0.9)  # 8 gains: 2/256
    assert strict is not None
    assert stats.binom.sf(7, 60, strict) == pytest.approx(0.9)
    more = detectable_gain(10, 10, 60)
    assert more is not None
    assert more > gain
    assert detectable_gain(0, 0, 5) is None
    assert detectable_gain(0, 0, 6) == pytest.approx(0.8 ** (1 / 6))
    assert detectable_gain(0, 0, 0) is None
    assert detectable_gain(4, 4, 8) is not None
    assert not math.isnan(detectable_gain(4, 4, 8) or 0)


@pytest.mark.parametrize(
    ("gained", "lost", "n"), [(0, 0, 20), (3, 1, 60), (40, 5, 300), (9, 9, 18)]
)
def test_a_detectable_gain_has_the_power_that_scipys_binomials_give(
    gained: int, lost: int, n: int
) -> None:
    gain = detectable_gain(gained, lost, n)
    assert gain is not None
    changed = max(min(1.0, (gained + lost + 0.5) / n), gain)
    changes = np.arange(n + 1)
    up = stats.binom.isf(0.025, changes, 0.5) + 1
    power = stats.binom.pmf(changes, n, changed) @ stats.binom.sf(
        up - 1, changes, (1 + gain / changed) / 2
    )
    assert power == pytest.approx(0.8, abs=1e-6)
