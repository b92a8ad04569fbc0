"""Which words of a text a finding is about, so that they can be marked.

They are computed again from the two texts, because the sentence of a finding is for people.
Findings about a whole text, such as its length, are about no word of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Indel

from dcq.variants.checks import NUMBER, PUNCTUATION, lost_names, normalise
from dcq.variants.tokens import tokens, word_spans

Span = tuple[int, int]  # where a part starts and ends, in characters
_Part = tuple[str, Span]  # its value, which is compared, and where it stands


@dataclass(frozen=True)
class Concern:
    """What a finding is about: parts of the original that the variant ``lost``, and parts that are
    ``new`` in the variant, each in the order of its text."""

    lost: tuple[Span, ...] = ()
    new: tuple[Span, ...] = ()


def find_concern(
    check: str, original: str, variant: str, protected: Sequence[str] = (), language: str = "en"
) -> Concern:
    """The parts that a finding of ``check`` is about; none where it is about the whole text."""
    match check:
        case "number-changed":
            return _differ(_numbers(original), _numbers(variant))
        case "numeral-changed":
            return _differ(_numerals(original), _numerals(variant))
        case "digits-changed":
            return _differ(_digits(original), _digits(variant), only_absent=True)
        case "symbol-changed":
            return _differ(_marks(original, soft=False), _marks(variant, soft=False))
        case "punctuation-changed":
            return _differ(_marks(original, soft=True), _marks(variant, soft=True))
        case "name-changed":
            names = set(lost_names(original, variant, language))
            return Concern(tuple(s for s in word_spans(original) if _cut(original, s) in names))
        case "label-changed":
            return _protected(original, variant, protected)
    return Concern()


def _differ(before: list[_Part], after: list[_Part], *, only_absent: bool = False) -> Concern:
    """The parts of a value that the other text has less often, or (``only_absent``) not at all."""
    had, has = Counter(v for v, _ in before), Counter(v for v, _ in after)

    def more(value: str, here: Counter[str], other_counts: Counter[str]) -> bool:
        return not other_counts[value] if only_absent else here[value] > other_counts[value]

    return Concern(
        tuple(span for value, span in before if more(value, had, has)),
        tuple(span for value, span in after if more(value, has, had)),
    )


def _numbers(text: str) -> list[_Part]:
    return [(normalise(match[0]), match.span()) for match in NUMBER.finditer(text)]


def _numerals(text: str) -> list[_Part]:
    return [
        (_cut(text, span), span)
        for span in word_spans(text)
        if all(sign.isnumeric() and not sign.isdecimal() for sign in _cut(text, span))
    ]


def _digits(text: str) -> list[_Part]:
    """Each number by the zero of its digits."""
    return [
        (chr(ord(match[0][0]) - int(match[0][0])), match.span()) for match in NUMBER.finditer(text)
    ]


def _marks(text: str, *, soft: bool) -> list[_Part]:
    """Characters outside words and numbers that are marks of a sentence (``soft``) or are not."""
    spans = [*word_spans(text), *(match.span() for match in NUMBER.finditer(text))]
    within = {at for start, end in spans for at in range(start, end)}
    marks = []
    for at, sign in enumerate(text):
        value = normalise(sign)
        is_mark = at not in within and not sign.isspace() and value != "'"
        if is_mark and bool(PUNCTUATION.match(value or sign)) is soft:
            marks.append((value or sign, (at, at + 1)))
    return marks


def _protected(original: str, variant: str, protected: Iterable[str]) -> Concern:
    """Where the original has the parts that are lost; where they are still there but something
    stands beside them, the line of the variant."""
    lost: list[Span] = []
    new: list[Span] = []
    for part in filter(None, map(normalise, protected)):
        pattern = re.compile(r"\s+".join(map(re.escape, part.split())), re.IGNORECASE)
        if pattern.search(variant) is None:
            lost += [match.span() for match in pattern.finditer(original)]
            continue
        original_lines = {normalise(line) for line in original.splitlines()}
        for line_match in re.finditer(r".+", variant):
            line = normalise(line_match[0])
            if part in line and line not in original_lines:
                new.append(line_match.span())
    return Concern(tuple(sorted(set(lost))), tuple(sorted(set(new))))


def _cut(text: str, span: Span) -> str:
    return text[span[0] : span[1]]


Kind = Literal["same", "changed", "removed", "added"]
Segment = tuple[str, Kind]


def word_diff(original: str, variant: str) -> tuple[list[Segment], list[Segment]]:
    """Segments of the original and of the variant; joined, each list gives its text again.

    Words replaced by other words are ``changed`` on both sides; words without a counterpart are
    ``removed`` from the original or ``added`` to the variant. No segment is empty.
    """
    before, after = tokens(original), tokens(variant)
    remaining_segments: list[Segment] = []
    right: list[Segment] = []
    lost = gained = ""
    for code in Indel.opcodes(before, after):
        if code.tag == "equal":
            _close(remaining_segments, right, lost, gained)
            lost = gained = ""
            remaining_segments.append(("".join(before[code.src_start : code.src_end]), "same"))
            right.append(("".join(after[code.dest_start : code.dest_end]), "same"))
        else:
            lost += "".join(before[code.src_start : code.src_end])
            gained += "".join(after[code.dest_start : code.dest_end])
    _close(remaining_segments, right, lost, gained)
    return remaining_segments, right


def _close(remaining_segments: list[Segment], right: list[Segment], lost: str, gained: str) -> None:
    if lost:
        remaining_segments.append((lost, "changed" if gained else "removed"))
    if gained:
        right.append((gained, "changed" if lost else "added"))
