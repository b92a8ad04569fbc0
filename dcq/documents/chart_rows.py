"""Findings, replications and overlaps as the rows that charts take, with their captions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from dcq.documents.names import end_caption, line_names, partition_names
from dcq.evidence.interval import wilson
from dcq.evidence.kappa import Kappa, unscale
from dcq.evidence.leak import strategy_words
from dcq.evidence.record import FOUND, KAPPA
from dcq.judging.answer import Concluded, ruling_of
from dcq.judging.judged import JudgedResult
from dcq.judging.replication import gain, rate
from dcq.overlap.match import Category
from dcq.quiz.results import OPTIONS, quiz_row
from dcq.records import PartitionRole, QuizKind
from dcq.replication.evidence import replication_row
from dcq.words import model_title

if TYPE_CHECKING:  # they load all that searches, scans and compares scores
    from dcq.overlap.effect_report import EffectReport
    from dcq.overlap.outcome import OverlapResult

SAME = 0.005  # two shares that a person reads as one


def forest_rows(findings: Sequence[JudgedResult], concluded: Concluded) -> pd.DataFrame:
    """The rows that ``dcq.charts.kappa_forest`` takes, with a column ``run``. The ``verdict`` is
    what is ``concluded`` of the model and the partition."""
    results = [quiz_row(finding.evidence) for finding in findings]
    lines = line_names([finding.evidence for finding in findings])
    partitions = partition_names(results)
    return pd.DataFrame(
        [
            {
                "run": result.run,
                "model": lines[result.run],
                "partition": partitions[result.partition],
                "role": result.role,
                "progress": result.progress,
                **estimate_row(finding),
                "published": False,
                "verdict": ruling_of(result.run, concluded) or None,
            }
            for result, finding in zip(results, findings, strict=True)
        ]
    )


def ruler_rows(
    results: Sequence[JudgedResult], concluded: Concluded, names: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """The rows that ``verdict_ruler`` takes (``dcq.documents.pictures``): shares of what counts for
    memory, the range that is expected on unseen text, and the controls. Lines are labelled with
    the ``names`` by run, by default those of ``line_names``, and not at all if those are empty. The
    ``ruling`` is what is ``concluded`` of the model and the partition."""
    if names is None:
        names = line_names([result.evidence for result in results])
    return pd.DataFrame(
        [_ruler(result, concluded, names) for result in results], columns=list(_RULER)
    )


_RULER = (
    *("run", "name", "group", "n", "progress", "found", "low", "high"),
    *("expected_low", "expected_high", "dots", "ruling"),
)


def _ruler(
    result: JudgedResult, concluded: Concluded, names: Mapping[str, str]
) -> dict[str, object]:
    by, estimate = result.evidence, result.evidence.estimate
    pair = result.of_shares
    calibration = pair[1] if pair else None
    score = calibration.score if calibration else estimate.score
    limits = [estimate.low, estimate.high]
    # Of a bcq κ is measured from the model's own share of the slot, and its controls have gains.
    own_share = next((m.own_share for m in by.measures if m.name == FOUND), None)
    if estimate.unit == KAPPA:
        chance = 1 / OPTIONS if own_share is None else own_share
        limits = [None if limit is None else unscale(limit, chance) for limit in limits]
    # The limits are its.
    estimated_score = estimate.share if estimate.unit == KAPPA else estimate.value
    if score is None or estimated_score is None or abs(score - estimated_score) > SAME:
        limits = [None, None]  # of another number than the one that is compared
    dots = [control.mean(pair[0]) for control in result.used_controls] if pair else []
    return {
        "run": by.run,
        "name": names.get(by.run, ""),
        "group": by.place if names else "",
        "n": by.estimate.n,
        "progress": "" if by.finished else by.figures.get("progress") or "unfinished",
        "found": _number(score),
        "low": _number(limits[0]),
        "high": _number(limits[1]),
        "expected_low": calibration.control_low if calibration else math.nan,
        "expected_high": calibration.control_high if calibration else math.nan,
        "dots": [dot + (own_share or 0.0) for dot in dots if dot is not None],
        "ruling": ruling_of(by.run, concluded),
    }


def estimate_row(result: JudgedResult) -> dict[str, object]:
    """The estimate with its interval, and n, as every chart of estimates takes them."""
    estimate = result.evidence.estimate
    return interval_row(estimate.value, estimate.low, estimate.high, estimate.n)


def interval_row(
    value: float | None, low: float | None, high: float | None, n: int
) -> dict[str, object]:
    """A value with its interval, and n, as charts take them: NaN where there is none."""
    return {"kappa": _number(value), "low": _number(low), "high": _number(high), "n": n}


def strategy_rows(finding: JudgedResult) -> pd.DataFrame:
    """The rows of the chart ``strategy_bars``: the strategies without memory, and above
    them the model unless its κ is not measured from 25 %."""
    own_result = quiz_row(finding.evidence)
    bars = [
        bar(strategy_words(name), kappa)
        for name, kappa in (finding.evidence.text_only or {}).items()
    ]
    if own_result.kind is not QuizKind.BCQ:
        bars.insert(0, bar(model_title(own_result.model), own_result.kappa, is_model=True))
    return pd.DataFrame(bars)


def arrange(findings: Sequence[JudgedResult]) -> list[JudgedResult]:
    """Targets before positives and controls, and within a partition by descending κ."""
    roles = [PartitionRole.TARGET, PartitionRole.POSITIVE, PartitionRole.CONTROL]

    def rank(finding: JudgedResult) -> tuple[int, str, float, str]:
        result = quiz_row(finding.evidence)
        fall = math.inf if result.kappa.kappa_fixed is None else -result.kappa.kappa_fixed
        return roles.index(PartitionRole(result.role)), result.partition, fall, result.model

    return sorted(findings, key=rank)


def bar(name: str, estimate: Kappa, *, is_model: bool = False) -> dict[str, object]:
    """A row of the chart ``strategy_bars``, with the limits of κ converted back to scores:
    25 % + 75 % κ."""

    def back(kappa: float | None) -> float:
        return math.nan if kappa is None else unscale(kappa, 1 / OPTIONS)

    return {
        "name": name,
        "score": _number(estimate.score),
        "low": back(estimate.kappa_low),
        "high": back(estimate.kappa_high),
        "n": estimate.n,
        "is_model": is_model,
    }


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def measures(replications: Sequence[JudgedResult], concluded: Concluded) -> pd.DataFrame:
    """The rows that ``dcq.charts.replication_measures`` takes: each result, followed by its
    controls; the ``ruling`` as in ``ruler_rows``."""
    return pd.DataFrame(
        [
            _measures(replication, is_control=place > 0)
            | {"ruling": ruling_of(replication.evidence.run, concluded)}
            for place, replication in enumerate(replications)
        ]
    )


def expected(result: JudgedResult) -> dict[str, tuple[float, float]]:
    """The range of each measure that is expected on unseen text."""
    return {
        name: (calibration.control_low, calibration.control_high)
        for name, calibration in (("gain", gain(result)), ("rate", rate(result)))
        if calibration is not None
    }


def judge_words(replication: JudgedResult) -> str:
    """Who judged the completions, in words."""
    judge = replication_row(replication.evidence).judge
    return f"judge {model_title(judge)}" if judge else "no judge"


def caption_lines(replications: Sequence[JudgedResult], *, with_ids: bool = False) -> list[str]:
    """The caption of a chart of replications, one line per run: model, partition, judge, wordings,
    n, date; with the ids of the runs where no table beside the chart has them."""
    return end_caption([_caption(replication, with_ids) for replication in replications])


def _caption(replication: JudgedResult, with_ids: bool) -> str:
    by, row = replication.evidence, replication_row(replication.evidence)
    return (
        f"{model_title(by.model)} · {by.place} · {judge_words(replication)} · "
        f"wordings of the {row.replication.version} · "
        f"n = {row.measured.guidance.n:,}{'' if by.finished else ' (unfinished)'} · "
        f"{by.at:%d %b %Y}{f' · run {by.run}' if with_ids else ''}"
    )


def _measures(replication: JudgedResult, *, is_control: bool) -> dict[str, object]:
    by, measured = replication.evidence, replication_row(replication.evidence).measured
    guidance, interval = measured.guidance, measured.matches.interval
    return {
        "name": by.place if is_control else f"{model_title(by.model)} · {by.place}",
        "n": guidance.n,
        "is_control": is_control or replication.verdict is None,
        "gain": _or_nan(guidance.difference),
        "gain_low": _or_nan(guidance.low),
        "gain_high": _or_nan(guidance.high),
        "rate": _or_nan(measured.matches.rate),
        "rate_low": _or_nan(interval.low if interval else None),
        "rate_high": _or_nan(interval.high if interval else None),
    }


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


_MARKS = ("clean", "input-only", "input-and-label")


def category_rows(overlap: OverlapResult) -> pd.DataFrame:
    """The rows of the chart ``overlap_categories``; none where nothing was sought."""
    n = overlap.coverage.searched
    rows = []
    for category in Category if n else ():
        count = sum(row.category is category for row in overlap.rows)
        limits = wilson(count, n)
        rows.append(
            {
                "category": category.value,
                "count": count,
                "n": n,
                "share": count / n,
                "low": limits.low if limits else math.nan,
                "high": limits.high if limits else math.nan,
            }
        )
    return pd.DataFrame(rows)


def accuracy_rows(effect: EffectReport) -> pd.DataFrame:
    """The rows of the chart ``accuracy_by_category``."""
    return pd.DataFrame(
        [
            {
                "model": model_title(model_effect.model),
                "category": mark,
                "n": model_effect.categories[mark].n,
                "accuracy": model_effect.categories[mark].accuracy,
                "low": model_effect.categories[mark].low,
                "high": model_effect.categories[mark].high,
            }
            for model_effect in effect.models
            for mark in _MARKS
        ]
    ).astype({"accuracy": float, "low": float, "high": float})
