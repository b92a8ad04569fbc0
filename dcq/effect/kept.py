"""Scores that are kept in the store, and what they say now.

Findings are computed anew: the answers of references may have changed since.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from dcq.effect.answers import answers_on
from dcq.effect.dates import OverTime, cutoffs_of, over_time
from dcq.effect.matter import Known, MatterFinding, findings, targets
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
class KeptEffect:
    """The scores of one benchmark and what they say of each model."""

    kept: ScoreSet
    scores: Scores
    known: Known
    findings: tuple[MatterFinding, ...]

    @property
    def over_time(self) -> dict[str, OverTime | None]:
        """By target, what its cut-off did, where dates and cut-off are known."""
        return over_time(self.scores, self.known, cutoffs_of(self.scores))


def keep(store: Store, benchmark: str, scores: Scores, known: Known, author: str = "") -> None:
    """Keep scores with what was told of them: references, chance, what each model recognised."""
    score_sets.keep(
        store,
        benchmark,
        _ADAPTER.dump_python(
            _Content(
                scores.models,
                dict(scores.missing),
                dict(scores.foreign),
                {model: dict(seen) for model, seen in known.seen.items()},
                known.chance,
                known.forced,
                dict(known.dates),
            ),
            mode="json",
        ),
        author,
    )


def all_kept(store: Store, within: Study = EVERYTHING) -> list[KeptEffect]:
    """The effect on each benchmark of a study."""
    state = snapshot.state(store)
    found = []
    for one in score_sets.current(store):
        if within.partitions is None or one.benchmark in within.partitions:
            with suppress(InputError):  # of a stranger's copy
                found.append(_computed(store, one.seq, state))
    return found


def read_content(value: dict[str, Any]) -> _Content:
    """What was kept. Raises ``InputError`` where it has another form, as a stranger's copy may."""
    try:
        return _ADAPTER.validate_python(value)
    except ValidationError as error:
        raise InputError("The scores in the store cannot be read; keep them again.") from error


def beside(store: Store, model: str, partition: str) -> str:
    """The effect on the scores of a model, to stand beside its answer on a partition: "" where
    nothing is known. It is no evidence that the partition was seen, and changes no verdict."""
    within = Study("", partitions=(partition,))
    own = [one for effect in all_kept(store, within) for one in targets(effect.findings)]
    said = [
        f"{one.ruling.value.capitalize()}: {headline(one)}"
        for one in own
        if one.model == model and one.ruling is not None
    ]
    return next(iter(said), "")


@lru_cache(maxsize=16)
def _computed(store: Store, seq: int, state: tuple[int, ...]) -> KeptEffect:
    """``state`` is only part of the cache's key."""
    kept = next(one for one in score_sets.current(store) if one.seq == seq)
    content = read_content(kept.scores)
    scores = Scores(content.models, content.missing, content.foreign)
    try:
        answers = answers_on(store, kept.benchmark)
    except InputError:  # nobody was asked
        answers = {}
    known = Known(answers, content.seen, content.chance, content.forced, content.dates)
    return KeptEffect(kept, scores, known, tuple(findings(scores, known)))
