"""Numbers and arrays for functions of the evidence: usual ones, and now and then a wild one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

# Numbers.
wild = st.floats() | st.sampled_from([-1.0, -1e-17, 0.0, 1e-17, 0.25, 0.5, 1 - 1e-16, 1.0, 2.0])


def mostly(usual: SearchStrategy[Any], other: SearchStrategy[Any] = wild) -> SearchStrategy[Any]:
    """Usual values eleven times in twelve: what is refused at once tests little."""
    return st.integers(0, 11).flatmap(lambda drawn: other if drawn == 7 else usual)


unit = st.floats(0, 1)
share = mostly(unit)
level = mostly(st.sampled_from([0.05, 0.2, 0.5, 0.8, 0.95]))
whole = st.integers(0, 60)
few = mostly(whole, st.integers(-2, 60))
count = mostly(whole, st.sampled_from([-1, 10**6, 10**12, 10**400]))
seed = mostly(st.integers(0, 5), st.just(-1))
draws = mostly(st.integers(1, 40), st.integers(-1, 0))
p_value = mostly(unit | st.none())
label = st.sampled_from(["a", "b", "c"]) | st.none()

# Arrays, of one kind of numbers each, and some with a wild number put into them.
Kind = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
ANSWERS: tuple[Kind, ...] = (
    lambda rng, shape: rng.integers(0, 2, shape) * 1.0,
    lambda rng, shape: rng.integers(0, 5, shape) / 4,
    lambda rng, shape: rng.random(shape),
    lambda rng, shape: np.full(shape, rng.integers(0, 2) * 1.0),
    lambda rng, shape: np.where(rng.random(shape) < 0.1, np.nan, rng.integers(0, 2, shape)),
)
OTHERS: tuple[Kind, ...] = (
    lambda rng, shape: rng.uniform(-1, 1, shape),
    lambda rng, shape: -rng.exponential(5, shape),
    lambda rng, shape: rng.normal(size=shape) * 10.0 ** rng.integers(-300, 300, shape),
)
kinds = mostly(st.sampled_from(ANSWERS), st.sampled_from(OTHERS))
sizes = st.sampled_from([0, 1, 2, 3, 9, 12, 12, 35])
columns = mostly(st.sampled_from([1, 2, 4]), st.just(0))
odd = mostly(st.just(0), st.integers(0, 1))
pokes = mostly(st.just([]), st.lists(st.tuples(st.integers(0, 99), wild), min_size=1, max_size=2))


def array(kind: Kind | SearchStrategy[float], *shape: int) -> SearchStrategy[np.ndarray]:
    """An array of this kind, or of single draws of a strategy."""
    if isinstance(kind, SearchStrategy):
        size = math.prod(shape)
        return st.lists(kind, min_size=size, max_size=size).map(
            lambda values: np.array(values, dtype=np.float64).reshape(shape)
        )
    return st.builds(
        lambda number, poked: poke(kind(np.random.default_rng(number), shape), poked),
        st.integers(0, 10**6),
        pokes,
    )


def poke(made: np.ndarray, poked: list[tuple[int, float]]) -> np.ndarray:
    for place, value in poked:
        if made.size:
            made.flat[place % made.size] = value
    return made


@st.composite
def lists(draw: st.DrawFn, number: int = 1) -> list[np.ndarray]:
    """So many lists, of one length nearly always."""
    size, kind, more = draw(sizes), draw(kinds), draw(odd)
    return [draw(array(kind, size + more * (place == 0))) for place in range(number)]


@st.composite
def tables(draw: st.DrawFn, number: int = 1, axes: int = 2) -> list[np.ndarray]:
    """So many tables with equally many columns nearly always."""
    kind, width, size = draw(kinds), draw(columns), draw(sizes)
    same = draw(st.booleans())
    made = []
    for _ in range(number):
        rows = size if same else draw(sizes)
        wide = width + (draw(odd) if number > 1 else 0)
        made.append(draw(array(kind, *(rows, wide, 4)[:axes])))
    return made


table = tables().map(lambda made: made[0])
values = lists().map(lambda made: made[0])


def pair(first: str, second: str, **rest: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
    """Two lists of one length, and other arguments."""
    return joined(lists(2), (first, second), rest)


def table_pair(
    first: str, second: str, **rest: SearchStrategy[Any]
) -> SearchStrategy[dict[str, Any]]:
    return joined(tables(2), (first, second), rest)


def joined(
    made: SearchStrategy[list[np.ndarray]],
    names: tuple[str, ...],
    rest: Mapping[str, SearchStrategy[Any]],
) -> SearchStrategy[dict[str, Any]]:
    return st.tuples(made, st.fixed_dictionaries(dict(rest))).map(
        lambda both: dict(zip(names, both[0], strict=True)) | both[1]
    )


def of(**arguments: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(arguments)
