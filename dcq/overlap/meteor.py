"""METEOR (Banerjee and Lavie 2005) as the contamination report uses it: how much of a query a text
has, in the same order.

Words are aligned in three stages, equal, equal stems, synonyms, each from the last word to the
first, as nltk does it; the score is F(alpha) · (1 − gamma · (chunks / matches)^beta). With alpha 1
F is recall, the share of the query's words that are found.

What METEOR's second and third stage compare: stems (Porter) and synonyms (WordNet 3.0).

The synonyms of a word are the single-word names in the WordNet sets that it, or a base form of it,
is in. Base forms are found by WordNet's own rules of detachment and lists of irregular forms, as
nltk's reader finds them."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal

from dcq.errors import InputError
from dcq.places import DATA
from dcq.store.overlaps import OverlapDesign


@dataclass(frozen=True)
class MeteorSettings:
    """The definition of a match. ``gamma`` is the order penalty of the query, ``label_gamma`` that
    of its label. A text is compared in windows of up to ``window`` times as many words as the query
    has, or at once where it is None. From ``threshold`` on, a query is contaminated and its label
    is found. ``tokens`` says how texts become words: as everywhere in dcq (``dcq.scripts``) or as
    in the authors' release (``dcq.overlap.tokens``).

    Raises ``InputError`` outside the ranges in which the score is one of METEOR.
    """

    alpha: float = 1.0
    beta: float = 3.0
    gamma: float = 0.8
    label_gamma: float = 0.0
    window: float | None = 2.0
    threshold: float = 0.75
    tokens: Literal["words", "release"] = "words"

    def __post_init__(self) -> None:
        for name in ("alpha", "gamma", "label_gamma"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} is {getattr(self, name)}; give a number from 0 to 1.")
        if not 0 < self.threshold <= 1:
            raise InputError(f"threshold is {self.threshold}; give a number above 0 and at most 1.")
        if not 1 <= self.beta < float("inf"):
            raise InputError(f"beta is {self.beta}; give a number from 1 on.")
        if self.window is not None and not 1 <= self.window < float("inf"):
            raise InputError(f"window is {self.window}; give a number from 1 on.")


PAPER = MeteorSettings()  # section 4: recall of 0.75, gamma 0.8, windows of up to twice the query
# The authors' code: whole fragments.
RELEASE = MeteorSettings(gamma=0.5, window=None, threshold=0.7, tokens="release")
PRESETS: Mapping[str, MeteorSettings] = {"paper": PAPER, "release": RELEASE}


def find_preset(name: str, threshold: float | None = None) -> MeteorSettings:
    """The settings of this name, with another ``threshold`` if one is given. Raises InputError for
    an unknown name or an impossible threshold."""
    if name not in PRESETS:
        raise InputError(f"There is no preset {name!r}; choose from {', '.join(PRESETS)}.")
    preset = PRESETS[name]
    return preset if threshold is None else replace(preset, threshold=threshold)


@dataclass(frozen=True)
class Reference:
    """A query, or a label, that texts are compared with: its words, folded. The rest is
    made when it is first needed: stems take a second to load."""

    words: tuple[str, ...]

    @cached_property
    def places(self) -> Mapping[str, tuple[int, ...]]:
        """Where each word is, ascending."""
        return _places(self.words)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The stem of each word."""
        return tuple(stem(word) for word in self.words)

    @cached_property
    def stem_places(self) -> Mapping[str, tuple[int, ...]]:
        """Where each stem is, ascending."""
        return _places(self.stems)

    def __len__(self) -> int:
        return len(self.words)

    def candidates(self, word: str) -> frozenset[int]:
        """Where in the query ``word`` could be aligned, in any of the three stages."""
        word_stem = stem(word)
        places = set(self.places.get(word, ())) | set(self.stem_places.get(word_stem, ()))
        for name in self.stem_places.keys() & synonyms(word_stem):
            places.update(self.stem_places[name])
        return frozenset(places)


Pairs = list[tuple[int, int]]


def align(words: Sequence[tuple[int, str]], reference: Reference) -> Pairs:
    """Pairs of (place in the text, place in the query), by place in the text.

    ``words`` are the text's words with their places, ascending; words that ``candidates`` finds
    nothing for may be left out.
    """
    pairs: Pairs = []
    left = {word: len(places) for word, places in reference.places.items()}
    unmatched = []
    for place, word in reversed(words):
        if left.get(word):
            left[word] -= 1
            pairs.append((place, reference.places[word][left[word]]))
        else:
            unmatched.append((place, stem(word)))
    # Of a word, the last places in the query are taken, so the first ones are open.
    open_places = sorted(p for word, n in left.items() for p in reference.places[word][:n])
    by_stem: dict[str, list[int]] = defaultdict(list)
    for place in open_places:
        by_stem[reference.stems[place]].append(place)
    still = []
    for place, word_stem in unmatched:
        if by_stem.get(word_stem):
            pairs.append((place, by_stem[word_stem].pop()))
        else:
            still.append((place, word_stem))
    # As in nltk, the third stage sees stems, of the text and of the query.
    for place, word_stem in still:
        names = [name for name in by_stem.keys() & synonyms(word_stem) if by_stem[name]]
        if names:
            last = max(names, key=lambda name: by_stem[name][-1])
            pairs.append((place, by_stem[last].pop()))
    pairs.sort()
    return pairs


