"""Answers to originals and rewordings whose inflation is known."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dcq.effect.scores import ItemVersion, ModelRole, VersionedAnswer


def answers(
    n: int = 500,
    references: int = 6,
    *,
    gain: float = 0.0,
    target: str = "target",
    ability: float = 0.5,
    seed: int = 0,
    seen: Mapping[str, bool] | None = None,
) -> list[VersionedAnswer]:
    """A target that gains ``gain`` on originals (those ``seen``, or all), and clean references;
    a quarter is right by guessing."""
    rng = np.random.default_rng(seed)
    difficulty = np.random.default_rng(99).normal(0, 1, n)
    names = [f"i{place}" for place in range(n)]
    gained = np.array([1.0 if seen is None else float(seen[one]) for one in names]) * gain
    found = []
    for row in range(references + 1):
        level = ability - difficulty + (0.0 if row == 0 else rng.normal(0, 0.2))
        right = 0.25 + 0.75 / (1 + np.exp(-level))
        role = ModelRole.REFERENCE if row else ModelRole.TARGET
        for version, more in (
            (ItemVersion.ORIGINAL, 0 if row else gained),
            (ItemVersion.REWORDED, 0),
        ):
            correct = rng.random(n) < right + more
            found += [
                VersionedAnswer(
                    f"ref-{row - 1}" if row else target, name, version, float(value), role
                )
                for name, value in zip(names, correct, strict=True)
            ]
    return found
