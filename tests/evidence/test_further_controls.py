import numpy as np
import pytest

from dcq.errors import InputError
from dcq.evidence.controls import expect
from dcq.evidence.further_controls import INSTANCES, LEAST_GAIN, MOST, further_controls
from dcq.evidence.power import ENOUGH_POWER, power
from tests.support.tables import LEVELS, SLOT_SHARES, laid_out, unseen

N = 60


def small(count: int) -> list[np.ndarray]:
    """Rotated control tables of ten instances each."""
    return [
        laid_out(INSTANCES, SLOT_SHARES + LEVELS[b % len(LEVELS)], 17 * b) for b in range(count)
    ]


def test_what_is_there_has_the_power_of_the_rule() -> None:
    expected = expect(unseen(3))
    assert expected is not None
    found = further_controls(unseen(3), N)
    assert found.now == pytest.approx(power(expected.prediction, ENOUGH_POWER, N))


def test_few_controls_call_for_more_and_many_for_none() -> None:
    three, ten, thirty = (further_controls(small(count), N) for count in (3, 10, 30))
    assert three.count >= 2
    assert three.then > three.now + LEAST_GAIN
    assert three.count >= ten.count >= thirty.count == 0
    assert thirty.then == thirty.now


def test_one_slot_is_counted() -> None:
    one, many = (
        further_controls([laid_out(n, 0.3, 13 * b) for b in range(count)], N)
        for count, n in ((1, 33), (25, 10))
    )
    assert one.count > many.count == 0
    assert one.then > one.now


def test_they_stop_where_more_instances_of_those_there_are_would_do_as_well() -> None:
    """Controls of few instances that hardly differ: their own scores are what is not known."""
    alike = [laid_out(12, SLOT_SHARES, 0)] * 15
    assert further_controls(alike, N).count < further_controls(alike[:2], N).count <= MOST


def test_nothing_is_said_without_an_answer() -> None:
    with pytest.raises(InputError, match="Without a control"):
        further_controls([np.full((3, 4), np.nan)], N)
