"""Measures of wordings alone: how alike they are, how common their words.

``dcq.variants.leakage`` finds originals by these, ``dcq.variants.balance`` chooses variants by
which it cannot.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dcq.languages import primary
from dcq.variants.tokens import bag_words, is_unspaced

# wordfreq counts Korean by parts of words, which only its own analyser finds.
_COUNTED_OTHERWISE = frozenset({"ko"})
_TRADITIONAL = re.compile("hant|tw|hk|mo", re.IGNORECASE)


def likeness(texts: Sequence[str]) -> NDArray[np.float64]:
    """Multiset Jaccard of each pair of texts over lower-cased words, shape (n, n); 1 for two texts
    without words, 0 on the diagonal."""
    bags = [Counter(bag_words(text)) for text in texts]
    sizes = [bag.total() for bag in bags]
    matrix = np.zeros((len(texts), len(texts)))
    for first, other in combinations(range(len(texts)), 2):
        shared = (bags[first] & bags[other]).total()
        union = sizes[first] + sizes[other] - shared
        matrix[first, other] = matrix[other, first] = shared / union if union else 1.0
    return matrix


def total_likeness(pairs: NDArray[np.float64]) -> NDArray[np.float64]:
    """How central each text is: its summed likeness with the others, over the last axis."""
    # Sums in another order differ in the last digits, which would break ties by slot.
    return np.asarray(np.round(pairs.sum(axis=-1), 9))


@lru_cache(maxsize=64)  # wordfreq looks through its folder each time
def has_frequencies(language: str) -> bool:
    """Whether it is known how common the words of ``language`` are."""
    import wordfreq  # here, because it takes long and most who judge quizzes ask nothing of it

    counted = _counted(language)
    return counted in wordfreq.available_languages() and counted not in _COUNTED_OTHERWISE


def mean_zipf(text: str, language: str) -> float:
    """Mean Zipf frequency (log10 of uses in a billion words) of a text's words: 0 for a word that
    is not known, and for a text without words."""
    from wordfreq.preprocess import preprocess_text  # as above

    counted = _counted(language)
    frequencies = _frequencies(counted)
    folded = preprocess_text(text, counted)  # type: ignore[arg-type]  # takes any code
    words = bag_words(folded)
    return round(sum(_zipf(word, frequencies) for word in words) / len(words), 9) if words else 0.0


def _zipf(word: str, frequencies: Mapping[str, float]) -> float:
    """Zipf frequency of a word. One without spaces around it that the list does not have, because
    ICU divides otherwise, is as rare as its signs in a row: 1/f is the sum of theirs, as in
    wordfreq."""
    frequency = frequencies.get(word)
    if frequency is not None:
        return frequency
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
    import wordfreq  # as above

    if not has_frequencies(language):
        return {}
    frequencies: dict[str, float] = {}
    # Words of one frequency stand together: a logarithm for each group, not for each word.
    for place, words in enumerate(wordfreq.get_frequency_list(language)):
        frequencies |= dict.fromkeys(words, wordfreq.freq_to_zipf(wordfreq.cB_to_freq(-place)))
    return frequencies
