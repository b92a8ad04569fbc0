"""Scores that are kept in the store.

Findings are computed when they are read, because the answers on references may have changed
since."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from dcq.effect.answers import answers_on
from dcq.effect.dates import OverTime, cutoffs_of, over_time
from dcq.effect.matter import MatterFinding, ScoreContext, findings, targets
from dcq.effect.scores import ModelScores, Scores
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
    own = [finding for effect in all_stored(store, within) for finding in targets(effect.findings)]
    sentences = [
        f"{finding.ruling.value.capitalize()}: {headline(finding)}"
        for finding in own
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
