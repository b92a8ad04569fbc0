"""What overlap does to accuracy: the contamination report's section 6, with intervals and tests.

Models are compared on clean instances and on those that were found. Found instances may be easier
or harder than others for any model; ``adjusted`` compares instances that equally many of the other
models get right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dcq.evidence.compare import Comparison
from dcq.evidence.subsets import (
    Accuracy,
    Adjusted,
    Bin,
    accuracy_by_score,
    accuracy_of,
    adjusted_difference,
    difference_between,
)
from dcq.overlap.label import Labels
from dcq.overlap.match import Category
from dcq.overlap.results import Answer

_LEVELS = 10  # of difficulty at most


@dataclass(frozen=True)
class Effect:
    """One model. ``categories``: all, clean, not-clean, input-only, input-and-label. ``difference``
    is not clean minus clean, ``adjusted`` the same among instances of one difficulty, ``by_score``
    the accuracy in bins of METEOR."""

    model: str
    categories: Mapping[str, Accuracy]
    difference: Comparison
    adjusted: Adjusted
    by_score: tuple[Bin, ...]


def effects(answers: Sequence[Answer], labels: Labels) -> list[Effect]:
    """The effect for each model, in the order in which they appear. Answers whose instance has no
    label count nowhere (see ``dcq.overlap.pairing``)."""
    by_model: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        if answer.instance_id in labels:
            by_model[answer.model].append(answer)
    difficulty = _difficulty(by_model)
    return [_effect(model, some, labels, difficulty[model]) for model, some in by_model.items()]


def by_subject(
    answers: Iterable[Answer], labels: Labels
) -> dict[tuple[str, str], dict[str, Accuracy]]:
    """Accuracy by category for each model and subject (the report's Table 5)."""
    grouped: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    for answer in answers:
        if answer.subject is not None and answer.instance_id in labels:
            grouped[answer.model, answer.subject].append(answer)
    return {key: _categories(some, labels) for key, some in grouped.items()}


def by_domain(
    answers: Iterable[Answer], domains: Mapping[str, Iterable[str]]
) -> dict[str, dict[str, Accuracy]]:
    """Accuracy on the instances of each domain, by model and domain; ``domains`` has the instances
    that stand on each. An instance counts for each domain that it stands on."""
    found: dict[str, dict[str, Accuracy]] = {}
    correct: dict[str, dict[str, float]] = defaultdict(dict)
    for answer in answers:
        correct[answer.model][answer.instance_id] = answer.correct
    for model, own in correct.items():
        found[model] = {
            domain: accuracy_of([own[one] for one in some if one in own])
            for domain, some in domains.items()
        }
    return found


def _effect(
    model: str, answers: Sequence[Answer], labels: Labels, difficulty: Mapping[str, float]
) -> Effect:
    correct = np.array([answer.correct for answer in answers], dtype=np.float64)
    kinds = [labels[answer.instance_id].category for answer in answers]
    dirty = np.array([kind is not Category.CLEAN for kind in kinds], dtype=np.bool_)
    levels = np.array([difficulty.get(answer.instance_id, np.nan) for answer in answers])
    scores = [labels[answer.instance_id].score for answer in answers]
    return Effect(
        model=model,
        categories=_categories(answers, labels),
        difference=difference_between(correct[~dirty], correct[dirty]),
        adjusted=adjusted_difference(correct, dirty, levels),
        by_score=accuracy_by_score(scores, correct),
    )


def _categories(answers: Sequence[Answer], labels: Labels) -> dict[str, Accuracy]:
    def of(*wanted: Category) -> Accuracy:
        return accuracy_of(
            [one.correct for one in answers if labels[one.instance_id].category in wanted]
        )

    return {
        "all": of(*Category),
        "clean": of(Category.CLEAN),
        "not-clean": of(Category.INPUT_ONLY, Category.INPUT_AND_LABEL),
        "input-only": of(Category.INPUT_ONLY),
        "input-and-label": of(Category.INPUT_AND_LABEL),
    }


def _difficulty(by_model: Mapping[str, Sequence[Answer]]) -> dict[str, dict[str, float]]:
    """For each model and instance the share of other models that are right, in at most ``_LEVELS``
    steps; no instance where there is no other model."""
    right: dict[str, float] = defaultdict(float)
    count: dict[str, int] = defaultdict(int)
    for some in by_model.values():
        for answer in some:
            right[answer.instance_id] += answer.correct
            count[answer.instance_id] += 1
    found: dict[str, dict[str, float]] = {}
    for model, some in by_model.items():
        asked = [answer for answer in some if count[answer.instance_id] > 1]
        shares = np.array(
            [
                (right[answer.instance_id] - answer.correct) / (count[answer.instance_id] - 1)
                for answer in asked
            ],
            dtype=np.float64,
        )
        steps = _stepped(shares)
        found[model] = {a.instance_id: float(s) for a, s in zip(asked, steps, strict=True)}
    return found


def _stepped(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    rounded = np.round(shares, 9)
    return rounded if len(np.unique(rounded)) <= _LEVELS + 1 else np.round(rounded * _LEVELS)
