"""What a cut-off did to accuracy, in sentences, as JSON, and as rows of a chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd

from dcq.effect.dates import OverTime
from dcq.effect.matter import ScoreContext
from dcq.effect.scores import ModelScores
from dcq.effect.wording import interval, number
from dcq.evidence.jump import LEAST, LEAST_OTHER, LEAST_TIMES, Jump
from dcq.words import model_title, p_words

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


def sentences(found: OverTime | None) -> list[str]:
    """What was found, and how far to believe it."""
    return [TOO_FEW] if found is None else list(_sentences(found))


def _sentences(found: OverTime) -> Iterator[str]:
    yield (
        f"{model_title(found.model)} has {number(found.before)} on items up to "
        f"{found.cutoff:%Y-%m}, the end of its training data, and {number(found.after)} on later "
        f"ones; at that moment its score {_fall(found.accuracy)}."
    )
    if not found.certain:
        yield "Its maker says only until when it knows reliably; its training data may be newer."
    if found.recognition is not None:
        yield f"The share of items that it recognises {_fall(found.recognition)} there."
    if found.reworded is not None:
        yield f"On rewordings the score {_fall(found.reworded)} there."
    if found.placebos:
        as_far = sum(one.fall >= found.accuracy.fall for one in found.placebos)
        yield (
            f"At {as_far} of {len(found.placebos)} other moments, where none is expected, the fall "
            "is as large."
        )
    if found.later is not None:
        yield (
            f"{model_title(found.later.model)} may have seen both sides (its data end in "
            f"{found.later.cutoff:%Y-%m}); above it, the score {_fall(found.later.fall)}."
        )
    yield OLD_FACTS
    yield REWRITTEN


def _fall(found: Jump) -> str:
    if found.fall < 0:
        limits = interval(-found.high, -found.low)
        return f"rises by {number(-found.fall)} {limits} points"
    return (
        f"falls by {number(found.fall)} {interval(found.low, found.high)} points "
        f"({p_words(found.p_value)})"
    )


def document(found: OverTime | None) -> dict[str, Any] | None:
    """With the keys documented for the command line."""
    if found is None:
        return None
    return {
        "cutoff": found.cutoff.isoformat(),
        "before": found.before,
        "after": found.after,
        "accuracy": _document(found.accuracy),
        "reworded": _document(found.reworded),
        "recognition": _document(found.recognition),
        "placebos": [one.fall for one in found.placebos],
        "later": found.later
        and {"model": found.later.model, "cutoff": found.later.cutoff.isoformat()}
        | _figures(found.later.fall),
    }


def _document(one: Jump | None) -> dict[str, Any] | None:
    return _figures(one) if one else None


def _figures(one: Jump) -> dict[str, Any]:
    return {
        "n_before": one.n_before,
        "n_after": one.n_after,
        "fall": one.fall,
        "low": one.low,
        "high": one.high,
        "p_value": one.p_value,
    }


def rows(models: Mapping[str, ModelScores], context: ScoreContext, found: OverTime) -> pd.DataFrame:
    """As ``dcq.charts.effect_over_time`` takes them: means of items next to one another in time,
    on one side of the cut-off, for each line."""
    own = models[found.model]
    seen = {one: float(value) for one, value in context.seen.get(found.model, {}).items()}
    lines: list[tuple[str, Mapping[str, float]]] = [
        ("originals", own.original),
        ("rewordings", own.reworded),
        ("recognised", seen),
    ]
    if found.later is not None:
        lines.append((found.later.model, models[found.later.model].original))
    shown = [
        {"line": line, "day": day, "share": share, "n": n}
        for line, values in lines
        for day, share, n in _bins(values, context.dates, found.cutoff)
    ]
    return pd.DataFrame(shown, columns=["line", "day", "share", "n"])


def _bins(
    values: Mapping[str, float], dates: Mapping[str, date], cut: date
) -> Iterator[tuple[date, float, int]]:
    dated = sorted((dates[one], value) for one, value in values.items() if one in dates)
    for side in ([pair for pair in dated if (pair[0] <= cut) is old] for old in (True, False)):
        parts = max(1, round(BINS * len(side) / max(1, len(dated))))
        for chunk in np.array_split(np.arange(len(side)), parts):
            if len(chunk):
                days = [side[at][0].toordinal() for at in chunk]
                middle = date.min + timedelta(days=round(float(np.mean(days))) - 1)
                yield middle, float(np.mean([side[at][1] for at in chunk])), len(chunk)
