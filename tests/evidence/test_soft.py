import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.evidence.soft import letter_logprobs, slot_liking, soft_score

PLACES = np.tile(np.arange(4), (60, 1))


def rotated(advantage: float, liking: list[float]) -> np.ndarray:
    """Log-odds of a model that likes slots by ``liking`` and the original by ``advantage``."""
    return np.array(liking) + advantage * np.eye(4) + np.zeros((60, 4, 4))


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
def test_liking_for_slots_is_found_and_taken_out(liking: list[float]) -> None:
    expected = np.exp(liking) / np.exp(liking).sum()
    assert slot_liking(rotated(0.0, liking)) == pytest.approx(expected)
    without_memory = soft_score(rotated(0.0, liking), PLACES)
    assert without_memory.score == pytest.approx(0.25)
    assert without_memory.debiased == pytest.approx(0.25)
    fair = math.exp(2) / (math.exp(2) + 3)
    assert soft_score(rotated(2.0, liking), PLACES).debiased == pytest.approx(fair)


def test_a_liking_hides_memory_from_the_plain_score_alone() -> None:
    found = soft_score(rotated(2.0, [5, 0, 0, 0]), PLACES)
    assert found.score is not None
    assert found.debiased is not None
    assert found.debiased_low is not None
    assert found.score < found.debiased
    assert found.debiased_low < found.debiased


def test_a_fixed_slot_uses_the_liking_it_is_given() -> None:
    table = rotated(2.0, [0, 0, 0, -3])[:, 3:, :]
    slots = np.full((60, 1), 3)
    liking = slot_liking(rotated(0.0, [0, 0, 0, -3]))
    assert soft_score(table, slots, liking).debiased == pytest.approx(
        math.exp(2) / (math.exp(2) + 3)
    )


def test_gaps_and_nothing() -> None:
    table = rotated(2.0, [0, 0, 0, 0])
    table[0, 1, 2] = math.nan
    assert soft_score(table, PLACES).n == 59
    empty = soft_score(np.full((2, 4, 4), math.nan), PLACES[:2])
    assert (empty.n, empty.score, empty.debiased) == (0, None, None)


def test_other_shapes_are_refused() -> None:
    with pytest.raises(InputError, match="by instance, call and slot"):
        soft_score(np.zeros((3, 4)), np.zeros((3, 4), dtype=int))
