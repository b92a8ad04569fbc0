"""A replication and its controls as the rows that their chart takes, and its caption."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from dcq.documents.names import end_caption
from dcq.judging.replication import ReplicationResult


def measures(shown: Sequence[ReplicationResult]) -> pd.DataFrame:
    """The rows that ``dcq.charts.replication_measures`` takes: a result, and after it its
    controls."""
    return pd.DataFrame([_measures(one, is_control=place > 0) for place, one in enumerate(shown)])


def expected(result: ReplicationResult) -> dict[str, tuple[float, float]]:
    """The range of each measure that is expected on unseen text."""
    return {
        name: (found.control_low, found.control_high)
        for name, found in (("gain", result.gain), ("rate", result.rate))
        if found is not None
    }


def judge_words(one: ReplicationResult) -> str:
    """Who judged."""
    return f"judge {one.judge}" if one.judge else "no judge"


def caption_lines(shown: Sequence[ReplicationResult]) -> list[str]:
    """The caption of a chart of replications, one line per run: model, partition, judge, wordings,
    n, date, run."""
    return end_caption(
        [
            f"{one.model} · {one.place} · {judge_words(one)} · wordings of the {one.version} · "
            f"n = {one.guidance.n:,}{'' if one.finished else ' (unfinished)'} · "
            f"{one.at:%d %b %Y} · run {one.run}"
            for one in shown
        ]
    )


def _measures(one: ReplicationResult, *, is_control: bool) -> dict[str, object]:
    interval = one.matches.interval
    return {
        "name": one.place if is_control else f"{one.model} · {one.place}",
        "n": one.guidance.n,
        "is_control": is_control or one.verdict is None,
        "gain": _or_nan(one.guidance.difference),
        "gain_low": _or_nan(one.guidance.low),
        "gain_high": _or_nan(one.guidance.high),
        "rate": _or_nan(one.matches.rate),
        "rate_low": _or_nan(interval.low if interval else None),
        "rate_high": _or_nan(interval.high if interval else None),
    }


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
