"""Planned looks at a run before its end, without more error than one look has (O'Brien & Fleming
1979).

A target's p-value against its controls may be looked at after some of its instances, if each look
has its own limit, low enough at the early ones that all looks together have the error of one. The
looks at a partition are a Brownian motion in the information 1/(τ² + 1/Q + σ²/n), and the error is
spent on it as by Lan and DeMets (1983).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy  # its parts are loaded where they are first used
from numpy.typing import NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import MOST, check_level, check_number
from dcq.evidence.controls import FEWEST_TARGET
from dcq.evidence.power import ALPHA
from dcq.evidence.prediction import Prediction

FUTILE = 0.3  # a p-value above it, at an early look, may end a run for futility
SHARES = (0.3, 0.53, 0.76, 1.0)  # of the instances, at which to look
_PATHS = 200_000
_SEED = 0
_MOST_LOOKS = 30


@dataclass(frozen=True)
class Looks:
    """When to look, and how small the p-value must be then to stop and call the partition seen.

    ``n`` instances rise, ``limits`` are p-values, both of shape (looks,). ``times`` are the shares
    of the information that each look has.
    """

    n: tuple[int, ...]
    limits: tuple[float, ...]
    times: tuple[float, ...]

    def overall_p(self, look: int, p_value: float) -> float:
        """The p-value of a run that ended at ``look`` (from 0) with ``p_value``, all looks counted.

        Earlier ends are more extreme than later ones (stage-wise ordering, Fairbanks & Madsen
        1982). For a run that stopped at a limit or continued to its last look, it is at most alpha
        exactly if a limit was met. It is never below ``p_value``. Raises ``InputError`` for a look
        that is not planned, and for what is no p-value.
        """
        check_number(look, "The look", 0, len(self.n) - 1)
        check_number(p_value, "A p-value", 0, 1)
        if look == 0:
            return p_value
        paths = _standard_paths(self.times)
        alive, earlier = np.ones(len(paths), dtype=bool), 0.0
        for k in range(look):
            crossed = alive & _beyond(paths[:, k], self.limits[k])
            earlier += float(crossed.mean())
            alive &= ~crossed
        here = alive & _beyond(paths[:, look], p_value)
        return max(p_value, earlier + float(here.mean()))


def plan_shares(instances: int) -> tuple[int, ...]:
    """After how many of ``instances`` to look, ascending, the last look at all of them.

    No look comes before the fewest instances that a verdict needs.
    """
    check_number(instances, "The number of instances", 0, MOST)
    planned = (max(FEWEST_TARGET, round(share * instances)) for share in SHARES)
    return tuple(sorted({min(instances, n) for n in planned}))


def plan_looks(prediction: Prediction, n: Sequence[int], *, alpha: float = ALPHA) -> Looks:
    """The limits of looks after ``n`` instances (ascending) against the ``prediction`` of controls.

    All looks together call an unseen partition seen with probability ``alpha``. Raises
    ``InputError`` unless ``n`` is ascending, from 1 or more.
    """
    check_level(alpha)
    check_number(len(n), "The number of looks", 0, _MOST_LOOKS)
    if not n or n[0] < 1 or any(later <= earlier for earlier, later in itertools.pairwise(n)):
        raise InputError("Looks need numbers of instances that rise, from 1 on.")
    information = 1 / (prediction.between + prediction.noise / np.asarray(n, float))
    times = tuple(float(time) for time in information / information[-1])
    spent = 2 * scipy.special.ndtr(scipy.special.ndtri(alpha / 2) / np.sqrt(np.array(times)))
    spent[-1] = alpha
    paths = _standard_paths(times)
    alive, used, limits = np.ones(len(paths), dtype=bool), 0.0, list[float]()
    for k in range(len(times)):
        count = round((float(spent[k]) - used) * len(paths))
        limit = float(np.sort(paths[alive, k])[-count - 1]) if count > 0 else np.inf
        limits.append(float(scipy.special.ndtr(-limit)))
        crossed = alive & _beyond(paths[:, k], limits[-1])
        used += float(crossed.mean())
        alive &= ~crossed
    return Looks(tuple(n), tuple(limits), times)


def _beyond(path: NDArray[np.float64], p_value: float) -> NDArray[np.bool_]:
    """Which paths are more extreme than ``p_value``; the margin pays for its two roundings."""
    return np.asarray(path > -scipy.special.ndtri(p_value) + 1e-9)


@lru_cache(maxsize=8)
def _standard_paths(times: tuple[float, ...]) -> NDArray[np.float64]:
    """Brownian motions at ``times``, each scaled to variance 1: (paths, looks), always the same."""
    rng = np.random.default_rng(_SEED)
    steps = rng.standard_normal((_PATHS, len(times)))
    walked = np.cumsum(steps * np.sqrt(np.diff(np.array(times), prepend=0.0)), axis=1)
    return np.asarray(walked / np.sqrt(np.array(times)))


@dataclass(frozen=True)
class EndedAtLook:
    """A run with planned looks, compared with the runs ``controls``. ``look`` is the newest look,
    from 0. ``overall_p`` is its p-value with all looks counted, None unless the run ended at that
    look."""

    controls: tuple[str, ...]
    limits: Looks
    look: int
    overall_p: float | None
    ended: bool

    def overall(self, p_value: float) -> float:
        """Another p-value at the newest look, with all looks counted."""
        return self.limits.overall_p(self.look, p_value)
