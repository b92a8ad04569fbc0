"""Accuracy and recognition over time: do they fall where a model's training data end?

It stands beside the inflation and changes no ruling: what falls there may be due to items that
became harder, which a model with later training data shows, and placebo cut-offs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from dcq.columns import DATE
from dcq.effect.matter import ScoreContext
from dcq.effect.scores import ModelRole, ModelScores, Scores
from dcq.errors import InputError
from dcq.evidence.jump import Jump, jump, placebo_jumps
from dcq.models.cutoffs import Cutoff, cutoff_of
from dcq.partitions import DateWindow, Days, read_days
from dcq.partitions.files import read_file
from dcq.store import Store, samples

_YEAR = 365.25  # days


@dataclass(frozen=True)
class LaterModel:
    """A model whose training data end later, and the fall of what the target has above it, among
    items that the later one may have seen."""

    model: str
    cutoff: date
    fall: Jump


@dataclass(frozen=True)
class OverTime:
    """One model on dated items. ``cutoff`` is the last day of its training data, or of what it
    knows reliably where this is not ``certain``. Falls are of accuracy on originals and on
    rewordings and of the share recognised, None where there is too little; ``placebos`` are those
    of accuracy elsewhere."""

    model: str
    cutoff: date
    certain: bool
    before: float
    after: float
    accuracy: Jump
    reworded: Jump | None
    recognition: Jump | None
    placebos: tuple[Jump, ...]
    later: LaterModel | None


@dataclass(frozen=True)
class DatedSide:
    """The ``items`` on one side of a cut-off that have a date and an answer, at so many
    ``moments``."""

    items: int
    moments: int


def over_time(
    scores: Scores, context: ScoreContext, cutoffs: Mapping[str, Cutoff]
) -> dict[str, OverTime | None]:
    """By target with a known cut-off; None where it has too few dated items on a side of it."""
    return {
        model_scores.model: _of(model_scores, scores.models, context, cutoffs)
        for model_scores in scores.models
        if model_scores.role is ModelRole.TARGET and model_scores.model in cutoffs and context.dates
    }


def sides_of(
    target: ModelScores, context: ScoreContext, cutoff: Cutoff
) -> tuple[DatedSide, DatedSide]:
    """What a target has up to its cut-off, and after it."""
    dated = [context.dates[item] for item in target.originals if item in context.dates]
    before = [day for day in dated if day <= cutoff.last_day]
    after = [day for day in dated if day > cutoff.last_day]
    return DatedSide(len(before), len(set(before))), DatedSide(len(after), len(set(after)))


def cutoffs_of(scores: Scores) -> dict[str, Cutoff]:
    """The cut-offs of models, where known."""
    cutoffs = {model_scores.model: cutoff_of(model_scores.model) for model_scores in scores.models}
    return {model: cutoff for model, cutoff in cutoffs.items() if cutoff is not None}


def _of(
    target: ModelScores,
    models: Sequence[ModelScores],
    context: ScoreContext,
    cutoffs: Mapping[str, Cutoff],
) -> OverTime | None:
    cut = cutoffs[target.model].last_day
    originals = target.originals
    items = [item for item in originals if item in context.dates]
    accuracy = _fall(originals, items, context.dates, cut)
    if accuracy is None:
        return None
    sides = [
        [item for item in items if (context.dates[item] <= cut) is side] for side in (True, False)
    ]
    before, after = (sum(originals[item] for item in side) / len(side) for side in sides)
    recognition = {item: float(seen) for item, seen in context.seen.get(target.model, {}).items()}
    times = [_year(context.dates[item]) for item in items]
    return OverTime(
        model=target.model,
        cutoff=cut,
        certain=cutoffs[target.model].of_training,
        before=before,
        after=after,
        accuracy=accuracy,
        reworded=_fall(
            target.reworded, [item for item in items if item in target.reworded], context.dates, cut
        ),
        recognition=_fall(
            recognition, [item for item in items if item in recognition], context.dates, cut
        ),
        placebos=tuple(placebo_jumps(times, [originals[item] for item in items], _year(cut))),
        later=_later(target, models, context, cutoffs),
    )


def _later(
    target: ModelScores,
    models: Sequence[ModelScores],
    context: ScoreContext,
    cutoffs: Mapping[str, Cutoff],
) -> LaterModel | None:
    """Beside the model whose data end last."""
    cut = cutoffs[target.model].last_day
    others = [
        model for model in models if model.model in cutoffs and cutoffs[model.model].last_day > cut
    ]
    if not others:
        return None
    other = max(others, key=lambda model: cutoffs[model.model].last_day)
    end = cutoffs[other.model].last_day
    others_right = other.originals
    above = {
        item: right - others_right[item]
        for item, right in target.originals.items()
        if item in others_right and item in context.dates and context.dates[item] <= end
    }
    fall = _fall(above, list(above), context.dates, cut)
    return LaterModel(other.model, end, fall) if fall else None


def _fall(
    values: Mapping[str, float], items: Sequence[str], dates: Mapping[str, date], cut: date
) -> Jump | None:
    return jump(
        [_year(dates[item]) for item in items], [values[item] for item in items], _year(cut)
    )


def _year(day: date) -> float:
    return day.toordinal() / _YEAR


def date_window(column: str, after: str, until: str) -> tuple[DateWindow, list[str]]:
    """Rows by the dates in a column, each limit a date, a model whose cut-off is meant, or empty;
    and what to be careful about. Raises InputError for anything else."""
    limits: list[Days | None] = []
    cautions = []
    for limit in (after.strip(), until.strip()):
        days = read_days(limit)
        if days is None and limit:
            cutoff = cutoff_of(limit)
            if cutoff is None:
                raise InputError(
                    f"{limit!r:.60} is neither a date such as 2023-10 nor a model with a known "
                    "cut-off; one can be put into the file that DCQ_CUTOFFS names."
                )
            days = Days(cutoff.month, cutoff.last_day)
            if not cutoff.of_training:
                cautions.append(
                    f"{limit}: its maker says {cutoff} as the end of what it knows reliably; its "
                    "training data may be newer."
                )
        limits.append(days)
    return DateWindow(column, *limits), cautions


def read_dates(path: Path) -> dict[str, date]:
    """The dates of items, from a table of ``instance_id, date``. Raises ``InputError`` where one
    cannot be read, or an item has two."""
    dates: dict[str, date] = {}
    for number, row in enumerate(read_file(path).rows, start=1):
        identity, days = row.get("instance_id"), read_days(row.get("date"))
        if identity is None or days is None:
            raise InputError(
                f"{path.name} has no instance_id or no date in row {number}; write dates as "
                "2023-10-04 or 2023-10."
            )
        if dates.setdefault(str(identity), days.first) != days.first:
            raise InputError(f"{path.name} has {str(identity)!r:.60} with two dates; keep one.")
    return dates


def stored_dates(store: Store, partition: str) -> dict[str, date]:
    """Those of a partition's samples that were drawn with a column of dates."""
    sample_ids = [sample.id for sample in samples.listing(store) if sample.partition == partition]
    return {
        instance.id: date.fromisoformat(instance.fields[DATE])
        for name in sample_ids
        for instance in samples.load(store, name).instances
        if DATE in instance.fields
    }
