"""A text as words, each with its place: what matching and scanning compare.

What a word is, and how it is folded, is said in ``dcq.scripts``.
"""

from __future__ import annotations

from dataclasses import dataclass

from dcq.scripts import fold, word_spans


@dataclass(frozen=True)
class Words:
    """The words of a text in order; ``starts`` and ``ends`` are characters of the text, so word i
    is ``text[starts[i]:ends[i]]`` before folding."""

    words: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.words)

    def part(self, first: int, last: int) -> Words:
        """Words ``first`` to ``last`` (excluded), with the places that they have in the text."""
        return Words(self.words[first:last], self.starts[first:last], self.ends[first:last])


def split(text: str) -> Words:
    """The words of ``text``; none if it has no letter and no digit."""
    found = [(fold(text[start:end]), start, end) for start, end in word_spans(text)]
    return Words(
        tuple(word for word, _, _ in found),
        tuple(start for _, start, _ in found),
        tuple(end for _, _, end in found),
    )
