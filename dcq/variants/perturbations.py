"""Other ways than synonyms to alter a text: letters and word order.

Both are ours, for studies. The published quiz knows word-level rewordings only (Data Contamination
Quiz, §3.1). These variants have errors that the original has not, so a model may find the original
without any memory: that is what a study with controls measures, and no verdict should rest on them.
Names, numbers, symbols, code and the label stay. Of the checks, which judge rewordings,
``changed-few``, ``changed-many`` and ``meaning-drift`` may warn; none of them reports a misspelling
or a wrong order as such.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise

from dcq.records import fingerprint
from dcq.variants import offline
from dcq.variants.prose import prose
from dcq.variants.synonyms import WordGroup, WordPlace
from dcq.variants.tokens import word_spans

SHARE = 0.25  # of the words that may be altered
_LEAST_LETTERS = 4  # in a word that is still recognised with two letters swapped


class Perturbation(StrEnum):
    """What an offline generator alters. The value is stored with each rewording; it is empty for
    words, as in releases before there were others."""

    WORD = ""
    CHARACTER = "character"
    ORDER = "order"


def perturb(
    kind: Perturbation,
    text: str,
    count: int,
    *,
    language: str = "en",
    protected: Sequence[str] = (),
    seed: int = 0,
    commoner: bool = False,
) -> list[str]:
    """Up to ``count`` different versions of ``text``, the same for the same ``seed``; fewer, or
    none, if too little of it may be altered.

    Letters and word order may be altered in any language, words only where ``offline.reword`` knows
    them (it raises InputError elsewhere). Only for words can ``commoner`` ones be preferred.
    """
    if kind is Perturbation.WORD:
        return offline.reword(
            text, count, language=language, protected=protected, seed=seed, commoner=commoner
        )
    free = _free_words(text, protected)
    places = list(_SITES[kind](text, free))
    chance = random.Random(fingerprint(kind, text, str(seed)))  # noqa: S311  # keeps no secret
    # One site of its own for each version and for the centre; more in longer texts.
    most = max(count + 1, round(SHARE * len(free)))
    chosen = sorted(chance.sample(range(len(places)), min(most, len(places))))
    groups = [WordGroup((places[index],)) for index in chosen]
    return offline.draw(text, groups, count, seed=seed)


def _free_words(text: str, protected: Sequence[str]) -> list[tuple[int, int]]:
    """Where the words are that may be altered: in prose, without capitals and digits."""
    free = prose(text, protected)
    return [
        (start, end)
        for start, end in word_spans(text)
        if all(free[start:end]) and text[start:end].isalpha() and text[start:end].islower()
    ]


def _misspelt(text: str, free: Sequence[tuple[int, int]]) -> Iterator[WordPlace]:
    """Words with two neighbouring letters swapped, or one dropped; the first letter stays."""
    for start, end in free:
        word = text[start:end]
        if len(word) < _LEAST_LETTERS:
            continue
        middle = len(word) // 2
        swapped = f"{word[: middle - 1]}{word[middle]}{word[middle - 1]}{word[middle + 1 :]}"
        dropped = f"{word[:middle]}{word[middle + 1 :]}"
        forms = tuple(dict.fromkeys(form for form in (swapped, dropped) if form != word))
        yield WordPlace(start, end, forms)


def _turned(text: str, free: Sequence[tuple[int, int]]) -> Iterator[WordPlace]:
    """Pairs of neighbouring words turned round. No word is in two pairs, so that each pair may be
    turned by itself."""
    last = 0
    for (start, end), (after, stop) in pairwise(free):
        word, other = text[start:end], text[after:stop]
        if start < last or text[end:after] != " " or word == other:
            continue
        last = stop
        yield WordPlace(start, stop, (f"{other} {word}",))


_SITES: Mapping[Perturbation, Callable[[str, Sequence[tuple[int, int]]], Iterator[WordPlace]]] = {
    Perturbation.CHARACTER: _misspelt,
    Perturbation.ORDER: _turned,
}
