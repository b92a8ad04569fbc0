import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dcq.evidence.exact import at_least, critical_counts, each_count, fisher, two_sided_half


@pytest.mark.parametrize("chance", [0.02, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("alpha", [0.3, 0.05, 0.0125, 1e-9])
def test_critical_counts_are_the_first_that_are_significant(chance: float, alpha: float) -> None:
    sizes = np.array([0, 1, 2, 3, 7, 40, 399, 400, 100_000])
    expected = np.asarray(stats.binom.isf(alpha, sizes, chance)) + 1
    assert critical_counts(sizes, chance, alpha).tolist() == expected.tolist()


def test_tails_and_single_counts() -> None:
    k, n = np.array([-1, 0, 1, 7, 40, 41, 1]), np.array([40, 40, 40, 40, 40, 40, 0])
    assert at_least(k, n, 0.3) == pytest.approx(stats.binom.sf(k - 1, n, 0.3), abs=1e-15)
    for size in (0, 1, 40, 5_000):
        for chance in (0.5, 0.03, 0.0, 1.0):
            expected = stats.binom.pmf(np.arange(size + 1), size, chance)
            assert each_count(size, chance) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_two_sided_test_of_a_half(k: int, more: int) -> None:
    n = k + more
    if n:
        assert two_sided_half(k, n) == pytest.approx(stats.binomtest(k, n, 0.5).pvalue)


@given(*[st.integers(0, 60)] * 4)
def test_fishers_test(a: int, b: int, c: int, d: int) -> None:
    expected = stats.fisher_exact(np.array([[a, b], [c, d]])).pvalue
    assert fisher([[a, b], [c, d]]) == pytest.approx(expected, rel=1e-9)


def test_fishers_test_of_many() -> None:
    table = np.array([[2_300, 7_700], [2_450, 7_550]])
    assert fisher(table) == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-8)
    # The other tail is the same but for rounding, and belongs to it.
    assert fisher([[300, 700], [200, 800]]) == pytest.approx(
        stats.fisher_exact(np.array([[300, 700], [200, 800]])).pvalue, rel=1e-8
    )
