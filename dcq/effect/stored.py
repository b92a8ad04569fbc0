"""Scores that are kept in the store.

Findings are computed when they are read, because the answers on references may have changed
since."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from dcq.effect import dates_wording
from dcq.effect.answers import answers_on
from dcq.effect.dates import OverTime, cutoffs_of, over_time, stored_dates
from dcq.effect.matter import MatterFinding, ScoreContext, findings, targets
from dcq.effect.scores import ModelRole, ModelScores, Scores, together
from dcq.effect.wording import headline
from dcq.errors import InputError
from dcq.judging import snapshot
from dcq.store import Store, score_sets
from dcq.store.score_sets import ScoreSet
from dcq.store.studies import EVERYTHING, Study


@dataclass(frozen=True)
class _Content:
    """Scores with what was told of them, as they are kept."""

    models: tuple[ModelScores, ...]
    missing: dict[str, tuple[str, ...]]
    foreign: dict[str, tuple[str, ...]]
    seen: dict[str, dict[str, bool]]
    chance: Annotated[float, Field(ge=0, lt=1)]
    forced: bool
    dates: dict[str, date] = field(default_factory=dict)


_ADAPTER = TypeAdapter(_Content)


@dataclass(frozen=True)
class StoredEffect:
    """The stored scores of one benchmark and the finding on each model."""

    score_set: ScoreSet
    scores: Scores
    context: ScoreContext
    findings: tuple[MatterFinding, ...]

    @property
    def over_time(self) -> dict[str, OverTime | None]:
        """By target, what its cut-off did, where dates and cut-off are known."""
        return over_time(self.scores, self.context, cutoffs_of(self.scores))

    @property
    def silent(self) -> dict[str, str]:
        """By target, why dates say nothing of it, where there are dates."""
        return dates_wording.silent(
            self.scores, self.context, cutoffs_of(self.scores), self.over_time
        )


def keep(
    store: Store, benchmark: str, scores: Scores, context: ScoreContext, author: str = ""
) -> None:
    """Store scores with their context: references, chance, what each model recognised."""
    score_sets.keep(
        store,
        benchmark,
        _ADAPTER.dump_python(
            _Content(
                scores.models,
                dict(scores.missing),
                dict(scores.foreign),
                {model: dict(seen) for model, seen in context.seen.items()},
                context.chance,
                context.forced,
                dict(context.dates),
            ),
            mode="json",
        ),
        author,
    )


def keep_beside(
    store: Store,
    benchmark: str,
    scores: Scores,
    context: ScoreContext,
    asked: Collection[str],
    author: str = "",
) -> None:
    """``keep``, beside what is kept of those of the ``asked`` models that are not among them."""
    names = {model.model for model in scores.models}
    content = _content(store, benchmark)
    staying = [
        model
        for model in (content.models if content else ())
        if model.model in asked and model.model not in names
    ]
    if staying:
        together_scores = _in_order([*scores.models, *staying])
        scores = replace(
            scores,
            models=together_scores.models,
            missing={**together_scores.missing, **scores.missing},
        )
    keep(store, benchmark, scores, context, author)


def _in_order(models: Sequence[ModelScores]) -> Scores:
    """Targets first."""
    return together(sorted(models, key=lambda model: model.role is not ModelRole.TARGET))


def add(
    store: Store,
    benchmark: str,
    scores: ModelScores,
    chance: float,
    asked: Collection[str],
    author: str = "",
) -> None:
    """Store a model's scores in place of its earlier ones, beside those of other models, targets
    first, and what was told of them. ``chance`` counts unless a person brought models, which are
    not among those ``asked`` here, and told another; the dates of the samples count where none were
    told."""
    content = _content(store, benchmark)
    if content is None:
        content = _Content((), {}, {}, {}, 0.0, forced=False)
    others = [model for model in content.models if model.model != scores.model]
    if content.chance and any(model.model not in asked for model in others):
        chance = content.chance
    if scores in content.models and chance == content.chance:
        return
    keep(
        store,
        benchmark,
        _in_order([*others, scores]),
        ScoreContext(
            {},
            content.seen,
            chance,
            content.forced,
            {**stored_dates(store, benchmark), **content.dates},
        ),
        author,
    )


def _content(store: Store, benchmark: str) -> _Content | None:
    """What is kept of a benchmark; None if nothing, or nothing that can be read."""
    for score_set in score_sets.current(store):
        if score_set.benchmark == benchmark:
            with suppress(InputError):
                return read_content(score_set.scores)
    return None


def all_stored(store: Store, within: Study = EVERYTHING) -> list[StoredEffect]:
    """The effect on each benchmark of a study."""
    state = snapshot.state(store)
    effects = []
    for score_set in score_sets.current(store):
        if within.partitions is None or score_set.benchmark in within.partitions:
            with suppress(InputError):  # of a stranger's copy
                effects.append(_computed(store, score_set.seq, state))
    return effects


def read_content(value: dict[str, Any]) -> _Content:
    """The stored content, checked. Raises ``InputError`` where it has another form, as a stranger's
    copy may."""
    try:
        return _ADAPTER.validate_python(value)
    except ValidationError as error:
        raise InputError("The scores in the store cannot be read; keep them again.") from error


def beside(store: Store, model: str, partition: str) -> str:
    """A sentence on the scores of a model, to stand beside its answer on a partition: "" where
    nothing is known. It is no evidence that the partition was seen, and changes no verdict."""
    within = Study("", partitions=(partition,))
    target_findings = [
        finding for effect in all_stored(store, within) for finding in targets(effect.findings)
    ]
    sentences = [
        f"{finding.ruling.value.capitalize()}: {headline(finding)}"
        for finding in target_findings
        if finding.model == model and finding.ruling is not None
    ]
    return next(iter(sentences), "")


@lru_cache(maxsize=16)
def _computed(store: Store, seq: int, state: tuple[int, ...]) -> StoredEffect:
    """``state`` is only part of the cache's key."""
    score_set = next(candidate for candidate in score_sets.current(store) if candidate.seq == seq)
    content = read_content(score_set.scores)
    scores = Scores(content.models, content.missing, content.foreign)
    try:
        answers = answers_on(store, score_set.benchmark)
    except InputError:  # nobody was asked
        answers = {}
    context = ScoreContext(answers, content.seen, content.chance, content.forced, content.dates)
    return StoredEffect(score_set, scores, context, tuple(findings(scores, context)))
