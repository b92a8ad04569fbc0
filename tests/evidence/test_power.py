import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dcq.errors import InputError
from dcq.evidence.power import detectable_kappa, needed_n


@given(st.integers(3, 400))
def test_the_detectable_effect_is_found_with_that_power(n: int) -> None:
    kappa = detectable_kappa(n)
    assert kappa is not None
    assert 0 < kappa < 1
    critical = next(k for k in range(n + 2) if stats.binom.sf(k - 1, n, 0.25) <= 0.05)
    found = stats.binom.sf(critical - 1, n, 0.25 + 0.75 * kappa)
    assert found == pytest.approx(0.8)


@given(st.floats(0.02, 1))
@settings(max_examples=30)
def test_the_needed_sample_suffices_and_so_does_every_larger_one(kappa: float) -> None:
    n = needed_n(kappa)
    for size in (n, n + 1, n + 2, n + 7, 2 * n):
        assert (detectable_kappa(size) or 2.0) <= kappa
    assert (detectable_kappa(n - 1) or 2.0) > kappa


def test_it_agrees_with_simulated_answers() -> None:
    kappa = detectable_kappa(100)
    assert kappa is not None
    drawn = np.random.default_rng(0).binomial(100, 0.25 + 0.75 * kappa, size=4000)
    assert (stats.binom.sf(drawn - 1, 100, 0.25) <= 0.05).mean() == pytest.approx(0.8, abs=0.03)


def test_edges() -> None:
    assert [detectable_kappa(n) for n in (0, 1, 2)] == [None, None, None]
    assert detectable_kappa(10_000) == pytest.approx(0.0145, abs=0.001)
    assert needed_n(1) == 3
    more_power = detectable_kappa(100, power=0.95)
    assert more_power is not None
    assert more_power > (detectable_kappa(100) or 1)


@pytest.mark.parametrize("kappa", [0.0, -0.2, 1.1, 0.001])
def test_effects_without_a_sample_size_are_refused(kappa: float) -> None:
    with pytest.raises(InputError, match="ask for one from"):
        needed_n(kappa)
