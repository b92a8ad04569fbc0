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
    OTHER_WORDING = "asked other rewordings"


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
        return tuple(reference for reference in self.references if reference.left_out is None)

    @property
    def forced(self) -> tuple[str, ...]:
        """References that count although they are called contaminated."""
        return tuple(reference.model for reference in self.used if reference.answer == CONTAMINATED)


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
    """A finding for each model that has both versions of an instance, in the order of the files;
    where dates are known, for each that has originals alone too."""
    models = [model for model in scores.models if model.original or (model.alone and context.dates)]
    references = [model for model in models if model.role is ModelRole.REFERENCE and model.original]
    raw_findings = [
        _target(model, references, context)
        if model.role is ModelRole.TARGET and model.original
        else MatterFinding(model.model, model.role, _drop(model, list(model.original)))
        for model in models
    ]
    tested = [finding.inflation.p_value if finding.inflation else None for finding in raw_findings]
    adjusted = benjamini_hochberg(tested)
    return [
        _ruled(replace(finding, q_value=q_value)) if finding.role is ModelRole.TARGET else finding
        for finding, q_value in zip(raw_findings, adjusted, strict=True)
    ]


def _drop(model: ModelScores, instances: Sequence[str]) -> Drop:
    return paired_drop(*model.on(instances))


def _target(
    target: ModelScores, references: Sequence[ModelScores], context: ScoreContext
) -> MatterFinding:
    instances = list(target.original)
    drop = _drop(target, instances)
    left_out = {
        reference.model: _left_out(reference, target, drop, context) for reference in references
    }
    used = [reference for reference in references if left_out[reference.model] is None]
    common = target.common(*used)
    table = np.array([model.on(common) for model in (target, *used)])  # models, versions, instances
    gaps = table[:, 0] - table[:, 1]
    without = dict(
        zip((reference.model for reference in used), without_each(gaps[0], gaps[1:].T), strict=True)
    )
    return MatterFinding(
        model=target.model,
        role=target.role,
        drop=drop,
        references=tuple(
            ReferenceModel(
                reference.model,
                _drop(reference, target.common(reference)),
                context.answers.get(reference.model),
                left_out[reference.model],
                without.get(reference.model),
            )
            for reference in references
        ),
        inflation=inflation_above(gaps[0], gaps[1:].T),
        constat=constat(table[:, 0], table[:, 1], chance=context.chance),
        within=_within(target, table, common, context),
        seen=_seen(target.model, context),
    )


def _left_out(
    reference: ModelScores, target: ModelScores, drop: Drop, context: ScoreContext
) -> LeftOut | None:
    if context.answers.get(reference.model) == CONTAMINATED and not context.forced:
        return LeftOut.CONTAMINATED
    common, least = target.common(reference), LEAST_COMMON * drop.n
    if len(common) < least:
        answered = sum(instance in reference.original for instance in target.original)
        return LeftOut.FEW if answered < least else LeftOut.OTHER_WORDING
    level = level_of(_drop(reference, common))
    if near_guessing(level, context.chance):
        return LeftOut.GUESSING
    return None if alike(level, level_of(_drop(target, common))) else LeftOut.UNLIKE


def _within(
    target: ModelScores, table: np.ndarray, common: Sequence[str], context: ScoreContext
) -> Within | None:
    recognition = context.seen.get(target.model, {})
    places = [place for place, instance in enumerate(common) if instance in recognition]
    if not places or len(table) < 2:
        return None
    part = table[:, :, places]
    gaps = part[:, 0] - part[:, 1]
    recognised = [recognition[common[place]] for place in places]
    return within_model(gaps[0], gaps[1:].T, recognised, part[1:].mean(axis=(0, 1)))


def _seen(model: str, context: ScoreContext) -> bool | None:
    if context.answers.get(model) is not None:
        return context.answers[model] == CONTAMINATED
    if model in context.seen:
        return any(context.seen[model].values())
    return None


def _ruled(finding: MatterFinding) -> MatterFinding:
    return replace(finding, ruling=_ruling(finding))


def _ruling(finding: MatterFinding) -> EffectRuling:
    inflation = finding.inflation
    if inflation is None or finding.q_value is None:
        return EffectRuling.NOT_ENOUGH
    if finding.q_value <= ALPHA:
        return EffectRuling.INFLATED
    if inflation.smallest > LARGEST:
        return EffectRuling.NOT_ENOUGH
    return EffectRuling.SEEN_NOT_INFLATED if finding.seen else EffectRuling.NOT_INFLATED


def targets(findings: Iterable[MatterFinding]) -> list[MatterFinding]:
    """The findings that have a ruling."""
    return [finding for finding in findings if finding.role is ModelRole.TARGET]
