"""What overlap does to accuracy: the contamination report's section 6, with intervals and tests.

Models are compared on clean instances and on those that were found. Found instances may be easier
or harder than others for any model; ``adjusted`` compares instances that equally many of the other
models get right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from dcq.errors import InputError
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
from dcq.overlap.labels import Label
from dcq.overlap.match import Category
from dcq.overlap.results import Answer

_LEVELS = 10  # of difficulty at most


@dataclass(frozen=True)
class Effect:
    """One model. ``categories``: all, clean, not-clean, input-only, input-and-label. ``difference``
    is not clean minus clean. ``unlabeled`` answers have no label and count nowhere."""

    model: str
    categories: Mapping[str, Accuracy]
    difference: Comparison
    adjusted: Adjusted
    by_score: tuple[Bin, ...]
    unlabeled: int


def effects(answers: Sequence[Answer], labels: Mapping[str, Label]) -> list[Effect]:
    """The effect for each model, in the order in which they appear.

    Raises ``InputError`` if no answer has a label: the ids do not match.
    """
    if not any(answer.instance_id in labels for answer in answers):
        raise InputError(
            "No instance of the results has a label: their ids differ, such as "
            f"{answers[0].instance_id!r} and {next(iter(labels), '')!r}; use the same ids in both."
        )
    by_model: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_model[answer.model].append(answer)
    difficulty = _difficulty(by_model)
    return [_effect(model, some, labels, difficulty) for model, some in by_model.items()]


def by_subject(
    answers: Iterable[Answer], labels: Mapping[str, Label]
) -> dict[tuple[str, str], dict[str, Accuracy]]:
    """Accuracy by category for each model and subject (the report's Table 5)."""
    grouped: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    for answer in answers:
        if answer.subject is not None and answer.instance_id in labels:
            grouped[answer.model, answer.subject].append(answer)
    return {key: _categories(some, labels) for key, some in grouped.items()}


@dataclass(frozen=True)
class Blocklist:
    """Of ``n`` found instances, the shares whose every page a blocklist leaves out: by its
    addresses, and by their domains. None for n = 0."""

    n: int
    by_address: float | None
    by_domain: float | None


def blocked(pages: Mapping[str, Iterable[str]], blocklist: Iterable[str]) -> Blocklist:
    """What a blocklist of addresses would have avoided (section 7.1). ``pages`` has the addresses
    on which each found instance stands; an instance without any is not counted."""
    listed = {_address(address) for address in blocklist}
    domains = {address.split("/")[0] for address in listed}
    found = [{_address(page) for page in some} for some in pages.values()]
    found = [some for some in found if some]
    if not found:
        return Blocklist(0, None, None)
    whole = sum(some <= listed for some in found)
    wide = sum({page.split("/")[0] for page in some} <= domains for some in found)
    return Blocklist(len(found), whole / len(found), wide / len(found))


def domain_counts(pages: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """How many instances stand on each domain, the most first (the report's Figure 3)."""
    counts: dict[str, int] = defaultdict(int)
    for some in pages.values():
        for domain in {_address(page).split("/")[0] for page in some}:
            counts[domain] += 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _address(page: str) -> str:
    """Host and path, without what leads to the same page: scheme, www, query, final slash."""
    try:
        parts = urlsplit(page if "//" in page else f"//{page}")
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return page
    return f"{host}{parts.path.rstrip('/')}"


def _effect(
    model: str,
    answers: Sequence[Answer],
    labels: Mapping[str, Label],
    difficulty: Mapping[str, Mapping[str, float]],
) -> Effect:
    known = [answer for answer in answers if answer.instance_id in labels]
    correct = np.array([answer.correct for answer in known], dtype=np.float64)
    kinds = [labels[answer.instance_id].category for answer in known]
    dirty = np.array([kind is not Category.CLEAN for kind in kinds], dtype=np.bool_)
    others = difficulty[model]
    levels = np.array([others.get(answer.instance_id, np.nan) for answer in known])
    return Effect(
        model=model,
        categories=_categories(known, labels),
        difference=difference_between(correct[~dirty], correct[dirty]),
        adjusted=adjusted_difference(correct, dirty, levels),
        by_score=accuracy_by_score([labels[answer.instance_id].score for answer in known], correct),
        unlabeled=len(answers) - len(known),
    )


def _categories(answers: Sequence[Answer], labels: Mapping[str, Label]) -> dict[str, Accuracy]:
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
