import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.evidence.protocol2 import Range, contamination_range, non_preferred


# The two pairs of counts are those of reports that the quiz's authors published.
def test_published_gsm8k_counts() -> None:
    chosen = {"A": 44, "B": 2, "C": 1, "D": 1}
    assert non_preferred(chosen, 100) == ("B", "C", "D")
    found = contamination_range(chosen, {"B": 55, "C": 69, "D": 79}, 100)
    assert f"[{100 * (found.low or 0):.2f}, {100 * (found.high or 0):.2f}]" == "[78.79, 79.00]"
    assert found.kappa == pytest.approx((79 - 1) / (100 - 1))


def test_published_wnli_counts() -> None:
    chosen = {"A": 7, "B": 0, "C": 0, "D": 1}
    assert non_preferred(chosen, 71) == ("A", "B", "C", "D")
    found = contamination_range(chosen, {"A": 36, "B": 33, "C": 31, "D": 35}, 71)
    assert f"[{100 * (found.low or 0):.2f}, {100 * (found.high or 0):.2f}]" == "[49.30, 50.70]"
    assert found.kappa == pytest.approx((36 - 7) / (71 - 7))  # less than the second slot's share


def test_one_slot_gives_kappa_alone_even_below_zero() -> None:
    assert contamination_range({"B": 10}, {"B": 55}, 100).low == pytest.approx(0.5)
    below = contamination_range({"B": 10}, {"B": 5}, 100)
    assert (below.low, below.high, below.kappa) == pytest.approx((-5 / 90, 0.05, -5 / 90))


def test_ties_go_to_the_slot_that_is_liked_less() -> None:
    found = contamination_range({"A": 30, "B": 10}, {"A": 60, "B": 60}, 100)
    assert found == contamination_range({"B": 10, "A": 30}, {"B": 60, "A": 60}, 100)
    assert (found.low, found.high) == (0.6, 0.6)


def test_nothing_asked_gives_no_value() -> None:
    assert contamination_range({}, {}, 100) == Range(None, None, None)
    assert contamination_range({"A": 0}, {"A": 0}, 0).low is None
    assert contamination_range({"A": 3}, {"A": 3}, 3).low == 0


def test_all_slots_where_none_is_shunned() -> None:
    assert non_preferred({"A": 25, "B": 25, "C": 25, "D": 25}, 100) == ("A", "B", "C", "D")
    assert non_preferred({"A": 0, "B": 0, "C": 0, "D": 0}, 0) == ("A", "B", "C", "D")


def test_the_limit_rounds_up() -> None:
    # ceil(71/5) = 15: 14 is seldom, 15 is not.
    assert non_preferred({"A": 14, "B": 15, "C": 20, "D": 20}, 71) == ("A",)


slots = st.lists(st.sampled_from("ABCD"), min_size=1, max_size=4, unique=True)


@given(st.integers(1, 200), slots, st.data())
def test_the_range_is_in_order(n: int, used: list[str], data: st.DataObject) -> None:
    number = st.integers(0, n)
    chosen = {slot: data.draw(number) for slot in used}
    correct = {slot: data.draw(number) for slot in used}
    found = contamination_range(chosen, correct, n)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.high <= 1
    assert found.high == max(correct.values()) / n


def test_two_slots_by_hand() -> None:
    found = contamination_range({"A": 10, "B": 20}, {"A": 60, "B": 70}, 100)
    assert found.low == pytest.approx(50 / 80)  # κ of B, above A's 60 %
    assert found.high == 0.7
    even = contamination_range({"A": 10, "B": 60}, {"A": 60, "B": 70}, 100)
    assert even.low == pytest.approx(0.6)  # A's share, above B's κ of 10/40
    unknown = contamination_range({}, {"A": 60}, 100)
    assert (unknown.low, unknown.high) == (0.6, 0.6)  # a slot that was never chosen


def test_a_slot_that_is_always_chosen_shows_no_memory() -> None:
    found = contamination_range({"A": 5}, {"A": 5}, 5)
    assert (found.low, found.high) == (0, 1)
    assert contamination_range({"A": 4}, {"A": 5}, 5).low == 1


def test_a_slot_that_was_never_chosen_comes_first_in_a_tie() -> None:
    found = contamination_range({"A": 1}, {"A": 60, "B": 60}, 100)
    assert found.kappa == 0.6
