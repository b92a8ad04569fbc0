"""Other ways than synonyms to alter a text: letters and word order.

They are dcq's own, for studies. The published quiz knows word-level rewordings only (Data
Contamination Quiz, §3.1). These variants have errors that the original does not have, so a model
may find the original without any memory: that is what a study with controls measures, and no
verdict should rest on them. Names, numbers, symbols, code and the label stay. Of the checks, which
judge rewordings, ``changed-few``, ``changed-many`` and ``meaning-drift`` may warn; none of them
reports a misspelling or a wrong order as such.
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
    words, the only kind in older releases."""

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
    prefer_common: bool = False,
) -> list[str]:
    """Up to ``count`` different versions of ``text``, the same for the same ``seed``; fewer, or
    none, if too little of it may be altered.

    Letters and word order may be altered in any language, words only where ``offline.reword`` knows
    them (it raises InputError elsewhere). ``prefer_common``, only for words: words that are used
    more often are preferred.
    """
    if kind is Perturbation.WORD:
        return offline.reword(
            text,
            count,
            language=language,
            protected=protected,
            seed=seed,
            prefer_common=prefer_common,
        )
    free = _free_spans(text, protected)
    places = list(_SITES[kind](text, free))
    rng = random.Random(fingerprint(kind, text, str(seed)))  # noqa: S311  # keeps no secret
    # One site of its own for each version and for the centre; more in longer texts.
    max_sites = max(count + 1, round(SHARE * len(free)))
    chosen = sorted(rng.sample(range(len(places)), min(max_sites, len(places))))
    groups = [WordGroup((places[index],)) for index in chosen]
    return offline.draw(text, groups, count, seed=seed)


def _free_spans(text: str, protected: Sequence[str]) -> list[tuple[int, int]]:
    """The (start, end) of each word that may be altered: in prose, without capitals and digits."""
    free = prose(text, protected)
    return [
        (start, end)
        for start, end in word_spans(text)
        if all(free[start:end]) and text[start:end].isalpha() and text[start:end].islower()
    ]


def _misspellings(text: str, free: Sequence[tuple[int, int]]) -> Iterator[WordPlace]:
    """Misspellings of each word: two neighbouring letters swapped, or one dropped; the first letter
    stays."""
    for start, end in free:
        word = text[start:end]
        if len(word) < _LEAST_LETTERS:
            continue
        middle = len(word) // 2
        swapped = f"{word[: middle - 1]}{word[middle]}{word[middle - 1]}{word[middle + 1 :]}"
        dropped = f"{word[:middle]}{word[middle + 1 :]}"
        forms = tuple(dict.fromkeys(form for form in (swapped, dropped) if form != word))
        yield WordPlace(start, end, forms)


def _swapped_pairs(text: str, free: Sequence[tuple[int, int]]) -> Iterator[WordPlace]:
    """Neighbouring words swapped. No word is in two pairs, so that each pair can be swapped by
    itself."""
    last_end = 0
    for (start, end), (next_start, next_end) in pairwise(free):
        word, next_word = text[start:end], text[next_start:next_end]
        if start < last_end or text[end:next_start] != " " or word == next_word:
            continue
        last_end = next_end
        yield WordPlace(start, next_end, (f"{next_word} {word}",))


_SITES: Mapping[Perturbation, Callable[[str, Sequence[tuple[int, int]]], Iterator[WordPlace]]] = {
    Perturbation.CHARACTER: _misspellings,
    Perturbation.ORDER: _swapped_pairs,
}
