from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from dcq.variants.assign import Goal, assign

CELLS = 3
GOAL = Goal(np.full(CELLS, 0.5), np.array([True, True, False]))

rows = st.integers(1, 3).flatmap(
    lambda k: arrays.arrays(np.float64, (k, CELLS), elements=st.sampled_from([0.0, 0.5, 1.0]))
)
problems = st.lists(rows, min_size=1, max_size=4)


def means(options: list[np.ndarray], chosen: list[int]) -> np.ndarray:
    picked = [rows[at] for rows, at in zip(options, chosen, strict=True)]
    return np.asarray(np.mean(picked, axis=0))


@given(problems, st.integers(0, 5))
def test_one_option_each_and_nearly_the_best_there_is(options: list[np.ndarray], seed: int) -> None:
    costs = [np.zeros(len(rows)) for rows in options]
    chosen = assign(options, costs, GOAL, seed=seed)
    assert chosen == assign(options, costs, GOAL, seed=seed)
    assert all(0 <= at < len(rows) for rows, at in zip(options, chosen, strict=True))
    every = product(*(range(len(rows)) for rows in options))
    best = min(float(GOAL.miss(means(options, list(one)))) for one in every)
    # No other option of one instance alone would do better, so it is at most one step away.
    assert best <= float(GOAL.miss(means(options, chosen))) + 1e-9
    for index, rows in enumerate(options):
        for at in range(len(rows)):
            other = [*chosen[:index], at, *chosen[index + 1 :]]
            assert GOAL.miss(means(options, chosen)) <= GOAL.miss(means(options, other)) + 1e-9


def test_of_many_instances_the_means_meet_the_target() -> None:
    rng = np.random.default_rng(0)
    options = [rng.integers(0, 2, (6, CELLS)).astype(float) for _ in range(300)]
    chosen = assign(options, [np.zeros(6)] * 300, GOAL)
    assert means(options, chosen) == pytest.approx([0.5] * CELLS, abs=0.005)


def test_where_nothing_else_speaks_the_cheaper_one_is_chosen() -> None:
    same = np.full((3, CELLS), 0.5)
    assert assign([same] * 4, [np.array([1.0, 0.0, 0.5])] * 4, GOAL) == [1, 1, 1, 1]


def test_no_instances() -> None:
    assert assign([], [], GOAL) == []
