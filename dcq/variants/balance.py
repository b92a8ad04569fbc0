"""Chooses which of an instance's candidates become its variants, so that text alone finds no
original.

Over a whole quiz the original's rank among the four options in length, centrality and word
frequency is to be as near to uniform as the candidates allow: then "always the shortest" finds it
as often as guessing, and so does every other strategy that only compares. The idea of choosing
variants so, and the weights in ``dcq.variants.assign``, are ours; docs/method.md has figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from dcq.variants.assign import Goal, assign
from dcq.variants.wording import has_frequencies, likeness, mean_zipf, total_likeness

Array = NDArray[np.float64]
# The candidate in each of the four slots; None leaves the slot as it is.
Arrangement = tuple[int | None, ...]

SLOTS = 4
LEAST = SLOTS - 1  # variants without which there is no question
CHANCE = 1 / SLOTS
_COLUMNS = 16_000  # arrangements looked at in all, which keeps a thousand instances quick
_FEWEST, _MOST = 16, 1_680  # arrangements looked at for one instance
# The place of each strategy of ``dcq.variants.leakage`` among the ranks: feature and rank.
STRATEGIES = {
    "shortest": ("length", 0),
    "longest": ("length", SLOTS - 1),
    "medoid": ("centrality", 0),
    "frequent": ("frequency", 0),
}


@dataclass(frozen=True)
class Pool:
    """An instance's original and its usable candidates, no two the same. ``present`` says which of
    them is in which slot (0–3) now; those in the ``fixed`` slots stay there."""

    original: str
    candidates: tuple[str, ...]
    present: Mapping[int, int] = field(default_factory=dict)
    fixed: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Ranks:
    """The distribution of the original's ranks over ``n`` questions: feature -> array of shape
    (slot of the original, rank), rows sum to 1. Rank 0 is the shortest, the most central, the one
    of the commonest words; tied options share their ranks. Empty where n is 0."""

    n: int
    shares: Mapping[str, Array]

    def strategies(self) -> dict[str, tuple[float, ...]]:
        """How often each strategy finds the original (0–1), by slot of the original."""
        return {
            name: tuple(float(share) for share in self.shares[feature][:, rank])
            for name, (feature, rank) in STRATEGIES.items()
            if feature in self.shares
        }


@dataclass(frozen=True)
class Balanced:
    """The ``chosen`` arrangement of each pool, and the original's ranks before and after."""

    chosen: tuple[Arrangement, ...]
    before: Ranks
    after: Ranks


