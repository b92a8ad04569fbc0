"""What a cut-off did to accuracy, in sentences, as JSON, and as rows of a chart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd

from dcq.effect.dates import OverTime, sides_of
from dcq.effect.matter import ScoreContext
from dcq.effect.scores import ModelRole, ModelScores, Scores
from dcq.effect.wording import interval, number
from dcq.evidence.jump import LEAST, LEAST_OTHER, LEAST_TIMES, Jump
from dcq.models.cutoffs import Cutoff
from dcq.words import counted, model_title, p_number, p_words

BINS = 16  # points of a line
TOO_FEW = (
    f"Dates say nothing here: {LEAST} dated items of {LEAST_TIMES} moments are needed on either "
    f"side of the cut-off, and {LEAST_OTHER} right and wrong answers each."
)
OLD_FACTS = (
    "A new text may tell of old facts, so what is right after the cut-off need not come from it."
)
REWRITTEN = (
    "Items that a model wrote or reworded may show no fall although the originals were seen, so no "
    "fall does not mean unseen."
)


def sentences(trend: OverTime | None) -> list[str]:
    """What was found, and how far to believe it."""
    return [TOO_FEW] if trend is None else list(_sentences(trend))


def silent(
    scores: Scores,
    context: ScoreContext,
    cutoffs: Mapping[str, Cutoff],
    timed: Mapping[str, OverTime | None],
) -> dict[str, str]:
    """By target, why its dates say nothing; without those of which they say something."""
    if not context.dates:
        return {}
    return {
        target.model: _why(target, context, cutoffs.get(target.model))
        for target in scores.models
        if target.role is ModelRole.TARGET and timed.get(target.model) is None
    }


def _why(target: ModelScores, context: ScoreContext, cutoff: Cutoff | None) -> str:
    if cutoff is None:
        return (
            f"No cut-off of {model_title(target.model)} is known; put it into the file that "
            "DCQ_CUTOFFS names."
        )
    before, after = sides_of(target, context, cutoff)
    if min(before.items, after.items) < LEAST or min(before.moments, after.moments) < LEAST_TIMES:
        return (
            f"Dates say nothing here: {counted(before.items, 'dated item')} of "
            f"{counted(before.moments, 'moment')} up to the cut-off and {after.items:,} of "
            f"{after.moments:,} after it; {LEAST} of {LEAST_TIMES} are needed on either side."
        )
    return (
        f"Dates say nothing here: fewer than {LEAST_OTHER} answers differ from the commonest one, "
        "or one item is far from all others in time."
    )


def _sentences(trend: OverTime) -> Iterator[str]:
    yield (
        f"{model_title(trend.model)} has {number(trend.before)} on items up to "
        f"{trend.cutoff:%Y-%m}, the end of its training data, and {number(trend.after)} on later "
        f"ones; at that moment its score {_fall(trend.accuracy)}."
    )
    if not trend.certain:
        yield "Its maker says only until when it knows reliably; its training data may be newer."
    if trend.recognition is not None:
        yield f"The share of items that it recognises {_fall(trend.recognition)} there."
    if trend.reworded is not None:
        yield f"On rewordings the score {_fall(trend.reworded)} there."
    if trend.placebos:
        as_far = sum(placebo.fall >= trend.accuracy.fall for placebo in trend.placebos)
        yield (
            f"At {as_far} of {len(trend.placebos)} other moments, where none is expected, the fall "
            "is as large."
        )
    if trend.later is not None:
        yield (
            f"{model_title(trend.later.model)} may have seen both sides (its data end in "
            f"{trend.later.cutoff:%Y-%m}); above it, the score {_fall(trend.later.fall)}."
        )
    yield OLD_FACTS
    yield REWRITTEN


def table(trends: Iterable[OverTime]) -> pd.DataFrame:
    """What happened at the cut-off of each model, as texts; the falls are in points, of original
    items but for the last column."""
    return pd.DataFrame(
        [
            {
                "Model": model_title(trend.model),
                "Training data until": f"{trend.cutoff:%Y-%m}"
                + ("" if trend.certain else " or later"),
                "Score up to then": number(trend.before),
                "Score after": number(trend.after),
                "Fall": _points(trend.accuracy),
                "p": p_number(trend.accuracy.p_value),
                "Fall on rewordings": _points(trend.reworded) if trend.reworded else "–",
            }
            for trend in trends
        ]
    )


def falls(trends: Iterable[OverTime]) -> pd.DataFrame:
    """The falls at the cut-off, as the chart ``estimate_intervals`` takes them: shares, for
    originals and rewordings."""
    jumps = [
        (f"{model_title(trend.model)}, {version}", jump)
        for trend in trends
        for version, jump in (("originals", trend.accuracy), ("rewordings", trend.reworded))
        if jump is not None
    ]
    return pd.DataFrame(
        [
            {"name": name, "kappa": jump.fall, "low": jump.low, "high": jump.high, "whole": False}
            | {"n": jump.n_before + jump.n_after}
            for name, jump in jumps
        ]
    )


def _points(jump: Jump) -> str:
    return f"{number(jump.fall)} {interval(jump.low, jump.high)}"


def _fall(jump: Jump) -> str:
    if jump.fall < 0:
        limits = interval(-jump.high, -jump.low)
        return f"rises by {number(-jump.fall)} {limits} points"
    return (
        f"falls by {number(jump.fall)} {interval(jump.low, jump.high)} points "
        f"({p_words(jump.p_value)})"
    )


def document(trend: OverTime | None) -> dict[str, Any] | None:
    """With the keys documented for the command line."""
    if trend is None:
        return None
    return {
        "cutoff": trend.cutoff.isoformat(),
        "before": trend.before,
        "after": trend.after,
        "accuracy": _document(trend.accuracy),
        "reworded": _document(trend.reworded),
        "recognition": _document(trend.recognition),
        "placebos": [placebo.fall for placebo in trend.placebos],
        "later": trend.later
        and {"model": trend.later.model, "cutoff": trend.later.cutoff.isoformat()}
        | _figures(trend.later.fall),
    }


def _document(jump: Jump | None) -> dict[str, Any] | None:
    return _figures(jump) if jump else None


def _figures(jump: Jump) -> dict[str, Any]:
    return {
        "n_before": jump.n_before,
        "n_after": jump.n_after,
        "fall": jump.fall,
        "low": jump.low,
        "high": jump.high,
        "p_value": jump.p_value,
    }


def rows(models: Mapping[str, ModelScores], context: ScoreContext, trend: OverTime) -> pd.DataFrame:
    """As ``dcq.charts.effect_over_time`` takes them: means of items next to one another in time,
    on one side of the cut-off, for each line."""
    scores = models[trend.model]
    seen = {item: float(value) for item, value in context.seen.get(trend.model, {}).items()}
    lines: list[tuple[str, Mapping[str, float]]] = [
        ("originals", scores.originals),
        ("rewordings", scores.reworded),
        ("recognised", seen),
    ]
    if trend.later is not None:
        lines.append((trend.later.model, models[trend.later.model].originals))
    records = [
        {"line": line, "day": day, "share": share, "n": n}
        for line, values in lines
        for day, share, n in _bins(values, context.dates, trend.cutoff)
    ]
    return pd.DataFrame(records, columns=["line", "day", "share", "n"])


def _bins(
    values: Mapping[str, float], dates: Mapping[str, date], cut: date
) -> Iterator[tuple[date, float, int]]:
    dated = sorted((dates[item], value) for item, value in values.items() if item in dates)
    for side in ([pair for pair in dated if (pair[0] <= cut) is old] for old in (True, False)):
        parts = max(1, round(BINS * len(side) / max(1, len(dated))))
        for chunk in np.array_split(np.arange(len(side)), parts):
            if len(chunk):
                days = [side[at][0].toordinal() for at in chunk]
                middle = date.min + timedelta(days=round(float(np.mean(days))) - 1)
                yield middle, float(np.mean([side[at][1] for at in chunk])), len(chunk)
