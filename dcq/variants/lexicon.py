"""Synonyms: our own, written by hand, and those of WordNet 3.0 by meaning.

Both come with the project, so no download and no system package is needed. The first lines of
``data/synonyms.tsv`` describe its format, ``data/extract_wordnet.py`` that of
``data/wordnet.tsv.gz``.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from dcq.settings import DATA

_WORDNET = DATA / "wordnet.tsv.gz"
_OWN = DATA / "synonyms.tsv"


@dataclass(frozen=True)
class Sense:
    """One meaning of a word. ``share`` (0 to 1) is how much of the word's use has this meaning;
    ``synonyms`` are other words for it, each with the same share of its own use."""

    share: float
    synonyms: Mapping[str, float]


@lru_cache(maxsize=1)
def _entries() -> tuple[dict[tuple[str, str], list[Sense]], frozenset[str]]:
    senses: dict[tuple[str, str], list[Sense]] = defaultdict(list)
    collocations = set()
    with gzip.open(_WORDNET, "rt", encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                continue
            kind, first = line.rstrip("\n").split("\t")
            if kind == "collocation":
                collocations.add(first)
                continue
            pairs = (entry.split(":") for entry in first.split())
            members = {word: int(share) / 100 for word, share in pairs}
            for word, share in members.items():
                others = {other: part for other, part in members.items() if other != word}
                senses[word, kind].append(Sense(share, others))
    return dict(senses), frozenset(collocations)


def senses(lemma: str, pos: str) -> list[Sense]:
    """Meanings that ``lemma`` shares with other words; ``pos`` is noun, verb, adj or adv."""
    return _entries()[0].get((lemma, pos), [])


def is_collocation(first: str, second: str) -> bool:
    """True if the two lemmas form one expression ("prime number") that must stay together."""
    return f"{first} {second}" in _entries()[1]


@lru_cache(maxsize=1)
def _own() -> dict[tuple[str, str, str], tuple[str, ...]]:
    entries = {}
    for line in _OWN.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            texts, pos, word, synonyms = line.split("\t")
            entries[texts, pos, word] = tuple(filter(None, synonyms.split(", ")))
    return entries


def own_synonyms(keys: Iterable[str], pos: str, *, code: bool) -> tuple[str, ...] | None:
    """The hand-written synonyms of the first of ``keys`` that has an entry; None if none has one.

    ``pos`` is a part of speech or ``form``; ``code`` asks for the entries for programs first.
    """
    for texts in ("code", "any") if code else ("any",):
        for key in keys:
            if (synonyms := _own().get((texts, pos, key))) is not None:
                return synonyms
    return None
