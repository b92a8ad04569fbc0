"""Comparisons as a table for people."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from dcq.evidence.compare import Comparison
from dcq.judging.comparisons import Compared
from dcq.quiz.results import quiz_name
from dcq.words import p_number, points


def rank(found: Sequence[Compared]) -> list[Compared]:
    """The clearest first; those on controls last."""
    return sorted(found, key=lambda one: (one.on_controls, _p(one)))


def tabulate(found: Sequence[Compared]) -> pd.DataFrame:
    """One row per comparison, formatted for reading."""
    return pd.DataFrame([_row(one) for one in found])


def _row(one: Compared) -> dict[str, object]:
    found, first, second = one.found, one.first, one.second
    sides = (
        (f"{second.model} − {first.model}", first.place)
        if one.of_models
        else (f"{second.place} − {first.place}", first.model)
    )
    return {
        "sides": sides[0],
        "on": sides[1],
        "quiz": (
            quiz_name(first) if first.slot == second.slot else f"{first.kind}, at {one.slots}"
        ),
        "difference": _difference(found),
        "n": f"{found.n_first:,}" if found.paired else f"{found.n_second:,} and {found.n_first:,}",
        "p": _p_words(one),
        "test": found.method,
    }


def _difference(found: Comparison) -> str | None:
    if found.difference is None or found.low is None or found.high is None:
        return None
    return f"{points(found.difference)} [{points(found.low)}, {points(found.high)}]"


def _p_words(one: Compared) -> str | None:
    if one.on_controls and one.found.p_value is not None:
        return f"({p_number(one.found.p_value)})"
    return None if one.p_holm is None else p_number(one.p_holm)


def _p(one: Compared) -> float:
    p_value = one.found.p_value if one.on_controls else one.p_holm
    return math.inf if p_value is None else p_value
