"""The measures of the panel. Higher always means likelier seen."""

from __future__ import annotations

from collections.abc import Iterable

from dcq.errors import InputError
from dcq.likelihood.measures.compressed import ZLIB
from dcq.likelihood.measures.in_context import CODEC, RECALL
from dcq.likelihood.measures.lowest import MIN_K, MIN_K_PLUS_PLUS
from dcq.likelihood.measures.mean import MEAN
from dcq.likelihood.measures.scored import LikelihoodMeasure, Scored, ScoringContext

__all__ = [
    "CODEC",
    "DECIDING",
    "MEASURES",
    "RECALL",
    "WITHOUT_CONTEXT",
    "LikelihoodMeasure",
    "Scored",
    "ScoringContext",
    "choose",
]

# The first decides, fixed before anything is asked; the others are shown beside it.
MEASURES: tuple[LikelihoodMeasure, ...] = (MEAN, ZLIB, MIN_K, MIN_K_PLUS_PLUS, RECALL, CODEC)
DECIDING = MEAN
# Those that need no further text scored.
WITHOUT_CONTEXT = tuple(
    measure.name for measure in MEASURES if measure.context is ScoringContext.ALONE
)


def choose(names: Iterable[str] | None) -> tuple[LikelihoodMeasure, ...]:
    """The measures of these names in the order of the panel, always with the deciding one; without
    names, all that need no context. Raises InputError for an unknown name."""
    requested = set(names or WITHOUT_CONTEXT)
    available = {measure.name for measure in MEASURES}
    for name in sorted(requested - available):
        names = ", ".join(measure.name for measure in MEASURES)
        raise InputError(f"There is no measure {name!r}; choose from {names}.")
    return tuple(
        measure for measure in MEASURES if measure.name in requested or measure is DECIDING
    )
