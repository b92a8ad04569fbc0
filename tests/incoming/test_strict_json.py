from __future__ import annotations

import pytest

from dcq.incoming.strict_json import DoubledNameError, read_strictly


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


@pytest.mark.timeout(20)
def test_a_name_that_stands_twice_is_found_among_very_many() -> None:
    """Counted one by one, these take hours."""
    names = [f'"n{number}": 1' for number in range(300_000)]
    with pytest.raises(DoubledNameError, match="n299999"):
        read_strictly(f"{{{', '.join([*names, names[-1]])}}}", "a.json")
