"""A text as the words that the authors' release of the contamination report compares.

English goes through nltk's ``word_tokenize``, lower-cased, without eight punctuation marks where
they stand alone; brackets, dashes, percent signs and the ends of contractions (``n't``) are words.
Chinese goes by characters, punctuation counted: so the published reports on C-Eval come out, while
the last version of the release's code leaves fifteen marks out.

``word_tokenize`` finds sentences first, with a trained model that nltk downloads. Here nltk's
untrained one finds them, so an abbreviation in the middle of a text loses its full stop, and a
single letter before a capital keeps it, where the trained model would know better.

A text as words, each with its place: what matching and scanning compare.

What a word is, and how it is folded, is said in ``dcq.scripts``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dcq.overlap.meteor import MeteorSettings
from dcq.scripts import fold, word_spans


@dataclass(frozen=True)
class WordSpans:
    """The words of a text in order; ``starts`` and ``ends`` are characters of the text, so word i
    is ``text[starts[i]:ends[i]]`` before folding."""

    words: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.words)

    def part(self, first: int, last: int) -> WordSpans:
        """Words ``first`` to ``last`` (excluded), with the places that they have in the text."""
        return WordSpans(self.words[first:last], self.starts[first:last], self.ends[first:last])


def split(text: str) -> WordSpans:
    """The words of ``text``; none if it has no letter and no digit."""
    words = [(fold(text[start:end]), start, end) for start, end in word_spans(text)]
    return WordSpans(
        tuple(word for word, _, _ in words),
        tuple(start for _, start, _ in words),
        tuple(end for _, _, end in words),
    )


Splitter = Callable[[str], WordSpans]

_ALONE = frozenset(".,?!;:\"'")  # tokens that the release leaves out
_QUOTES = frozenset({"``", "''"})  # what nltk writes for a straight double quote
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")


def splitter_for(query: str, settings: MeteorSettings) -> Splitter:
    """The function that splits ``query``, its label and the texts that it is compared with into
    words."""
    if settings.tokens == "words":
        return split
    return split_characters if _HAN.search(query) else split_tokens


def split_tokens(text: str) -> WordSpans:
    """The release's words of an English text; none if it has punctuation alone."""
    return _words(
        (token.lower(), start, end) for token, start, end in _tokens(text) if token not in _ALONE
    )


def split_characters(text: str) -> WordSpans:
    """The release's words of a Chinese text: its characters but for white space."""
    return _words((m[0], m.start(), m.end()) for m in re.finditer(r"\S", text))


def _words(words: Iterator[tuple[str, int, int]]) -> WordSpans:
    word_list = list(words)
    return (
        WordSpans(*(tuple(column) for column in zip(*word_list, strict=True)))
        if word_list
        else WordSpans((), (), ())
    )


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """Each token of nltk with its characters in ``text``: nltk adds white space and writes double
    quotes in another way, and changes nothing else."""
    sentences, words = _nltk()
    for first, last in sentences.span_tokenize(text):
        at = first
        for token in words.tokenize(text[first:last]):
            while text[at].isspace():
                at += 1
            quote = token in _QUOTES and text[at] == '"'
            end = at + (1 if quote else len(token))
            yield token, at, end
            at = end


@lru_cache(maxsize=1)
def _nltk() -> tuple[Any, Any]:
    # Here, because they take a second to import.
    from nltk.tokenize import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    return PunktSentenceTokenizer(), NLTKWordTokenizer()
