"""Is a model's score inflated? One finding for each model, against references named beforehand.

Nothing here chooses references by their result: a person names them, and models that cannot be
compared (too far from the target, near guessing, few common instances, called contaminated) are
left out with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum

import numpy as np

from dcq.effect.scores import ModelRole, ModelScores, Scores
from dcq.evidence.constat import ConStat, constat
from dcq.evidence.family import benjamini_hochberg
from dcq.evidence.inflation import (
    Drop,
    Inflation,
    Within,
    alike,
    inflation_above,
    level_of,
    near_guessing,
    paired_drop,
    within_model,
    without_each,
)

ALPHA = 0.05
LARGEST = 0.1  # ours: "no inflation found" needs that ten points would have been
LEAST_COMMON = 0.8  # ours: share of the target's instances that a reference must have answered
CONTAMINATED = "contaminated"  # an answer by which a reference is none


class EffectRuling(StrEnum):
    """What a model's drop shows."""

    INFLATED = "inflated"
    SEEN_NOT_INFLATED = "seen, no inflation found"
    NOT_INFLATED = "no inflation found"
    NOT_ENOUGH = "not enough"


class LeftOut(StrEnum):
    """The reasons for which a reference does not count."""

    CONTAMINATED = "called contaminated"
    GUESSING = "near guessing"
    UNLIKE = "accuracy too far from the target's"
    FEW = "too few common instances"


@dataclass(frozen=True)
class ReferenceModel:
    """A reference model compared with one target: its own drop, its ``answer`` on the benchmark if
    known, and why it is left out (None where it counts). ``without`` is the inflation with this
    reference left out; None where too few would be left."""

    model: str
    drop: Drop
    answer: str | None = None
    left_out: LeftOut | None = None
    without: Inflation | None = None


@dataclass(frozen=True)
class MatterFinding:
    """The finding on one model. A reference model has only its drop. ``q_value`` is corrected over
    the targets (Benjamini and Hochberg); ``seen`` is None where nothing is known about it."""

    model: str
    role: ModelRole
    drop: Drop
    references: tuple[ReferenceModel, ...] = ()
    inflation: Inflation | None = None
    q_value: float | None = None
    constat: ConStat | None = None
    within: Within | None = None
    seen: bool | None = None
    ruling: EffectRuling | None = None

    @property
    def used(self) -> tuple[ReferenceModel, ...]:
        """The references that count."""
        return tuple(one for one in self.references if one.left_out is None)

    @property
    def forced(self) -> tuple[str, ...]:
        """References that count although they are called contaminated."""
        return tuple(one.model for one in self.used if one.answer == CONTAMINATED)


@dataclass(frozen=True)
class ScoreContext:
    """What is known besides the scores. ``answers``: the answer on each model on the benchmark, by
    its name. ``seen``: which instances each model recognised. ``chance``: how often a guess is
    right. ``forced``: whether references that are called contaminated count all the same.
    ``dates``: of instances, where known (``dcq.effect.dates``)."""

    answers: Mapping[str, str | None]
    seen: Mapping[str, Mapping[str, bool]]
    chance: float = 0.0
    forced: bool = False
    dates: Mapping[str, date] = field(default_factory=dict)


NO_CONTEXT = ScoreContext({}, {})


def findings(scores: Scores, context: ScoreContext = NO_CONTEXT) -> list[MatterFinding]:
    """A finding for each model that has both versions of an instance, in the order of the files."""
    models = [one for one in scores.models if one.original]
    references = [one for one in models if one.role is ModelRole.REFERENCE]
    found = [
        _target(one, references, context)
        if one.role is ModelRole.TARGET
        else MatterFinding(one.model, one.role, _drop(one, list(one.original)))
        for one in models
    ]
    tested = [one.inflation.p_value if one.inflation else None for one in found]
    adjusted = benjamini_hochberg(tested)
    return [
        _ruled(replace(one, q_value=q_value)) if one.role is ModelRole.TARGET else one
        for one, q_value in zip(found, adjusted, strict=True)
    ]


def _drop(model: ModelScores, instances: Sequence[str]) -> Drop:
    return paired_drop(*model.on(instances))


def _target(
    target: ModelScores, references: Sequence[ModelScores], known: ScoreContext
) -> MatterFinding:
    own = list(target.original)
    drop = _drop(target, own)
    chosen = {one.model: _left_out(one, target, drop, known) for one in references}
    used = [one for one in references if chosen[one.model] is None]
    common = [one for one in own if all(one in other.original for other in used)]
    table = np.array([model.on(common) for model in (target, *used)])  # models, versions, instances
    gaps = table[:, 0] - table[:, 1]
    without = dict(zip((one.model for one in used), without_each(gaps[0], gaps[1:].T), strict=True))
    return MatterFinding(
        model=target.model,
        role=target.role,
        drop=drop,
        references=tuple(
            ReferenceModel(
                one.model,
                _drop(one, [instance for instance in own if instance in one.original]),
                known.answers.get(one.model),
                chosen[one.model],
                without.get(one.model),
            )
            for one in references
        ),
        inflation=inflation_above(gaps[0], gaps[1:].T),
        constat=constat(table[:, 0], table[:, 1], chance=known.chance),
        within=_within(target, table, common, known),
        seen=_seen(target.model, known),
    )


def _left_out(
    reference: ModelScores, target: ModelScores, drop: Drop, known: ScoreContext
) -> LeftOut | None:
    if known.answers.get(reference.model) == CONTAMINATED and not known.forced:
        return LeftOut.CONTAMINATED
    common = [one for one in target.original if one in reference.original]
    if len(common) < LEAST_COMMON * drop.n:
        return LeftOut.FEW
    level = level_of(_drop(reference, common))
    if near_guessing(level, known.chance):
        return LeftOut.GUESSING
    return None if alike(level, level_of(_drop(target, common))) else LeftOut.UNLIKE


def _within(
    target: ModelScores, table: np.ndarray, common: Sequence[str], known: ScoreContext
) -> Within | None:
    own = known.seen.get(target.model, {})
    kept = [place for place, one in enumerate(common) if one in own]
    if not kept or len(table) < 2:
        return None
    part = table[:, :, kept]
    gaps = part[:, 0] - part[:, 1]
    recognised = [own[common[place]] for place in kept]
    return within_model(gaps[0], gaps[1:].T, recognised, part[1:].mean(axis=(0, 1)))


def _seen(model: str, known: ScoreContext) -> bool | None:
    if known.answers.get(model) is not None:
        return known.answers[model] == CONTAMINATED
    if model in known.seen:
        return any(known.seen[model].values())
    return None


def _ruled(one: MatterFinding) -> MatterFinding:
    return replace(one, ruling=_ruling(one))


def _ruling(one: MatterFinding) -> EffectRuling:
    inflation = one.inflation
    if inflation is None or one.q_value is None:
        return EffectRuling.NOT_ENOUGH
    if one.q_value <= ALPHA:
        return EffectRuling.INFLATED
    if inflation.smallest > LARGEST:
        return EffectRuling.NOT_ENOUGH
    return EffectRuling.SEEN_NOT_INFLATED if one.seen else EffectRuling.NOT_INFLATED


def targets(findings: Iterable[MatterFinding]) -> list[MatterFinding]:
    """The findings that have a ruling."""
    return [one for one in findings if one.role is ModelRole.TARGET]
