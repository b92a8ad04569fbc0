"""Rewordings without a model: the fallback, of lower quality than a language model's.

If every variant were made from the original, the original would be the option closest to all
others, and could be found without any memory. So one of the texts, chosen with equal probability,
is the centre from which all others differ equally. For the same reason the number of variants that
are longer than the original is drawn at random. A synonym is mostly rarer than the word it
replaces, so the original would have the commonest words. Candidates (``dcq.variants.freeze``) make
up for it: for them commoner words are preferred, and shorter or longer ones.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from itertools import product

from dcq.errors import InputError
from dcq.languages import primary
from dcq.records import fingerprint
from dcq.variants.prose import is_code, prose
from dcq.variants.synonyms import WordGroup, find_groups
from dcq.variants.wording import mean_zipf

# One choice per group of places: 0 is the original's word, k its k-th synonym.
_Choice = tuple[int, ...]

_CHANGED = (0.45, 0.7)  # share of the replaceable words in which a text differs from the centre
_TRIES = 40
_COMMONER = 2.0  # a word used ten times as often as another is e² times as likely to be chosen
_LONGER = (-0.5, 0.0, 0.5)  # the same for each character more, drawn for each text


def reword(
    text: str,
    count: int,
    *,
    language: str = "en",
    protected: Sequence[str] = (),
    seed: int = 0,
    prefer_common: bool = False,
) -> list[str]:
    """Up to ``count`` different rewordings of ``text``, the same for the same ``seed``.

    Only words of prose change, to synonyms of the same meaning and form; names, numbers, symbols,
    code, layout and the ``protected`` substrings stay. ``prefer_common``: words that are used more
    often are preferred. Fewer are returned, or none, if the text has too few words that can be
    replaced. Raises InputError for a language other than English, or if a component is not
    installed.
    """
    check_language(language)
    groups = find_groups(text, prose(text, protected), code=is_code(text))
    return draw(text, groups, count, seed=seed, prefer_common=prefer_common)


def draw(
    text: str,
    groups: Sequence[WordGroup],
    count: int,
    *,
    seed: int = 0,
    prefer_common: bool = False,
) -> list[str]:
    """Up to ``count`` different versions of ``text`` in which some of ``groups`` are replaced, the
    same for the same ``seed``; ``prefer_common`` prefers common words."""
    rng = random.Random(fingerprint(text, str(seed)))  # noqa: S311  # varies words, keeps no secret
    if prefer_common:
        choices = _choose_commoner(text, groups, count, rng)
    else:
        choices = _choose(groups, count, rng)
    return [write(text, groups, choice) for choice in choices]


def unavailable(language: str) -> str | None:
    """Why texts in ``language`` cannot be reworded, as a sentence; None if they can."""
    if primary(language) == "en":
        return None
    return (
        f"Offline rewordings are available for English only, not for '{language}': "
        "choose a model to write the variants, or write them by hand."
    )


def check_language(language: str) -> None:
    """Raise InputError for a language whose words are not known."""
    reason = unavailable(language)
    if reason is not None:
        raise InputError(reason)


def _choose(groups: Sequence[WordGroup], count: int, rng: random.Random) -> list[_Choice]:
    """``count`` different choices, in random order."""
    original: _Choice = (0,) * len(groups)
    choices = [original]
    longer = [True] * rng.randint(0, count)  # how many shall be longer than the original
    directions = longer + [False] * (count - len(longer))
    rng.shuffle(directions)
    centre = original
    for is_longer in directions:
        tried = (_vary(groups, centre, rng) for _ in range(_TRIES))
        new = [choice for choice in tried if choice not in choices]
        # Of a text with few words to replace: those next to the centre, then any that are left.
        for every in (_neighbours(groups, centre), _all_choices(groups)):
            new = new or [choice for choice in every if choice not in choices]
        if not new:
            break
        sizes = [_growth(groups, choice) for choice in new]
        fitting = [
            choice for choice, size in zip(new, sizes, strict=True) if (size > 0) == is_longer
        ]
        extreme = sizes.index(max(sizes) if is_longer else min(sizes))
        choices.append(fitting[0] if fitting else new[extreme])
        if len(choices) == 2 and rng.randint(0, count):
            centre = choices[1]
    variants = choices[1:]
    rng.shuffle(variants)
    return variants


def _vary(groups: Sequence[WordGroup], centre: _Choice, rng: random.Random) -> _Choice:
    """``centre`` with a share of its groups, at least one, chosen again."""
    choice = list(centre)
    number = max(1, round(rng.uniform(*_CHANGED) * len(groups)))
    for index in rng.sample(range(len(groups)), min(number, len(groups))):
        others = [k for k in range(groups[index].synonym_count + 1) if k != centre[index]]
        choice[index] = rng.choice(others)
    return tuple(choice)


def _choose_commoner(
    text: str, groups: Sequence[WordGroup], count: int, rng: random.Random
) -> list[_Choice]:
    """Up to ``count`` different choices that prefer words which are used more often."""
    gains = [[_gain(text, group, k) for k in range(group.synonym_count + 1)] for group in groups]
    growths = [[_growth([group], (k,)) for k in range(group.synonym_count + 1)] for group in groups]
    original: _Choice = (0,) * len(groups)
    choices = [original]
    for _ in range(_TRIES * count):
        if len(choices) > count:
            break
        longer = rng.choice(_LONGER)
        choice = tuple(
            rng.choices(
                range(len(gain)),
                [math.exp(_COMMONER * g + longer * w) for g, w in zip(gain, growth, strict=True)],
            )[0]
            for gain, growth in zip(gains, growths, strict=True)
        )
        if choice not in choices:
            choices.append(choice)
    return choices[1:]


def _gain(text: str, group: WordGroup, choice: int) -> float:
    """By how much commoner a choice is than the word of ``text``, in Zipf frequency, summed over
    its places."""
    return sum(
        mean_zipf(place.replacements[choice - 1], "en")
        - mean_zipf(text[place.start : place.end], "en")
        for place in group.places
        if choice
    )


def _neighbours(groups: Sequence[WordGroup], centre: _Choice) -> Iterator[_Choice]:
    """Every choice that differs from ``centre`` in one group."""
    for index, group in enumerate(groups):
        for k in range(group.synonym_count + 1):
            if k != centre[index]:
                yield (*centre[:index], k, *centre[index + 1 :])


def _all_choices(groups: Sequence[WordGroup]) -> Iterator[_Choice]:
    return product(*(range(group.synonym_count + 1) for group in groups))


def _growth(groups: Sequence[WordGroup], choice: _Choice) -> int:
    """By how many characters ``choice`` makes the text longer."""
    return sum(
        len(place.replacements[k - 1]) - (place.end - place.start)
        for group, k in zip(groups, choice, strict=True)
        if k
        for place in group.places
    )


def write(text: str, groups: Sequence[WordGroup], choice: _Choice) -> str:
    """``text`` with the synonyms chosen in all places of their groups."""
    changes = sorted(
        (place.start, place.end, place.replacements[k - 1])
        for group, k in zip(groups, choice, strict=True)
        if k
        for place in group.places
    )
    parts, done = [], 0
    for start, end, replacement in changes:
        parts += [text[done:start], replacement]
        done = end
    return "".join([*parts, text[done:]])
