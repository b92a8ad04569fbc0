import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dcq.errors import InputError
from dcq.evidence.interval import effective_size, score_interval
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.rotated import complete_rows, rotated_kappa

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


def test_a_model_that_always_says_one_letter_scores_exactly_chance() -> None:
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
    with pytest.raises(InputError, match="row per instance"):
        rotated_kappa([1, 0, 1])


@pytest.mark.parametrize("most", [0.25, 0.6, 0.9])
def test_false_alarms_stay_at_five_per_cent_whatever_letter_is_preferred(most: float) -> None:
    rng = np.random.default_rng(2)
    rest, alarms = (1 - most) / 3, 0
    for _ in range(1000):
        chosen = rng.choice(4, p=[most, rest, rest, rest], size=(40, 4))
        alarms += (rotated_kappa(chosen == np.arange(4)).p_value or 0.0) <= 0.05
    assert 10 <= alarms <= 63


def test_interval_and_p_value_are_those_of_the_effective_size() -> None:
    table = (np.arange(120).reshape(30, 4) * 7 % 10 < 4).astype(float)
    shares = table.mean(axis=1)
    size = effective_size(shares, 0.9)
    found = rotated_kappa(table, 0.2, confidence=0.9)
    limits = score_interval(0.4, size, 0.9)
    assert found.score == pytest.approx(0.4)
    assert found.kappa_fixed == pytest.approx(0.25)
    assert (found.kappa_low, found.kappa_high) == pytest.approx(
        ((limits.low - 0.2) / 0.8, (limits.high - 0.2) / 0.8)
    )
    assert found.p_value == pytest.approx(stats.beta.cdf(0.2, 0.4 * size, 0.6 * size + 1))
    assert rotated_kappa(table).kappa_fixed == pytest.approx((0.4 - 0.25) / 0.75)


def test_rows_without_a_gap() -> None:
    assert complete_rows([[1.0, math.nan], [0.0, 1.0]]).tolist() == [[0, 1]]
    assert complete_rows(np.empty((0, 3))).shape == (0, 3)
    for shape in ((3,), (3, 0), (2, 2, 2)):
        with pytest.raises(InputError, match="column per slot"):
            complete_rows(np.zeros(shape))
