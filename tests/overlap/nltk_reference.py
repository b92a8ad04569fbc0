"""nltk's own METEOR with the synonyms that we ship, so that no corpus has to be downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nltk.translate.meteor_score import single_meteor_score

from dcq.overlap.meteor import MeteorSettings, synonyms


@dataclass(frozen=True)
class _Lemma:
    text: str

    def name(self) -> str:
        return self.text


@dataclass(frozen=True)
class _Synset:
    names: frozenset[str]

    def lemmas(self) -> list[_Lemma]:
        return [_Lemma(name) for name in self.names]


class _NltkWordNet:
    def synsets(self, word: str) -> list[_Synset]:
        return [_Synset(synonyms(word))]


def nltk_meteor(query: Sequence[str], text: Sequence[str], settings: MeteorSettings) -> float:
    """The query is nltk's reference, as in the authors' code."""
    return float(
        single_meteor_score(
            query,
            text,
            wordnet=_NltkWordNet(),
            alpha=settings.alpha,
            beta=settings.beta,
            gamma=settings.gamma,
        )
    )
