import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from dcq.errors import InputError
from dcq.evidence.interval import wilson_over_instances
from dcq.evidence.soft import letter_logprobs, slot_preference, soft_score

PLACES = np.tile(np.arange(4), (60, 1))


def rotated(advantage: float, preference: list[float]) -> np.ndarray:
    """Log-odds of a model: its ``preference`` for slots, its ``advantage`` on the original."""
    return np.array(preference) + advantage * np.eye(4) + np.zeros((60, 4, 4))


def test_letters_are_gathered_from_tokens() -> None:
    found = letter_logprobs(
        {" A": math.log(0.3), "A": math.log(0.1), "B": -2.0, "The": -5.0}, "ABCD"
    )
    assert found == pytest.approx([math.log(0.4), -2.0, -5.0, -5.0])
    assert np.isnan(letter_logprobs({"The": -0.1}, "ABCD")).all()
    assert np.isnan(letter_logprobs({}, "ABCD")).all()


@given(st.dictionaries(st.text(max_size=3), st.floats(-50, 0), max_size=8))
def test_any_candidates_are_read(candidates: dict[str, float]) -> None:
    found = letter_logprobs(candidates, "ABCD")
    assert np.isnan(found).all() or np.isfinite(found).all()


@given(st.lists(st.floats(-4, 4), min_size=4, max_size=4))
def test_a_preference_for_slots_is_found_and_taken_out(preference: list[float]) -> None:
    expected = np.exp(preference) / np.exp(preference).sum()
    assert slot_preference(rotated(0.0, preference)) == pytest.approx(expected)
    without_memory = soft_score(rotated(0.0, preference), PLACES)
    assert without_memory.score == pytest.approx(0.25)
    assert without_memory.debiased == pytest.approx(0.25)
    fair = math.exp(2) / (math.exp(2) + 3)
    assert soft_score(rotated(2.0, preference), PLACES).debiased == pytest.approx(fair)


def test_a_preference_hides_memory_from_the_plain_score_alone() -> None:
    found = soft_score(rotated(2.0, [5, 0, 0, 0]), PLACES)
    assert found.score is not None
    assert found.debiased is not None
    assert found.debiased_low is not None
    assert found.score < found.debiased
    assert found.debiased_low < found.debiased


def test_a_fixed_slot_uses_the_preference_it_is_given() -> None:
    table = rotated(2.0, [0, 0, 0, -3])[:, 3:, :]
    slots = np.full((60, 1), 3)
    preference = slot_preference(rotated(0.0, [0, 0, 0, -3]))
    assert soft_score(table, slots, preference).debiased == pytest.approx(
        math.exp(2) / (math.exp(2) + 3)
    )


def test_limits_are_over_instances() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(40, 2, 4))
    slots = rng.integers(0, 4, size=(40, 2))
    chances = special.softmax(table, axis=2)
    shares = np.array([[chances[i, c, slots[i, c]] for c in (0, 1)] for i in range(40)]).mean(
        axis=1
    )
    found = soft_score(table, slots, confidence=0.8)
    assert found.score == pytest.approx(shares.mean())
    assert (found.low, found.high) == pytest.approx(wilson_over_instances(shares, 0.8))
    usual = soft_score(table, slots)
    assert (usual.low, usual.high) == pytest.approx(wilson_over_instances(shares))
    prior = special.softmax(special.log_softmax(table.reshape(-1, 4), axis=1).mean(axis=0))
    fair = special.softmax(table - np.log(prior), axis=2)
    freed = np.array([[fair[i, c, slots[i, c]] for c in (0, 1)] for i in range(40)]).mean(axis=1)
    assert found.debiased == pytest.approx(freed.mean())
    assert (found.debiased_low, found.debiased_high) == pytest.approx(
        wilson_over_instances(freed, 0.8)
    )


def test_rows_with_a_gap_say_nothing_on_preferences() -> None:
    table = np.log([[[0.7, 0.1, 0.1, 0.1], [0.1, 0.7, 0.1, 0.1]]])
    gap = np.concatenate([table, [[[math.nan, 0, 0, 0], [9.0, 0, 0, math.nan]]]])
    assert slot_preference(gap) == pytest.approx(slot_preference(table))
    assert slot_preference(np.full((2, 5, 3), math.nan)) == pytest.approx([1 / 3] * 3)


def test_gaps_and_nothing() -> None:
    table = rotated(2.0, [0, 0, 0, 0])
    table[0, 1, 2] = math.nan
    assert soft_score(table, PLACES).n == 59
    empty = soft_score(np.full((2, 4, 4), math.nan), PLACES[:2])
    assert (empty.n, empty.score, empty.debiased) == (0, None, None)


def test_other_shapes_are_refused() -> None:
    for shape, slots in (((3, 4), (3, 4)), ((3, 2, 4), (3, 1)), ((3, 2, 4), (2, 2))):
        with pytest.raises(InputError, match=r"^Soft scores need .* slot for each call\.$"):
            soft_score(np.zeros(shape), np.zeros(slots, dtype=int))
