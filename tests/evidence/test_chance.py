import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dcq.errors import InputError
from dcq.evidence.chance import binomial_pmf, binomial_tail, chance_p_value

counts = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.2, 0.25, 0.5])


@given(counts, levels)
def test_agrees_with_scipy(case: tuple[int, int], chance: float) -> None:
    correct, n = case
    expected = stats.binomtest(correct, n, chance, alternative="greater").pvalue
    assert chance_p_value(correct, n, chance) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(counts, levels)
def test_falls_with_more_right_answers(case: tuple[int, int], chance: float) -> None:
    correct, n = case
    p = chance_p_value(correct, n, chance)
    assert p is not None
    assert 0 <= p <= 1
    if correct < n:
        assert (chance_p_value(correct + 1, n, chance) or 0.0) <= p


def test_edges() -> None:
    assert chance_p_value(0, 0) is None
    assert chance_p_value(0, 7) == 1.0
    assert chance_p_value(1, 1) == pytest.approx(0.25)
    assert chance_p_value(5, 5) == pytest.approx(0.25**5)


def test_chance_is_a_quarter_unless_given() -> None:
    assert chance_p_value(26, 100) == chance_p_value(26, 100, 0.25)
    assert chance_p_value(26, 100) == pytest.approx(stats.binom.sf(25, 100, 0.25))


def test_a_part_of_an_answer_is_little_evidence() -> None:
    assert binomial_tail(0, 9.5, 0.25) == 1
    assert 0.9 < binomial_tail(0.1, 9.5, 0.25) < 1
    assert binomial_tail(9.5, 9.5, 0.25) == pytest.approx(0.25**9.5)
    with pytest.raises(InputError, match="impossible"):
        chance_p_value(4, 3)


def test_the_tail_runs_on_between_whole_counts() -> None:
    assert binomial_tail(3, 10, 0.25) > binomial_tail(3.5, 10, 0.25) > binomial_tail(4, 10, 0.25)


@pytest.mark.parametrize("chance", [0.0, 1.0, -0.1, 2.0])
def test_a_chance_level_outside_is_refused(chance: float) -> None:
    with pytest.raises(InputError, match=r"0\.25"):
        chance_p_value(1, 2, chance)


@pytest.mark.parametrize("n", [0, 1, 7, 400, 5000])
@pytest.mark.parametrize("share", [0.0, 1e-9, 0.2, 0.5, 0.999, 1.0])
def test_the_probabilities_of_counts_agree_with_scipy(n: int, share: float) -> None:
    found = binomial_pmf(n, share)
    assert found == pytest.approx(stats.binom.pmf(np.arange(n + 1), n, share), rel=1e-9, abs=1e-300)
    assert found.sum() == pytest.approx(1)
