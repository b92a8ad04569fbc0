"""Invented models, whose truth is known: what they answer about seen and unseen texts.

A plan is tried out on them before anything is asked (``dcq.judging.power``), and the rule for
controls was (``benchmarks``). A model that has not seen a partition still finds some originals: by
their wording, by their position, and more of them in one partition than in another. What it has
seen it picks and ranks first; it completes a share of that, drawn for each partition from 0 to
``RECITED``, because a model that was contaminated on purpose picked what it could not recite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
import scipy  # its parts are loaded where they are first used
from numpy.typing import NDArray

from dcq.evidence.controls import MANY, noise_of
from dcq.evidence.prediction import WIDEST
from dcq.evidence.share_prediction import MATCHES, QUIZ, Prior

Array = NDArray[np.float64]

WORDING, WITHIN = 0.7, 0.8  # the original's advantage: mean, and deviation over instances
SPREADS = np.linspace(0.013, 0.077, 7)  # between unseen partitions, as seen in seven models
SLOTS = np.array(
    [
        [0.0, 0.0, 0.0, 0.0],
        [1.5, 0.3, 0.0, -0.5],
        [0.5, 0.2, 0.0, -0.2],
        [-0.5, 0.0, 0.3, 1.0],
        [3.0, 0.5, 0.0, -1.0],
        [-2.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, -1.0, -1.0],
    ]
)
ALIKE = 0.9  # correlation of how easy a partition is for one method and for another
RECITED = 0.5  # the largest share of what is known that a model completes
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(31)
_LARGEST_SHIFT = 3.0  # log-odds


def offsets(slots: Array) -> Array:
    """The log-odds of a right call with the original in each slot, by the model's preference for
    ``slots`` (log-odds) alone."""
    weight = np.exp(slots)
    return np.asarray(slots - np.log(weight.sum() - weight))


def chances(slots: Array, advantage: Array) -> Array:
    """P(right) with the original in each slot: shape of ``advantage`` and one axis of slots."""
    return chances_by_offset(offsets(slots), advantage)


def chances_by_offset(by_slot: Array, advantage: Array) -> Array:
    """P(right) by the ``offsets`` of the slots: shape of ``advantage`` and one axis of slots."""
    return np.asarray(scipy.special.expit(by_slot + advantage[..., None]))


def slope(by_slot: Array, wording: float = WORDING, within: float = WITHIN) -> float:
    """How much the mean score of a partition rises with the advantage of its originals."""

    def score(shift: float) -> float:
        probabilities = chances_by_offset(by_slot, wording + shift + within * _NODES).mean(axis=1)
        return float(_WEIGHTS @ probabilities / _WEIGHTS.sum())

    return (score(0.2) - score(-0.2)) / 0.4


def completion_rates(shift: Array, ease: Array, rate: float = 0.02) -> Array:
    """P(an unseen instance is completed word for word), ``rate`` in the middle."""
    return np.asarray(rate * np.exp(0.8 * shift + 0.5 * ease))


def rank_chances(shift: Array, ease: Array, wording: float = WORDING) -> Array:
    """P(an unseen original is likelier than one of its rewordings); ``shift`` in log-odds."""
    return np.asarray(scipy.special.expit(wording + shift + WITHIN * ease))


class Texts(NamedTuple):
    """Partitions and their instances, as all methods ask about them: how easy each partition and
    each instance is (standard normal), and which instances were ``seen`` and can be ``recited``.
    ``shift`` has shape (partitions, 1), all others (partitions, instances)."""

    shift: Array
    ease: Array
    seen: NDArray[np.bool_]
    recited: NDArray[np.bool_]

    def first(self, n: int) -> Texts:
        """The first ``n`` instances of each partition."""
        return Texts(self.shift, self.ease[:, :n], self.seen[:, :n], self.recited[:, :n])


def draw_texts(rng: np.random.Generator, shares: Array, n: int) -> Texts:
    """Partitions of ``n`` instances; of each a share, one of ``shares``, was seen."""
    size = len(shares)
    seen = rng.random((size, n)) < shares[:, None]
    recited = rng.random((size, n)) < rng.uniform(0, RECITED, size=(size, 1))
    return Texts(rng.normal(size=(size, 1)), rng.normal(size=(size, n)), seen, seen & recited)


class InventedMeasure(Protocol):
    """What a method measures of an invented model."""

    @property
    def prior(self) -> Prior | None:
        """As in ``dcq.evidence.record.Measure``."""

    @property
    def gains(self) -> bool:
        """Whether values are differences (``dcq.evidence.controls.expect``)."""

    def draw(self, rng: np.random.Generator, texts: Texts) -> Array:
        """The values on some texts, shape (partitions, instances, slots)."""

    def fitted(self, controls: Sequence[Array]) -> InventedMeasure:
        """The same with the mean of measured ``controls``, tables (instances, slots), and from
        three of them on with their spread."""


@dataclass(frozen=True)
class Picks:
    """Originals picked among their rewordings, in slots with these ``by_slot`` log-odds. The
    advantage of an original is ``wording`` with a deviation of ``within`` over instances and of
    ``between`` over unseen partitions, in log-odds."""

    by_slot: tuple[float, ...]
    between: float
    wording: float = WORDING
    within: float = WITHIN
    prior: Prior | None = QUIZ
    gains: bool = False

    def draw(self, rng: np.random.Generator, texts: Texts) -> Array:
        """1 where the original is picked."""
        shift = self.between * _own_shift(rng, texts)
        right = chances_by_offset(
            np.array(self.by_slot), self.wording + shift + self.within * texts.ease
        )
        right = np.maximum(right, texts.seen[:, :, None])
        return (rng.random(right.shape) < right).astype(np.float64)

    def fitted(self, controls: Sequence[Array]) -> Picks:
        """With the share of right calls in each slot."""
        pooled = np.concatenate(list(controls))
        share = (pooled.sum(axis=0) + 0.5) / (len(pooled) + 1)
        found = replace(
            self, by_slot=tuple(_log_odds(part, self.within) for part in share), wording=0.0
        )
        spread = _spread_of([table.mean(axis=1) for table in controls])
        if spread is None:
            return found
        steep = slope(np.array(found.by_slot), found.wording, found.within)
        return replace(found, between=min(spread / steep, _LARGEST_SHIFT))


@dataclass(frozen=True)
class Completions:
    """Instances completed word for word, an unseen one with a middling ``rate``."""

    rate: float = 0.02
    prior: Prior | None = MATCHES
    gains: bool = False

    def draw(self, rng: np.random.Generator, texts: Texts) -> Array:
        """1 where the instance is completed."""
        rate = completion_rates(_own_shift(rng, texts), texts.ease, self.rate)
        return (rng.random(rate.shape) < np.maximum(rate, texts.recited)).astype(np.float64)[
            :, :, None
        ]

    def fitted(self, controls: Sequence[Array]) -> Completions:
        """With the share of completed instances."""
        pooled = np.concatenate(list(controls))
        mean_of_one = np.exp((0.8**2 + 0.5**2) / 2)
        return replace(self, rate=float((pooled.sum() + 0.5) / (len(pooled) + 1) / mean_of_one))


@dataclass(frozen=True)
class Gains:
    """How much more of an instance a model writes when it is told its name: ``level`` on unseen
    text, with deviations ``within`` and ``between`` partitions, and ``recited`` more where it
    recites."""

    level: float = 0.02
    within: float = 0.15
    between: float = 0.02
    recited: float = 0.3
    prior: Prior | None = None
    gains: bool = True

    def draw(self, rng: np.random.Generator, texts: Texts) -> Array:
        """Differences of two overlaps, from −1 to 1."""
        mean = self.level + self.between * _own_shift(rng, texts) + self.recited * texts.recited
        return np.clip(rng.normal(mean, self.within), -1, 1)[:, :, None]

    def fitted(self, controls: Sequence[Array]) -> Gains:
        """With the mean gain and its deviation."""
        pooled = np.concatenate(list(controls))
        spread = _spread_of([table[:, 0] for table in controls])
        return replace(
            self,
            level=float(pooled.mean()),
            within=float(np.sqrt(noise_of([table[:, 0] for table in controls]))),
            between=self.between if spread is None else spread,
        )


@dataclass(frozen=True)
class InventedRanks:
    """The midrank of an original among so many ``rewordings`` by its likelihood; ``wording`` and
    ``between`` are in log-odds."""

    between: float
    wording: float = WORDING
    rewordings: int = 3
    prior: Prior | None = None
    gains: bool = False

    def draw(self, rng: np.random.Generator, texts: Texts) -> Array:
        """From 0 (below all) to 1 (above all)."""
        below = rank_chances(self.between * _own_shift(rng, texts), texts.ease, self.wording)
        below = np.maximum(below, texts.seen)
        return np.asarray(rng.binomial(self.rewordings, below) / self.rewordings)[:, :, None]

    def fitted(self, controls: Sequence[Array]) -> InventedRanks:
        """With the mean midrank."""
        pooled = np.concatenate(list(controls))
        share = float((pooled.sum() + 0.5) / (len(pooled) + 1))
        found = replace(self, wording=_log_odds(share, WITHIN))
        spread = _spread_of([table[:, 0] for table in controls])
        if spread is None:
            return found
        steep = slope(np.zeros(1), found.wording)
        return replace(found, between=min(spread / steep, _LARGEST_SHIFT))


@lru_cache(maxsize=8)
def picks(*, lettered: bool, one_slot: bool) -> tuple[Picks, ...]:
    """What a quiz measures of the seven models: with the original in the slot that each picks
    least, or in each slot. Without letters no slot is preferred."""
    made = []
    for slots, spread in zip(SLOTS, SPREADS, strict=True):
        by_slot = offsets(slots if lettered else np.zeros(len(slots)))
        made.append(_picks(by_slot, float(spread) / slope(by_slot), one_slot=one_slot))
    return tuple(made)


def picks_of(letters: Sequence[int], model: Picks, *, one_slot: bool) -> Picks:
    """As ``model`` with the preference for slots that these counts of ``letters`` show, of a quiz
    without originals."""
    counts = np.array(letters, dtype=np.float64)
    by_slot = offsets(np.log((counts + 0.5) / (counts.sum() + 2)))
    return _picks(by_slot, model.between, one_slot=one_slot)


def _picks(by_slot: Array, between: float, *, one_slot: bool) -> Picks:
    if one_slot:
        by_slot = by_slot[[int(np.argmin(by_slot))]]
    return Picks(tuple(map(float, by_slot)), between)


@lru_cache(maxsize=1)
def ranks() -> tuple[InventedRanks, ...]:
    """What likelihood measures of the seven models."""
    return tuple(InventedRanks(4 * float(spread)) for spread in SPREADS)


def _own_shift(rng: np.random.Generator, texts: Texts) -> Array:
    """How easy partitions are for one method, which is nearly how easy they are for another."""
    own = rng.normal(size=texts.shift.shape)
    return np.asarray(np.sqrt(ALIKE) * texts.shift + np.sqrt(1 - ALIKE) * own)


def _log_odds(share: float, within: float) -> float:
    """The log-odds whose mean chance is ``share`` where instances deviate by ``within``."""
    values = np.linspace(-14, 14, 561)
    means = scipy.special.expit(values[:, None] + within * _NODES) @ _WEIGHTS / _WEIGHTS.sum()
    return float(np.interp(share, means, values))


def _spread_of(parts: Sequence[Array]) -> float | None:
    """The deviation of the true scores of partitions, from those of their instances; None of fewer
    than three. It is no smaller than that of the model whose partitions differ least."""
    if len(parts) < MANY:
        return None
    scores = np.array([part.mean() for part in parts])
    noise = noise_of(parts) * float(np.mean([1 / len(part) for part in parts]))
    spread = max(0.0, float(scores.var(ddof=1)) - noise) ** 0.5
    return float(np.clip(spread, SPREADS[0], WIDEST))
