"""The category of one instance by its matches, and the combined category of two searches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dcq.overlap.match import Category

_SERIOUS = tuple(Category)  # in rising order


@dataclass(frozen=True)
class Label:
    """How much of an instance was found, and the METEOR of the best match, NaN where not given.
    ``sources`` are the addresses that have it, ``text`` is its own; both may be empty."""

    category: Category
    score: float
    sources: tuple[str, ...] = ()
    text: str = ""


Labels = Mapping[str, Label]  # by instance


def together(label: Label, other_label: Label) -> Label:
    """Both labels as one: the more serious category, the better score, and all addresses."""
    scores = [score for score in (label.score, other_label.score) if not math.isnan(score)]
    return Label(
        max(label.category, other_label.category, key=_SERIOUS.index),
        max(scores, default=math.nan),
        tuple(dict.fromkeys((*label.sources, *other_label.sources))),
        label.text or other_label.text,
    )
