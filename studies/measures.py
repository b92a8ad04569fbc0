"""What the rows of one dose come to: an estimate for each true share, and AUROC by method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from dcq.evidence.auroc import auroc
from dcq.evidence.controls import calibrate
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.replication.cross_check import cross_check
from dcq.evidence.replication.guidance import compare_instructions
from dcq.evidence.replication.replicated import count_matches
from studies.rows import SCORES, Membership, StudyRow, values

# The same answers make partitions of three known shares, and the controls a fourth.
SETS: dict[str, tuple[float, frozenset[Membership]]] = {
    "members": (1.0, frozenset({Membership.MEMBER})),
    "both halves": (0.5, frozenset({Membership.MEMBER, Membership.OTHER})),
    "non-members": (0.0, frozenset({Membership.OTHER})),
    "controls": (0.0, frozenset({Membership.CONTROL})),
}


def summarise(rows: Sequence[StudyRow]) -> dict[str, Any]:
    """All figures of one dose, ready for JSON; None where there is nothing to compute."""
    controls = [row for row in rows if row.group is Membership.CONTROL]
    sets = {}
    for name, (share, groups) in SETS.items():
        chosen = [row for row in rows if row.group in groups]
        against = [] if name == "controls" else controls
        sets[name] = {
            "true_share": share,
            "n": len(chosen),
            "likelihood": _quiz(chosen, against, lambda row: row.likeliest),
            "letter": _quiz(chosen, against, lambda row: row.named) | {"replies": _replies(chosen)},
            "replication": _replication(chosen),
        }
    halves = [row for row in rows if row.group is not Membership.CONTROL]
    copied = values(halves, lambda row: float(row.exact))
    return {
        "sets": sets,
        "auroc": {name: _auroc(rows, score) for name, score in SCORES.items()},
        "cross_check": {
            "likelihood": asdict(cross_check(values(halves, lambda row: row.likeliest), copied)),
            "letter": asdict(cross_check(values(halves, lambda row: row.named), copied)),
        },
    }


def _quiz(
    rows: Sequence[StudyRow], controls: Sequence[StudyRow], right: Callable[[StudyRow], float]
) -> dict[str, Any]:
    scores = values(rows, right)
    scores = scores[~np.isnan(scores)]
    kappa = kappa_fixed(int(scores.sum()), len(scores))
    calibration = (
        calibrate(scores[:, None], [values(controls, right)[:, None]]) if controls else None
    )
    return asdict(kappa) | {
        "kappa_control": calibration and calibration.kappa_control,
        "control_low": calibration and calibration.kappa_low,
        "control_high": calibration and calibration.kappa_high,
        "p_control": calibration and calibration.p_value,
    }


def _replies(rows: Sequence[StudyRow]) -> dict[str, int]:
    """How often each letter was named, and each outcome without one."""
    return dict(sorted(Counter(row.letter or row.outcome for row in rows).items()))


def _replication(rows: Sequence[StudyRow]) -> dict[str, Any]:
    comparison = compare_instructions(
        values(rows, lambda row: row.general), values(rows, lambda row: row.guided)
    )
    matches = count_matches(len(rows), sum(row.exact for row in rows), 0)
    opening = [row for row in rows if row.opening is not None]
    return asdict(comparison) | {
        "exact": matches.exact,
        "algorithm_1": comparison.contaminated,
        "algorithm_2_exact_only": matches.contaminated,
        "opening": float(np.mean([row.opening for row in opening])) if opening else None,
        "opening_exact": sum(bool(row.opening_exact) for row in opening) if opening else None,
    }


def _auroc(rows: Sequence[StudyRow], score: Callable[[StudyRow], float]) -> dict[str, Any] | None:
    sides = (
        values([row for row in rows if row.group is group], score)
        for group in (Membership.MEMBER, Membership.OTHER)
    )
    estimate = auroc(*sides)
    return None if estimate is None else asdict(estimate)
