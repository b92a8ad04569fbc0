"""What is known of one wording of an instance, for measures to work on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from dcq.models.scorers.likelihood import Likelihood


class ScoringContext(StrEnum):
    """What stands before a text while it is scored."""

    ALONE = "alone"
    PREFIX = "prefix"  # texts that no model has seen
    NEIGHBOUR = "neighbour"  # another instance of the same sample


@dataclass(frozen=True)
class Scored:
    """A ``text`` with its likelihoods, by what stood before it."""

    text: str
    by_context: Mapping[ScoringContext, Likelihood]

    @property
    def alone(self) -> Likelihood:
        """With nothing before it."""
        return self.by_context[ScoringContext.ALONE]


@dataclass(frozen=True)
class LikelihoodMeasure:
    """A number of a text that is higher where the text was likelier seen in training.

    ``of`` computes it, None where it has no value; ``name`` is as typed, ``title`` as read, and
    ``source`` who published it. ``context`` is what the text is scored after, beside alone.
    ``reading`` says what the number is and whom it speaks of.
    """

    name: str
    title: str
    source: str
    reading: str
    of: Callable[[Scored], float | None]
    context: ScoringContext = ScoringContext.ALONE
