"""What overlap does to accuracy: the contamination report's section 6, with intervals and tests.

Models are compared on clean instances and on those that were found. Found instances may be easier
or harder than others for any model; ``adjusted`` asks whether this model gains more on them than
the other models do.
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
    difference_between,
    lead_differences,
)
from dcq.overlap.harness.graded import HarnessAnswer
from dcq.overlap.label import Labels
from dcq.overlap.match import Category


@dataclass(frozen=True)
class Effect:
    """One model. ``categories``: all, clean, not-clean, input-only, input-and-label. ``difference``
    is not clean minus clean, ``adjusted`` that of the model's lead over the other models among
    instances that equally many of the models get right (``lead_differences``), ``by_score`` the
    accuracy in bins of METEOR."""

    model: str
    categories: Mapping[str, Accuracy]
    difference: Comparison
    adjusted: Adjusted
    by_score: tuple[Bin, ...]


def effects(answers: Sequence[HarnessAnswer], labels: Labels) -> list[Effect]:
    """The effect for each model, in the order in which they appear. Answers whose instance has no
    label count nowhere (see ``dcq.overlap.effect_report``)."""
    by_model: dict[str, list[HarnessAnswer]] = defaultdict(list)
    for answer in answers:
        if answer.instance_id in labels:
            by_model[answer.model].append(answer)
    adjusted = _adjusted(by_model, labels)
    return [_effect(model, some, labels, adjusted[model]) for model, some in by_model.items()]


def by_subject(
    answers: Iterable[HarnessAnswer], labels: Labels
) -> dict[tuple[str, str], dict[str, Accuracy]]:
    """Accuracy by category for each model and subject (the report's Table 5)."""
    grouped: dict[tuple[str, str], list[HarnessAnswer]] = defaultdict(list)
    for answer in answers:
        if answer.subject is not None and answer.instance_id in labels:
            grouped[answer.model, answer.subject].append(answer)
    return {key: _categories(some, labels) for key, some in grouped.items()}


def by_domain(
    answers: Iterable[HarnessAnswer], domains: Mapping[str, Iterable[str]]
) -> dict[str, dict[str, Accuracy]]:
    """Accuracy on the instances of each domain, by model and domain; ``domains`` has the instances
    that stand on each. An instance counts for each domain that it stands on."""
    accuracies: dict[str, dict[str, Accuracy]] = {}
    correct: dict[str, dict[str, float]] = defaultdict(dict)
    for answer in answers:
        correct[answer.model][answer.instance_id] = answer.correct
    for model, model_answers in correct.items():
        accuracies[model] = {
            domain: accuracy_of(
                [model_answers[instance] for instance in some if instance in model_answers]
            )
            for domain, some in domains.items()
        }
    return accuracies


def _effect(
    model: str, answers: Sequence[HarnessAnswer], labels: Labels, adjusted: Adjusted
) -> Effect:
    correct = np.array([answer.correct for answer in answers], dtype=np.float64)
    dirty = _dirty([answer.instance_id for answer in answers], labels)
    scores = [labels[answer.instance_id].score for answer in answers]
    return Effect(
        model=model,
        categories=_categories(answers, labels),
        difference=difference_between(correct[~dirty], correct[dirty]),
        adjusted=adjusted,
        by_score=accuracy_by_score(scores, correct),
    )


def _categories(answers: Sequence[HarnessAnswer], labels: Labels) -> dict[str, Accuracy]:
    def of(*categories: Category) -> Accuracy:
        return accuracy_of(
            [
                answer.correct
                for answer in answers
                if labels[answer.instance_id].category in categories
            ]
        )

    return {
        "all": of(*Category),
        "clean": of(Category.CLEAN),
        "not-clean": of(Category.INPUT_ONLY, Category.INPUT_AND_LABEL),
        "input-only": of(Category.INPUT_ONLY),
        "input-and-label": of(Category.INPUT_AND_LABEL),
    }


def _adjusted(
    by_model: Mapping[str, Sequence[HarnessAnswer]], labels: Labels
) -> dict[str, Adjusted]:
    ids = dict.fromkeys(answer.instance_id for some in by_model.values() for answer in some)
    rows = {instance: row for row, instance in enumerate(ids)}
    table = np.full((len(rows), len(by_model)), np.nan)
    for column, some in enumerate(by_model.values()):
        table[[rows[answer.instance_id] for answer in some], column] = [
            answer.correct for answer in some
        ]
    adjusted_effects = lead_differences(table, _dirty(list(ids), labels))
    return dict(zip(by_model, adjusted_effects, strict=True))


def _dirty(ids: Sequence[str], labels: Labels) -> NDArray[np.bool_]:
    return np.array(
        [labels[instance].category is not Category.CLEAN for instance in ids], dtype=np.bool_
    )
