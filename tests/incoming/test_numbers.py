"""A number is what people and programs write for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.incoming.numbers import read_number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_python_writes_comes_back(value: float) -> None:
    assert read_number(repr(value)) == value
    assert read_number(f" {value!r}\t") == value


@pytest.mark.parametrize(
    ("text", "value"), [("1", 1), ("+1.", 1), (".5", 0.5), ("-2e3", -2000), ("1E-400", 0)]
)
def test_other_forms(text: str, value: float) -> None:
    assert read_number(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "nan", "inf", "-Infinity", "1_0", "1e400", "0x1", "1,5", "１", "٣", "1 2", "."),
        *("e1", "1e", "--1", "1e+", "1\n", "1\u00a0", "true", "9" * 401),
    ],
)
def test_all_else_is_none(text: str) -> None:
    assert read_number(text) is None
