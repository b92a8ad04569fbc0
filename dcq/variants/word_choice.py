"""Other words for a word of a text, for a person to choose from: those that the offline generator
would choose from, in the form that the sentence needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dcq.errors import InputError
from dcq.languages import primary
from dcq.variants.offline import write
from dcq.variants.prose import is_code, prose
from dcq.variants.synonyms import WordGroup, find_groups

ENGLISH_ONLY = "Synonyms are known for English only; this text is in another language."


@dataclass(frozen=True)
class Word:
    """A word of a text that has synonyms. All its ``places`` change together."""

    word: str
    synonyms: tuple[str, ...]
    group: WordGroup

    @property
    def places(self) -> int:
        """How often the word stands in the text."""
        return len(self.group.places)


def words_with_synonyms(
    text: str, *, protected: Sequence[str] = (), language: str = "en"
) -> list[Word]:
    """The words of ``text`` that can be replaced, in order of appearance; names, numbers, code and
    the ``protected`` substrings cannot. Raises InputError for a language other than English, or if
    a component is not installed."""
    if primary(language) != "en":
        raise InputError(ENGLISH_ONLY)
    groups = find_groups(text, prose(text, protected), code=is_code(text))
    return [
        Word(text[first.start : first.end], first.replacements, group)
        for group in groups
        for first in group.places[:1]
    ]


def substitute(text: str, word: Word, number: int) -> str:
    """``text`` with the synonym of this number in all places of ``word``."""
    return write(text, [word.group], (number + 1,))
