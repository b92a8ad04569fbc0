"""What was found of one instance, and of two looks at it together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dcq.overlap.match import Category

_SERIOUS = tuple(Category)  # in rising order


@dataclass(frozen=True)
class Label:
    """What was found of an instance, and the METEOR of the best match, NaN where not given.
    ``sources`` are the addresses that have it, ``text`` is its own; both may be empty."""

    category: Category
    score: float
    sources: tuple[str, ...] = ()
    text: str = ""


Labels = Mapping[str, Label]  # by instance


def together(one: Label, other: Label) -> Label:
    """The more serious category, the better score, and all addresses."""
    scores = [score for score in (one.score, other.score) if not math.isnan(score)]
    return Label(
        max(one.category, other.category, key=_SERIOUS.index),
        max(scores, default=math.nan),
        tuple(dict.fromkeys((*one.sources, *other.sources))),
        one.text or other.text,
    )
