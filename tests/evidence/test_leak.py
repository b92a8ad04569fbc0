from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.leak import leaks


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
