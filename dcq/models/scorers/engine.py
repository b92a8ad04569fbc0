"""The interface of a model whose texts are scored in the process of ``child``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from dcq.models.scorers.distribution import Distribution
from dcq.models.scorers.likelihood import (
    Likelihood,
    ScoredText,
    check_length,
    check_letters,
    write_pieces,
)


@dataclass(frozen=True)
class Coded:
    """A context and a text as tokens; those from ``first`` on are the text's and are scored."""

    ids: tuple[int, ...]
    first: int


class Engine(Protocol):
    """A model with its tokenizer. ``start`` is its beginning-of-text token, or nothing; ``window``
    is how many tokens it reads."""

    settings: Mapping[str, object]
    start: tuple[int, ...]
    window: int

    def encode(self, text: str) -> list[tuple[int, bytes]]:
        """The tokens of a text, with the bytes that each stands for; nothing in it is special."""
        ...

    def distributions(self, coded: Sequence[Coded]) -> list[Distribution]:
        """The distribution at each scored token."""
        ...


def score(engine: Engine, texts: Sequence[ScoredText]) -> list[Likelihood]:
    """One score per text, in order; raises as ``Scorer.score``."""
    coded, pieces = [], []
    for text in texts:
        check_letters(text)
        before = [token for token, _ in engine.encode(text.context)] if text.context else []
        text_tokens = engine.encode(text.text) if text.text else []
        ids = (*engine.start, *before, *(token for token, _ in text_tokens))
        first = max(1, len(ids) - len(text_tokens))
        check_length(len(ids), len(ids) - first, engine.window)
        coded.append(Coded(ids, first))
        pieces.append(write_pieces(written for _, written in text_tokens[first - len(ids) :]))
    return [
        Likelihood(distribution.logprob, distribution.mean, distribution.spread, piece)
        for distribution, piece in zip(engine.distributions(coded), pieces, strict=True)
    ]
