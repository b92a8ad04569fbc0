"""Chooses one option for each of many instances, such that shares over all of them come near their
targets.

An assignment problem with coupling constraints: its linear relaxation is solved with HiGHS, rounded
by chance with a fixed seed, and then improved one instance at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded where they are first used
from numpy.typing import NDArray

Array = NDArray[np.float64]

_OTHERS = 0.2  # weight of the mean deviation of all shares, where the largest of some weighs 1
_COST = 0.005  # weight of the mean cost: it decides between choices that are as good otherwise
_PASSES = 30  # over all instances, when a rounded solution is improved


@dataclass(frozen=True)
class Goal:
    """The target for the mean of the chosen rows, shape (cells,). Of the cells marked in ``worst``
    the largest deviation counts most; of all cells the mean deviation counts a little."""

    target: Array
    worst: NDArray[np.bool_]

    def miss(self, means: Array) -> Array:
        """The distance of means, shape (…, cells), from the goal; shape (…)."""
        off = np.abs(means - self.target)
        largest = off[..., self.worst].max(axis=-1, initial=0.0)
        return np.asarray(largest + _OTHERS * off.mean(axis=-1))


def assign(
    options: Sequence[Array], costs: Sequence[Array], goal: Goal, *, seed: int = 0
) -> list[int]:
    """The index of one option for each instance, the same for the same ``seed``.

    ``options`` holds for each instance an array of shape (its options, cells), ``costs`` one of
    shape (its options,) with values from 0 to 1. Each instance has at least one option.
    """
    if not options:
        return []
    rng = np.random.default_rng(seed)
    weights = _relax(options, costs, goal)
    chosen = [int(rng.choice(len(share), p=share)) for share in weights]
    return _improve(options, costs, goal, chosen, rng)


def _relax(options: Sequence[Array], costs: Sequence[Array], goal: Goal) -> list[Array]:
    """The linear relaxation: for each instance the weights of its options, which sum to 1.

    Unknowns are the weights, then how far each mean is above and below its target, then the largest
    such deviation.
    """
    n, cells = len(options), len(goal.target)
    sizes = [len(rows) for rows in options]
    total = sum(sizes)
    owner = np.repeat(np.arange(n), sizes)
    one_each = scipy.sparse.csr_array((np.ones(total), (owner, np.arange(total))), shape=(n, total))
    means = scipy.sparse.csr_array(np.concatenate(list(options)).T / n)
    eye = scipy.sparse.eye_array(cells, format="csr")
    equal = scipy.sparse.block_array(
        [[one_each, None, None, None], [means, -eye, eye, scipy.sparse.csr_array((cells, 1))]],
        format="csr",
    )
    marked = eye[np.flatnonzero(goal.worst)]
    count = int(goal.worst.sum())
    largest = scipy.sparse.csr_array(-np.ones((count, 1)))
    below = scipy.sparse.block_array(
        [[scipy.sparse.csr_array((count, total)), marked, marked, largest]], format="csr"
    )
    price = np.concatenate(
        [np.concatenate(list(costs)) * _COST / n, np.full(2 * cells, _OTHERS / cells), [1.0]]
    )
    solved = scipy.optimize.linprog(  # type: ignore[call-overload]  # its stubs know no sparse arrays
        price,
        A_ub=below,
        b_ub=np.zeros(count),
        A_eq=equal,
        b_eq=np.concatenate([np.ones(n), goal.target]),
        method="highs",
    )
    weights = np.clip(np.asarray(solved.x)[:total], 0.0, None)
    parts = np.split(weights, np.cumsum(sizes)[:-1])
    return [part / part.sum() for part in parts]


def _improve(
    options: Sequence[Array],
    costs: Sequence[Array],
    goal: Goal,
    chosen: list[int],
    rng: np.random.Generator,
) -> list[int]:
    """Choose again for one instance after the other, as long as that comes nearer to the goal."""
    n = len(options)
    total = np.sum([rows[at] for rows, at in zip(options, chosen, strict=True)], axis=0)
    for _ in range(_PASSES):
        changed = False
        for index in rng.permutation(n):
            rows, now = options[index], chosen[index]
            without = total - rows[now]
            misses = goal.miss((without + rows) / n) + _COST / n * costs[index]
            best = int(misses.argmin())
            if misses[best] < misses[now] - 1e-12:
                chosen[index], changed = best, True
                total = without + rows[best]
        if not changed:
            break
    return chosen