def count_chunks(pairs: Pairs) -> int:
    """Runs of pairs that are neighbours in the text and in the query; 0 for no pair."""
    steps = pairwise(pairs)
    return bool(pairs) + sum((b[0] - a[0], b[1] - a[1]) != (1, 1) for a, b in steps)


def score_counts(
    matches: int, chunks: int, size: int, of: int, settings: MeteorSettings, gamma: float
) -> float:
    """METEOR of ``matches`` in ``chunks`` between a text of ``size`` words and a query of ``of``
    words: nearly 1 for the query itself (because of the order penalty), 0 where nothing matches."""
    if not matches:
        return 0.0
    precision, recall = matches / size, matches / of
    mean = precision * recall / (settings.alpha * precision + (1 - settings.alpha) * recall)
    return float((1 - gamma * (chunks / matches) ** settings.beta) * mean)


def meteor(query: Sequence[str], text: Sequence[str], settings: MeteorSettings = PAPER) -> float:
    """The score of folded words against folded words, without windows."""
    pairs = align(list(enumerate(text)), Reference(tuple(query)))
    chunks = count_chunks(pairs)
    return score_counts(len(pairs), chunks, len(text), len(query), settings, settings.gamma)


def _places(words: Sequence[str]) -> dict[str, tuple[int, ...]]:
    places_by_word: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(words):
        places_by_word[word].append(place)
    return {word: tuple(places) for word, places in places_by_word.items()}


def settings_of(design: OverlapDesign) -> MeteorSettings:
    """The settings of a stored search or scan."""
    return MeteorSettings(
        alpha=design.alpha,
        beta=design.beta,
        gamma=design.gamma,
        label_gamma=design.label_gamma,
        window=design.match_window,
        threshold=design.threshold,
        tokens="release" if design.tokens == "release" else "words",
    )


_ENDINGS = {
    "n": "s:|ses:s|ves:f|xes:x|zes:z|ches:ch|shes:sh|men:man|ies:y",
    "v": "s:|ies:y|es:e|es:|ed:e|ed:|ing:e|ing:",
    "a": "er:|est:|er:e|est:e",
    "r": "",
}
_DETACHMENTS = {
    pos: [tuple(rule.split(":")) for rule in rules.split("|") if rule]
    for pos, rules in _ENDINGS.items()
}


@dataclass(frozen=True)
class _WordNet:
    sets: list[frozenset[str]]  # of names in lower case
    members: dict[str, dict[str, list[int]]]  # part of speech → word → its sets
    irregular: dict[str, dict[str, list[str]]]  # part of speech → form → base forms


@lru_cache(maxsize=1)
def _wordnet() -> _WordNet:
    sets: list[frozenset[str]] = []
    members: dict[str, dict[str, list[int]]] = {pos: defaultdict(list) for pos in _ENDINGS}
    irregular: dict[str, dict[str, list[str]]] = {pos: {} for pos in _ENDINGS}
    with gzip.open(DATA / "synsets.tsv.gz", "rt", encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                continue
            kind, _, names = line.rstrip("\n").partition("\t")
            if kind.endswith("!"):
                form, *bases = names.split(" ")
                irregular[kind[0]][form] = bases
                continue
            words = names.split(" ")
            for word in {word.lower() for word in words}:
                members[kind][word].append(len(sets))
            sets.append(
                frozenset(word for word in words if word == word.lower() and "_" not in word)
            )
    return _WordNet(sets, members, irregular)


@lru_cache(maxsize=200_000)
def synonyms(word: str) -> frozenset[str]:
    """Names in lower case of all WordNet sets of ``word``, which is in lower case, and itself."""
    wordnet = _wordnet()
    names = {word}
    for pos, rules in _DETACHMENTS.items():
        irregular = wordnet.irregular[pos].get(word)
        bases = irregular or [word[: -len(old)] + new for old, new in rules if word.endswith(old)]
        for form in {word, *bases}:
            for place in wordnet.members[pos].get(form, ()):
                names |= wordnet.sets[place]
    return frozenset(names)


@lru_cache(maxsize=1_000_000)
def stem(word: str) -> str:
    """Porter's stem of ``word``, which is in lower case, as nltk's METEOR has it."""
    return str(_stemmer().stem(word))


@lru_cache(maxsize=1)
def _stemmer():  # type: ignore[no-untyped-def]  # nltk ships no types
    from nltk.stem.porter import PorterStemmer  # here, because it takes a second to import

    return PorterStemmer()