def balance(pools: Sequence[Pool], language: str = "en", *, seed: int = 0) -> Balanced:
    """Choose and order the variants of every instance of a quiz, the same for the same ``seed``.

    A pool of fewer than four candidates gives no choice: they fill the empty slots. ``language``
    is that of the texts; where the frequencies of its words are not known, they are left out.
    """
    rng = np.random.default_rng(seed)
    features = _features(language)
    rated = [_Rated(pool, language, features) for pool in pools]
    most = int(np.clip(_COLUMNS // max(1, len(pools)), _FEWEST, _MOST))
    offered = [_arrangements(pool, most, rng) for pool in pools]
    asked = [at for at, pool in enumerate(pools) if len(pool.candidates) >= LEAST]
    columns = [_distinct(rated[at], pools[at], offered[at]) for at in asked]
    goal = _goal(features)
    picked = assign(
        [cells for _, cells, _ in columns], [cost for _, _, cost in columns], goal, seed=seed
    )
    chosen_arrangements = [arrangements[0] for arrangements in offered]
    for at, (kept_arrangements, _, _), pick in zip(asked, columns, picked, strict=True):
        chosen_arrangements[at] = kept_arrangements[pick]
    before = [_now(pool) for pool in pools]
    return Balanced(
        tuple(chosen_arrangements),
        _ranks(rated, before, features),
        _ranks(rated, chosen_arrangements, features),
    )


def measure(pools: Sequence[Pool], language: str = "en") -> Ranks:
    """The original's ranks among the variants that are present."""
    own_pools = [
        Pool(
            pool.original,
            tuple(pool.candidates[at] for at in pool.present.values()),
            dict(zip(pool.present, range(len(pool.present)), strict=True)),
        )
        for pool in pools
    ]
    features = _features(language)
    rated = [_Rated(pool, language, features) for pool in own_pools]
    return _ranks(rated, [_now(pool) for pool in own_pools], features)


class _Rated:
    """The cells of a pool's questions: where its original ranks among it and three candidates."""

    def __init__(self, pool: Pool, language: str, features: Sequence[str]) -> None:
        texts = (pool.original, *pool.candidates)
        self._values = {
            "length": -np.array([len(text) for text in texts], dtype=np.float64),
            "centrality": likeness(texts),
        }
        if "frequency" in features:
            self._values["frequency"] = np.array([mean_zipf(text, language) for text in texts])
        self._triples = np.array(
            list(combinations(range(1, len(texts)), LEAST)), dtype=np.intp
        ).reshape(-1, LEAST)
        self._place = {tuple(row): at for at, row in enumerate(self._triples.tolist())}
        self._ranks = np.stack([self._rank(feature) for feature in features], axis=1)

    def _rank(self, feature: str) -> Array:
        """Shape (triples, ranks): 1 at the original's rank, spread evenly over ties."""
        asked = np.hstack([np.zeros((len(self._triples), 1), dtype=np.intp), self._triples])
        values = self._values[feature]
        if feature == "centrality":
            scores = total_likeness(values[asked[:, :, None], asked[:, None, :]])
        else:
            scores = values[asked]
        better = (scores > scores[:, :1]).sum(axis=1, keepdims=True)
        level = (scores == scores[:, :1]).sum(axis=1, keepdims=True)
        place = np.arange(SLOTS)
        return np.where((place >= better) & (place < better + level), 1 / level, 0.0)

    def cells(self, arrangement: Arrangement) -> Array | None:
        """Shape (slots, features, ranks): the standard quiz with the original in each slot; None
        if the arrangement gives no question."""
        positions = [None if at is None else at + 1 for at in arrangement]
        triples = []
        for slot in range(SLOTS):
            # As in ``dcq.quiz.build``: where a variant is missing, the one that the original
            # replaces takes its slot.
            options = sorted(at for s, at in enumerate(positions) if s != slot and at is not None)
            spare = positions[slot]
            if len(options) < LEAST and spare is not None:
                options = sorted([*options, spare])
            if len(options) < LEAST:
                return None
            triples.append(self._place[tuple(options)])
        return np.asarray(self._ranks[triples])


def _arrangements(pool: Pool, most: int, rng: np.random.Generator) -> list[Arrangement]:
    """Up to ``most`` ways to fill the slots, the first of which changes the least."""
    start = _filled(pool)
    fixed = {slot: pool.present[slot] for slot in pool.fixed}
    free = [slot for slot in range(SLOTS) if slot not in fixed]
    others = [at for at in range(len(pool.candidates)) if at not in fixed.values()]
    if len(pool.candidates) < SLOTS or not free:
        return [start]
    arrangements: dict[Arrangement, None] = {start: None}
    choices = list(combinations(others, len(free)))
    # All orders of a few sets, or one order each of many sets, as far as the number goes.
    for turn in rng.permuted(np.arange(len(choices)))[:most]:
        orders = list(permutations(choices[int(turn)]))
        for pick in rng.permutation(len(orders))[: max(1, most // len(choices))]:
            filled = dict(fixed) | dict(zip(free, orders[int(pick)], strict=True))
            arrangements[tuple(filled[slot] for slot in range(SLOTS))] = None
    return list(arrangements)


def _filled(pool: Pool) -> Arrangement:
    """The present variants, with candidates filled into empty slots."""
    spare = iter(at for at in range(len(pool.candidates)) if at not in pool.present.values())
    return tuple(
        pool.present[slot] if slot in pool.present else next(spare, None) for slot in range(SLOTS)
    )


def _now(pool: Pool) -> Arrangement:
    return tuple(pool.present.get(slot) for slot in range(SLOTS))


def _distinct(
    rated: _Rated, pool: Pool, offered: Sequence[Arrangement]
) -> tuple[list[Arrangement], Array, Array]:
    """Of arrangements with the same ranks the one that changes the fewest slots: arrangements,
    their cells, shape (k, cells), and the share of slots that each changes, shape (k,)."""
    now = _now(pool)
    best: dict[bytes, tuple[float, Arrangement, Array]] = {}
    for arrangement in offered:
        cells = rated.cells(arrangement)
        assert cells is not None  # noqa: S101  (the pool has three candidates)
        moved = sum(at is not None and at != was for at, was in zip(arrangement, now, strict=True))
        key = cells.tobytes()
        if key not in best or moved / SLOTS < best[key][0]:
            best[key] = (moved / SLOTS, arrangement, cells.ravel())
    entries = list(best.values())
    return (
        [arrangement for _, arrangement, _ in entries],
        np.array([cells for _, _, cells in entries]),
        np.array([cost for cost, _, _ in entries]),
    )


def _features(language: str) -> tuple[str, ...]:
    return ("length", "centrality", *(("frequency",) if has_frequencies(language) else ()))


def _goal(features: Sequence[str]) -> Goal:
    worst = np.zeros((SLOTS, len(features), SLOTS), dtype=np.bool_)
    for feature, rank in STRATEGIES.values():
        if feature in features:
            worst[:, features.index(feature), rank] = True
    return Goal(np.full(worst.size, CHANCE), worst.ravel())


def _ranks(
    rated: Sequence[_Rated], arrangements: Sequence[Arrangement], features: Sequence[str]
) -> Ranks:
    rated_cells = [rating.cells(at) for rating, at in zip(rated, arrangements, strict=True)]
    valid_cells = [cells for cells in rated_cells if cells is not None]
    if not valid_cells:
        return Ranks(0, {})
    mean = np.mean(valid_cells, axis=0)
    return Ranks(len(valid_cells), {name: mean[:, at] for at, name in enumerate(features)})
