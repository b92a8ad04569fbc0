import copy
from dataclasses import dataclass, replace
from functools import partial

import pytest

from dcq.evidence.lazy_field import Later

made: list[float] = []


def halve(value: float) -> float:
    made.append(value)
    return value / 2


@dataclass(frozen=True)
class Kept:
    name: str
    half: Later[float | None] = Later()  # noqa: RUF009  # a descriptor


def test_it_is_worked_out_once_and_only_when_asked_for() -> None:
    made.clear()
    found = Kept("four", partial(halve, 4.0))
    assert made == []
    assert (found.half, found.half) == (2.0, 2.0)
    assert made == [4.0]


def test_a_value_stays_what_it_is() -> None:
    assert Kept("one", 1.0).half == 1.0
    assert Kept("none", None).half is None


def test_copies_and_comparisons_see_the_value() -> None:
    found = Kept("four", partial(halve, 4.0))
    assert found == Kept("four", 2.0)
    assert replace(found, name="other") == Kept("other", 2.0)
    assert copy.deepcopy(Kept("four", partial(halve, 4.0))) == found
    assert repr(found) == "Kept(name='four', half=2.0)"


def test_it_has_no_default() -> None:
    with pytest.raises(TypeError, match="half"):
        Kept("nothing")
