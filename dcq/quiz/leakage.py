"""Can the original be found from the options alone? Strategies without any memory.

Each strategy answers a quiz as a model would. Tied options share the credit, so a strategy without
any information scores the same as guessing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import wordfreq
from numpy.typing import NDArray
from wordfreq.preprocess import preprocess_text

from dcq.evidence.chance import binomial_tail
from dcq.evidence.interval import wilson_over_instances
from dcq.evidence.kappa import Kappa, from_parts
from dcq.languages import primary
from dcq.records import Item
from dcq.variants.tokens import bag_words, is_unspaced

TEXTS = 4  # not counting the fifth option of protocol v2, "none of these"
CHANCE = 1 / TEXTS
# wordfreq counts Korean by parts of words, which only its own analyser finds.
_COUNTED_OTHERWISE = frozenset({"ko"})
_TRADITIONAL = re.compile("hant|tw|hk|mo", re.IGNORECASE)


@dataclass(frozen=True)
class TextOnly:
    """The score of one strategy. ``credit`` is by instance: 1 if it finds the original, a fraction
    if others tie with it, 0 if not. ``kappa.correct`` is the sum, rounded."""

    name: str
    kappa: Kappa
    credit: Mapping[str, float]

    @property
    def found(self) -> tuple[str, ...]:
        """Instances whose original it finds without a tie, for an annotator to fix."""
        return tuple(instance for instance, share in self.credit.items() if share == 1.0)


def text_only(items: Sequence[Item], language: str = "en") -> tuple[TextOnly, ...]:
    """Scores of ``shortest``, ``longest``, ``medoid`` and ``frequent`` on a quiz.

    Items without the original are skipped, and an instance that is asked in several slots counts
    once. ``medoid`` is the option most similar to the others by mean multiset Jaccard over
    lower-cased words (``bag_words``); ``frequent`` the one whose words are the most common in
    ``language`` on average, left out for a language without frequencies. An empty quiz gives κ
    without value.
    """
    asked: dict[str, tuple[Sequence[str], int]] = {}
    for item in items:
        if item.correct is not None:
            asked.setdefault(item.instance_id, (item.options[:TEXTS], item.correct))
    found = [
        _score("shortest", asked, lambda texts: [-len(text) for text in texts]),
        _score("longest", asked, lambda texts: [len(text) for text in texts]),
        _score("medoid", asked, likeness),
    ]
    if has_frequencies(language):
        found.append(
            _score("frequent", asked, lambda texts: [mean_zipf(text, language) for text in texts])
        )
    return tuple(found)


def has_frequencies(language: str) -> bool:
    """Whether it is known how common the words of ``language`` are."""
    return bool(_frequencies(_counted(language)))


def mean_zipf(text: str, language: str) -> float:
    """Mean Zipf frequency (log10 of uses in a billion words) of a text's words: 0 for a word that
    is not known, and for a text without words."""
    counted = _counted(language)
    frequencies = _frequencies(counted)
    folded = preprocess_text(text, counted)  # type: ignore[arg-type]  # takes any code
    words = bag_words(folded)
    return round(sum(_zipf(word, frequencies) for word in words) / len(words), 9) if words else 0.0


def _score(
    name: str,
    asked: Mapping[str, tuple[Sequence[str], int]],
    rate: Callable[[Sequence[str]], Sequence[float]],
) -> TextOnly:
    credit = {
        instance: _credit(rate(texts), correct) for instance, (texts, correct) in asked.items()
    }
    shares: NDArray[np.float64] = np.array(list(credit.values()), dtype=np.float64)
    n, total = len(shares), float(shares.sum())
    kappa = from_parts(
        n,
        round(total),
        total / n if n else None,
        wilson_over_instances(shares),
        binomial_tail(total, n, CHANCE) if n else None,
        CHANCE,
    )
    return TextOnly(name, kappa, credit)


def _credit(ratings: Sequence[float], correct: int) -> float:
    best = max(ratings)
    return 1 / ratings.count(best) if ratings[correct] == best else 0.0


def likeness(texts: Sequence[str]) -> list[float]:
    """Summed multiset Jaccard of each text with the others; 1 for two texts without words."""
    bags = [Counter(bag_words(text)) for text in texts]
    sizes = [bag.total() for bag in bags]
    total = [0.0] * len(texts)
    for one, other in combinations(range(len(texts)), 2):
        shared = (bags[one] & bags[other]).total()
        union = sizes[one] + sizes[other] - shared
        jaccard = shared / union if union else 1.0
        total[one] += jaccard
        total[other] += jaccard
    # Sums in another order differ in the last digits, which would break ties by slot.
    return [round(value, 9) for value in total]


def _zipf(word: str, frequencies: Mapping[str, float]) -> float:
    """Zipf frequency of a word. One without spaces around it that the list does not have, because
    ICU divides otherwise, is as rare as its signs in a row: 1/f is the sum of theirs, as in
    wordfreq."""
    known = frequencies.get(word)
    if known is not None:
        return known
    if len(word) < 2 or not is_unspaced(word):
        return 0.0
    signs = [frequencies.get(sign) for sign in word]
    if None in signs:
        return 0.0
    return max(0.0, -math.log10(sum(10.0 ** -(zipf or 0.0) for zipf in signs)))


def _counted(language: str) -> str:
    """The code under which wordfreq keeps the words of ``language``. Its Chinese is simplified, so
    a code for traditional characters stays as it is, and has none."""
    code = primary(language)
    return language if code == "zh" and _TRADITIONAL.search(language) else code


@lru_cache(maxsize=4)
def _frequencies(language: str) -> dict[str, float]:
    """Zipf frequency of each known word; empty if there are none for the language."""
    if language not in wordfreq.available_languages() or language in _COUNTED_OTHERWISE:
        return {}
    shares = wordfreq.get_frequency_dict(language)
    return {word: wordfreq.freq_to_zipf(share) for word, share in shares.items()}
