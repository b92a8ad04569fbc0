from __future__ import annotations

import pytest

from dcq.incoming.strict_json import read_strictly


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 2}', "[NaN]", "[-Infinity]", "{", '{"b": {"c": 1, "c": 1}}']
)
def test_what_readers_of_json_take_differently_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (the caller says what is wrong with its file)
        read_strictly(text, "file")


def test_too_much_nesting_is_an_error_of_python() -> None:
    with pytest.raises(RecursionError):
        read_strictly("[" * 100_000 + "]" * 100_000, "file")


def test_the_rest_is_as_it_stands() -> None:
    assert read_strictly('{"a": [1, 2.5, null]}', "file") == {"a": [1, 2.5, None]}
