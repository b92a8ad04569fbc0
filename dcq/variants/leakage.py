"""Whether the original can be found from the wordings alone: strategies without any memory.

Each strategy picks one of an instance's wordings, as a model does. Tied ones share the credit, so a
strategy without any information scores the same as guessing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dcq.evidence.chance import binomial_tail
from dcq.evidence.interval import wilson_over_instances
from dcq.evidence.kappa import Kappa, from_parts
from dcq.records import Item
from dcq.variants.wording import has_frequencies, likeness, mean_zipf, total_likeness

TEXTS = 4  # not counting the fifth option of protocol v2, "none of these"
CHANCE = 1 / TEXTS
_KNOWN = 20_000  # instances whose ratings are remembered: some 50 MB at 500 characters a text


@dataclass(frozen=True)
class TextOnly:
    """The score of one strategy. ``credit`` is by instance: 1 if it finds the original, a fraction
    if others tie with it, 0 if not. ``kappa.correct`` is the sum, rounded."""

    name: str
    kappa: Kappa
    credit: Mapping[str, float]

    @property
    def found(self) -> tuple[str, ...]:
        """The instances whose original it finds without a tie, for an annotator to fix."""
        return tuple(instance for instance, share in self.credit.items() if share == 1.0)


def text_only(items: Sequence[Item], language: str = "en") -> tuple[TextOnly, ...]:
    """Scores of the strategies of ``credits_of`` on a quiz.

    Items without the original are skipped, and an instance that is asked in several slots counts
    once. An empty quiz gives κ without value.
    """
    asked: dict[str, tuple[tuple[str, ...], int]] = {}
    for item in items:
        if item.correct is not None:
            asked.setdefault(item.instance_id, (tuple(item.options[:TEXTS]), item.correct))
    credits_by_instance = {
        instance: credits_of(texts, correct, language)
        for instance, (texts, correct) in asked.items()
    }
    return tuple(
        TextOnly(name, summarise(list(credit.values()), CHANCE), credit)
        for name in _strategies(language)
        for credit in [
            {
                instance: instance_credits[name]
                for instance, instance_credits in credits_by_instance.items()
            }
        ]
    )


def credits_of(texts: Sequence[str], original: int, language: str = "en") -> dict[str, float]:
    """The credit of each strategy for the wordings of one instance, by its name: 1 if it picks the
    one at ``original``, a fraction if others tie with that, 0 if not.

    ``shortest`` and ``longest`` count characters. ``medoid`` picks the text most similar to the
    others by mean multiset Jaccard over lower-cased words (``bag_words``); ``frequent`` the one
    whose words are the most common in ``language`` on average, left out for a language without
    frequencies.
    """
    rated = tuple(texts)
    return {
        name: _credit(rate(rated, language), original)
        for name, rate in _strategies(language).items()
    }


def summarise(credit: Sequence[float], chance: float) -> Kappa:
    """The score of a strategy with this ``credit`` by instance; guessing reaches ``chance``."""
    shares: NDArray[np.float64] = np.array(credit, dtype=np.float64)
    n, total = len(shares), float(shares.sum())
    return from_parts(
        n,
        round(total),
        total / n if n else None,
        wilson_over_instances(shares),
        binomial_tail(total, n, chance) if n else None,
        chance,
    )


def _strategies(language: str) -> Mapping[str, Callable[[tuple[str, ...], str], Sequence[float]]]:
    """How each strategy rates the wordings of an instance: it picks the highest."""
    frequencies_known = has_frequencies(language)
    return {name: rate for name, rate in _RATES.items() if frequencies_known or name != "frequent"}


def _credit(ratings: Sequence[float], correct: int) -> float:
    best = max(ratings)
    return 1 / ratings.count(best) if ratings[correct] == best else 0.0


# An annotator changes one instance of thousands, and the quiz is scored anew.
@lru_cache(maxsize=_KNOWN)
def _centrality(texts: tuple[str, ...]) -> tuple[float, ...]:
    """How like the others each text is."""
    return tuple(total_likeness(likeness(texts)).tolist())


@lru_cache(maxsize=_KNOWN)
def _commonness(texts: tuple[str, ...], language: str) -> tuple[float, ...]:
    """How common the words of each text are."""
    return tuple(mean_zipf(text, language) for text in texts)


_RATES: Mapping[str, Callable[[tuple[str, ...], str], Sequence[float]]] = {
    "shortest": lambda texts, language: [-len(text) for text in texts],
    "longest": lambda texts, language: [len(text) for text in texts],
    "medoid": lambda texts, language: _centrality(texts),
    "frequent": _commonness,
}
