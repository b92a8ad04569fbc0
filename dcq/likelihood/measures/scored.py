"""The likelihoods of one wording of an instance, from which measures are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from dcq.models.scorers.likelihood import Likelihood


class ScoringContext(StrEnum):
    """The contexts in which a text is scored."""

    ALONE = "alone"
    PREFIX = "prefix"  # texts that no model has seen
    NEIGHBOUR = "neighbour"  # another instance of the same sample


@dataclass(frozen=True)
class Scored:
    """A ``text`` with its likelihoods by context."""

    text: str
    by_context: Mapping[ScoringContext, Likelihood]

    @property
    def alone(self) -> Likelihood:
        """The likelihood without a context."""
        return self.by_context[ScoringContext.ALONE]


@dataclass(frozen=True)
class LikelihoodMeasure:
    """A number of a text that is higher where the text was likelier seen in training. ``of``
    computes it, None where it has no value; ``name`` is its name on the command line, ``title`` on
    screens, and ``source`` its publication. ``context`` is the context that it needs besides the
    text alone. ``reading`` explains the number to people."""

    name: str
    title: str
    source: str
    reading: str
    of: Callable[[Scored], float | None]
    context: ScoringContext = ScoringContext.ALONE
