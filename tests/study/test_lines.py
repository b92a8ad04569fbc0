"""The lines of keys in a TOML file."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dcq.study.lines import line_numbers, line_of

TEXT = """\
# a comment
a = 1

[b]
c.d = "x"  # dotted
"e f" = [
  1,  # one
  {g = 2},
]

[[m]]
n = '''
[not] = a header
'''
[[m]]
n = 2
[m.k]
o = 3
[b.deep]
"""


def test_each_key_has_the_line_where_its_value_begins() -> None:
    assert tomllib.loads(TEXT)
    lines = line_numbers(TEXT)
    assert {path: lines[path] for path in lines if len(path) == 1} == {
        ("a",): 2, ("b",): 4, ("m",): 11,
    }  # fmt: skip
    assert lines["b", "c", "d"] == 5
    assert lines["b", "e f", 1, "g"] == 6
    assert (lines["m", 0], lines["m", 0, "n"], lines["m", 1, "n"]) == (11, 12, 16)
    assert (lines["m", 1, "k", "o"], lines["b", "deep"]) == (18, 19)
    assert line_of(("m", 1, "x", "y"), lines) == 15  # the nearest around it
    assert line_of(("x",), lines) is None


def paths(value: Any) -> list[tuple[Any, ...]]:
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [(key, *path) for key, below in inner for path in [(), *paths(below)]]


@given(st.permutations([
    "[a]\nx = 1\n", "[[b]]\ny = 2\n", "[[b]]\nz = [1,\n2]\n", "[c.d]\nw = {v = 1}\n", '["e.f"]\n',
]))  # fmt: skip
def test_every_key_of_a_document_has_a_line(parts: list[str]) -> None:
    text = "".join(parts)
    lines = line_numbers(text)
    for path in paths(tomllib.loads(text)):
        assert path in lines
        name = next(part for part in reversed(path) if isinstance(part, str))
        assert name in text.split("\n")[lines[path] - 1]
