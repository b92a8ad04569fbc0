import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.rotated import position_preference, rotated_kappa

tables = st.lists(st.tuples(*[st.booleans()] * 4), min_size=1, max_size=50)


@given(tables)
def test_counts_and_order(rows: list[tuple[bool, ...]]) -> None:
    found = rotated_kappa(rows)
    assert found.n == len(rows)
    assert found.correct == sum(map(sum, rows))
    assert found.score == pytest.approx(found.correct / (4 * found.n))
    assert found.kappa_low is not None
    assert found.kappa_high is not None
    assert found.p_value is not None
    assert -1 / 3 <= found.kappa_low <= (found.kappa_fixed or 0) <= found.kappa_high <= 1
    assert 0 <= found.p_value <= 1


@given(tables, st.permutations(range(4)))
def test_slots_and_instances_are_exchangeable(
    rows: list[tuple[bool, ...]], order: list[int]
) -> None:
    table = np.array(rows)
    assert rotated_kappa(table[::-1][:, order]).p_value == pytest.approx(
        rotated_kappa(table).p_value
    )


def test_a_model_that_loves_one_letter_scores_exactly_chance() -> None:
    found = rotated_kappa([[1, 0, 0, 0]] * 50)
    assert found.kappa_fixed == 0
    assert found.kappa_low is not None
    assert found.kappa_low < 0
    assert found.p_value is not None
    assert found.p_value > 0.4


def test_calls_that_agree_weigh_like_one_call() -> None:
    right = np.arange(40) < 25
    plain, rotated = kappa_fixed(25, 40), rotated_kappa(np.repeat(right, 4).reshape(40, 4))
    assert rotated.correct == 100
    assert (rotated.kappa_low, rotated.kappa_high, rotated.p_value) == pytest.approx(
        (plain.kappa_low, plain.kappa_high, plain.p_value)
    )


def test_an_instance_with_a_missing_reply_is_left_out() -> None:
    assert rotated_kappa([[1.0, 1, 1, 1], [1, 1, 1, math.nan]]) == rotated_kappa([[1, 1, 1, 1]])


@pytest.mark.parametrize("empty", [np.empty((0, 4)), np.array([[math.nan, 1, 1, 1]])])
def test_no_complete_instance_gives_no_value(empty: np.ndarray) -> None:
    found = rotated_kappa(empty)
    assert (found.n, found.correct, found.score, found.p_value) == (0, 0, None, None)


def test_all_none_and_one() -> None:
    assert rotated_kappa([[1, 1, 1, 1]]).kappa_fixed == 1
    assert rotated_kappa([[0, 0, 0, 0]] * 9).kappa_fixed == pytest.approx(-1 / 3)
    assert rotated_kappa([[0, 0, 0, 0]] * 9).p_value == 1


def test_a_flat_list_is_refused() -> None:
    with pytest.raises(InputError, match="row an instance"):
        rotated_kappa([1, 0, 1])
    with pytest.raises(InputError, match="row an instance"):
        position_preference([1, 0, 1])


def test_false_alarms_stay_at_five_per_cent_for_a_model_with_a_letter_it_likes() -> None:
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(1000):
        chosen = rng.choice(4, p=[0.6, 0.2, 0.15, 0.05], size=(40, 4))
        alarms += (rotated_kappa(chosen == np.arange(4)).p_value or 0.0) <= 0.05
    assert alarms <= 60


@given(st.lists(st.lists(st.integers(-1, 3), min_size=4, max_size=4), max_size=40))
def test_preferences_share_out_the_answers(rows: list[list[int]]) -> None:
    found = position_preference(np.array(rows, dtype=np.int64).reshape(-1, 4))
    assert [one.slot for one in found] == [0, 1, 2, 3]
    assert sum(one.chosen for one in found) == sum(slot >= 0 for row in rows for slot in row)
    shares = [one.share for one in found if one.share is not None]
    assert sum(shares) == pytest.approx(1 if found[0].n else 0)
    for one in found:
        if one.share is not None and one.low is not None and one.high is not None:
            assert 0 <= one.low <= one.share <= one.high <= 1


def test_a_liked_letter_stands_out() -> None:
    likes_b = position_preference([[1, 1, 1, 2]] * 60)
    assert likes_b[1].low is not None
    assert likes_b[1].low > 0.25
    assert likes_b[0].high is not None
    assert likes_b[0].high < 0.25
