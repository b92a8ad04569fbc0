from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.leak import leaks, smallest_leak, strategy_words


def test_names_what_solves_the_quiz() -> None:
    scores = {
        "shortest": kappa_fixed(80, 100),
        "longest": kappa_fixed(2, 100),
        "medoid": kappa_fixed(45, 100),
        "frequent": kappa_fixed(30, 100),
    }
    assert leaks(scores) == ("shortest", "medoid")


def test_a_sure_but_small_advantage_is_not_named() -> None:
    assert leaks({"shortest": kappa_fixed(2_900, 10_000)}) == ()


def test_a_large_but_unsure_advantage_is_not_named() -> None:
    assert leaks({"shortest": kappa_fixed(2, 4)}) == ()


def test_no_strategy_and_no_items() -> None:
    assert leaks({}) == ()
    assert leaks({"shortest": kappa_fixed(0, 0)}) == ()


def test_the_limits_themselves_count() -> None:
    strong = kappa_fixed(80, 100)
    assert leaks({"shortest": replace(strong, kappa_fixed=0.1, p_value=0.05)}) == ("shortest",)
    assert leaks({"shortest": replace(strong, kappa_fixed=0.0999)}) == ()
    assert leaks({"shortest": replace(strong, p_value=0.0501)}) == ()
    assert leaks({"shortest": replace(strong, p_value=0.02)}, alpha=0.01) == ()
    assert leaks({"shortest": replace(strong, kappa_fixed=None)}) == ()


def test_strategies_are_corrected_for_one_another() -> None:
    weak = replace(kappa_fixed(80, 100), p_value=0.03)
    assert leaks({"shortest": weak}) == ("shortest",)
    assert leaks({"shortest": weak, "longest": kappa_fixed(20, 100)}) == ()


def test_how_strategies_are_called() -> None:
    assert strategy_words("medoid") == "always the most central"
    assert strategy_words("frequent") == "always the commonest wording"
    assert strategy_words("shortest") == "always the shortest"


@pytest.mark.parametrize(("n", "strategies"), [(10, 1), (40, 4), (100, 3), (2_000, 4)])
def test_the_smallest_leak_is_named_in_four_of_five_quizzes(n: int, strategies: int) -> None:
    share = smallest_leak(n, strategies)
    assert share is not None
    right = np.arange(n + 1)
    named = [
        bool(leaks({"shortest": kappa_fixed(int(k), n)}, alpha=0.05 / strategies)) for k in right
    ]
    assert stats.binom.pmf(right, n, share)[named].sum() == pytest.approx(0.8)


def test_forty_instances_see_no_leak_of_forty_per_cent() -> None:
    share = smallest_leak(40, 4)
    assert share is not None
    assert share > 0.45
    assert smallest_leak(2, 4) is None
    assert smallest_leak(0, 4) is None
    assert smallest_leak(40, 0) is None
