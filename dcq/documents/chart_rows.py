"""Findings as the rows that charts take."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from dcq.documents.names import line_names, partition_names
from dcq.evidence.kappa import Kappa, unscale
from dcq.evidence.leak import strategy_words
from dcq.judging.study import Finding, JudgedResult
from dcq.quiz.results import OPTIONS
from dcq.records import Kind, Role


def forest_rows(found: Sequence[Finding]) -> pd.DataFrame:
    """The rows that ``dcq.charts.kappa_forest`` takes, with a column ``run``."""
    results = [finding.result for finding in found]
    lines, partitions = line_names(results), partition_names(results)
    return pd.DataFrame(
        [
            {
                "run": result.run,
                "model": lines[result.run],
                "partition": partitions[result.partition],
                "role": result.role,
                "progress": result.progress,
                **estimate_row(finding.judged),
                "published": False,
                "verdict": str(finding.verdict.ruling) if finding.verdict else None,
            }
            for result, finding in zip(results, found, strict=True)
        ]
    )


def estimate_row(one: JudgedResult) -> dict[str, object]:
    """The estimate with its interval, and n, as every chart of estimates takes them."""
    found = one.evidence.estimate
    return interval_row(found.value, found.low, found.high, found.n)


def interval_row(
    value: float | None, low: float | None, high: float | None, n: int
) -> dict[str, object]:
    """A value with its interval, and n, as charts take them: NaN where there is none."""
    return {"kappa": _number(value), "low": _number(low), "high": _number(high), "n": n}


def strategy_rows(finding: Finding) -> pd.DataFrame:
    """The rows that ``dcq.charts.strategy_bars`` takes: the strategies without memory, and above
    them the model unless its κ is not measured from 25 %."""
    mine = finding.result
    bars = [_bar(strategy_words(one.name), one.kappa) for one in finding.baselines]
    if mine.kind is not Kind.BCQ:
        bars.insert(0, _bar(mine.model, mine.kappa, is_model=True))
    return pd.DataFrame(bars)


def arrange(found: Sequence[Finding]) -> list[Finding]:
    """Targets before positives and controls, and within a partition by descending κ."""
    roles = [Role.TARGET, Role.POSITIVE, Role.CONTROL]

    def rank(finding: Finding) -> tuple[int, str, float, str]:
        result = finding.result
        fall = math.inf if result.kappa.kappa_fixed is None else -result.kappa.kappa_fixed
        return roles.index(Role(result.role)), result.partition, fall, result.model

    return sorted(found, key=rank)


def _bar(name: str, found: Kappa, *, is_model: bool = False) -> dict[str, object]:
    """A bar with the limits of κ converted back to scores: 25 % + 75 % κ."""

    def back(kappa: float | None) -> float:
        return math.nan if kappa is None else unscale(kappa, 1 / OPTIONS)

    return {
        "name": name,
        "score": _number(found.score),
        "low": back(found.kappa_low),
        "high": back(found.kappa_high),
        "n": found.n,
        "is_model": is_model,
    }


def _number(value: float | None) -> float:
    return math.nan if value is None else value
