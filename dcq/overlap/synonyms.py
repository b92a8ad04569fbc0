"""What METEOR's second and third stage compare: stems (Porter) and synonyms (WordNet 3.0).

The synonyms of a word are the single-word names in the WordNet sets that it, or a base form of it,
is in. Base forms are found by WordNet's own rules of detachment and lists of irregular forms, as
nltk's reader finds them.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from dcq.places import DATA

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
    found = {word}
    for pos, rules in _DETACHMENTS.items():
        irregular = wordnet.irregular[pos].get(word)
        bases = irregular or [word[: -len(old)] + new for old, new in rules if word.endswith(old)]
        for form in {word, *bases}:
            for place in wordnet.members[pos].get(form, ()):
                found |= wordnet.sets[place]
    return frozenset(found)


@lru_cache(maxsize=1_000_000)
def stem(word: str) -> str:
    """Porter's stem of ``word``, which is in lower case, as nltk's METEOR has it."""
    return str(_stemmer().stem(word))


@lru_cache(maxsize=1)
def _stemmer():  # type: ignore[no-untyped-def]  # nltk ships no types
    from nltk.stem.porter import PorterStemmer  # here, because it takes a second to import

    return PorterStemmer()
