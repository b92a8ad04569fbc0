"""What kind of texts a sample has: their length, their words, the form of their labels.

A control is a fair comparison as far as its texts are of the kind of the target's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median

from dcq import scripts
from dcq.records import Instance

NO_LABEL, NUMBER, LETTER, WORDS, SENTENCE = "no label", "a number", "a letter", "words", "a text"
_COMMONEST = 50  # words: mostly those of the grammar, which texts of one kind share
_SHORT = 6  # words of a label
_MOST_READ = 300  # instances; more would say the same
_WITHHELD = re.compile(r"[0-9a-f]{64}")  # a hash in a text's place
_NUMBER = re.compile(r"[\s$€£¥]*[+\-−]?[\d.,\s]*\d\s*%?\s*")


@dataclass(frozen=True)
class TextKind:
    """``length`` is the median of words, ``labels`` the form of labels or answers, ``commonest``
    the words that are used most. ``source`` is where they come from, empty where it is not
    known."""

    length: float
    labels: str
    commonest: frozenset[str]
    source: str = ""

    def times_as_long(self, other: TextKind) -> float:
        """How many times as long the longer of the two is, 1 or more."""
        shorter, longer = sorted((max(self.length, 1.0), max(other.length, 1.0)))
        return longer / shorter

    def common_words(self, other: TextKind) -> float:
        """The share of the commonest words that the two have in common, 0 to 1."""
        most = min(len(self.commonest), len(other.commonest))
        return len(self.commonest & other.commonest) / most if most else 1.0


def text_kind(instances: Sequence[Instance], source: str = "") -> TextKind | None:
    """The kind of the texts of a sample, whose partition has this ``source``; None where there are
    none, or hashes stand in their place."""
    read = [one for one in instances[:_MOST_READ] if one.text and not _WITHHELD.fullmatch(one.text)]
    texts = [scripts.words(instance.text) for instance in read]
    if not texts:
        return None
    return TextKind(
        float(median(map(len, texts))),
        _form([_answer(instance) for instance in read]),
        frozenset(word for word, _ in Counter(chain.from_iterable(texts)).most_common(_COMMONEST)),
        source,
    )


def _answer(instance: Instance) -> str | None:
    """The label or, where there is none, the last of several fields, such as an answer."""
    if instance.label is not None or len(instance.fields) < 2:
        return instance.label
    return list(instance.fields.values())[-1]


def _form(labels: Sequence[str | None]) -> str:
    """The form that most labels have."""
    forms = [_form_of(label.strip()) for label in labels if label and label.strip()]
    if len(forms) * 2 < len(labels) or not forms:
        return NO_LABEL
    return max(sorted(set(forms)), key=forms.count)


def _form_of(label: str) -> str:
    if _NUMBER.fullmatch(label):
        return NUMBER
    if len(label) == 1:
        return LETTER
    return WORDS if len(scripts.words(label)) <= _SHORT else SENTENCE
