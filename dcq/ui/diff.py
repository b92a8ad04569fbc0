"""A variant with its differences from the original marked, as Markdown that is safe to show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dcq.records import Severity, VariantFinding
from dcq.ui.text import close, keep_spaces, plain_part, sentence
from dcq.variants.concerns import Concern, Segment, find_concern, word_diff

_PIECES = re.compile(r"\s+|\S+(?:[ ]\S+)*")
_COLOURS = {Severity.ERROR: "orange", Severity.WARNING: "yellow"}
_ICONS = {Severity.ERROR: ":material/error:", Severity.WARNING: ":material/warning:"}
_WORDS = {Severity.ERROR: "error", Severity.WARNING: "note"}
_SIGNS = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"


@dataclass(frozen=True)
class _Mark:
    """A finding in the text: the sign beside the words that it is about, and their colour."""

    sign: str
    colour: str
    concern: Concern


def mark_changes(
    original: str,
    variant: str,
    findings: Sequence[VariantFinding] = (),
    *,
    protected: Sequence[str] = (),
    language: str = "en",
) -> str:
    """The variant as Markdown: words that are not in the original are bold on grey, words that it
    leaves out are struck through in their place. Words that one of ``findings`` is about have its
    colour and its sign; for replaced words, those in their place."""
    before, after = keep_spaces(original), keep_spaces(variant)
    marks = [
        _Mark(
            _SIGNS[number % len(_SIGNS)],
            _COLOURS[finding.severity],
            find_concern(finding.check, before, after, protected, language),
        )
        for number, finding in enumerate(findings)
    ]
    left, right = word_diff(before, after)
    parts: list[str] = []
    right_parts = iter(_placed(right))
    for start, text, kind in _placed(left):
        lost = _about(marks, start, start + len(text), lost=True)
        if kind == "removed":
            parts.append(_struck(text, lost))
            continue
        for (
            start_now,
            text_now,
            kind_now,
        ) in right_parts:  # words added before, then the counterpart
            instead = lost if kind_now == "changed" else []
            parts += _new(text_now, start_now, marks, instead, changed=kind_now != "same")
            if kind_now != "added":
                break
    for start, text, _ in right_parts:
        parts += _new(text, start, marks, [], changed=True)
    return close("".join(parts))


def say_findings(findings: Sequence[VariantFinding]) -> str:
    """The findings as Markdown: for each its sign in the text, the check's name, and the
    sentence."""
    sentences = []
    for number, finding in enumerate(findings):
        sign, colour = _SIGNS[number % len(_SIGNS)], _COLOURS[finding.severity]
        name = f"**{finding.check}** ({_WORDS[finding.severity]})"
        sentences.append(
            f":small[:{colour}[{_ICONS[finding.severity]} {sign} {name}] "
            f":gray[{sentence(finding.sentence)}]]"
        )
    return " ".join(sentences)


def _placed(segments: Sequence[Segment]) -> Iterator[tuple[int, str, str]]:
    """Each segment with where it starts."""
    at = 0
    for text, kind in segments:
        yield at, text, kind
        at += len(text)


def _about(marks: Sequence[_Mark], start: int, end: int, *, lost: bool) -> list[_Mark]:
    """The marks about a part of ``start`` to ``end``."""
    return [
        mark
        for mark in marks
        if any(a < end and start < b for a, b in (mark.concern.lost if lost else mark.concern.new))
    ]


def _new(
    text: str, start: int, marks: Sequence[_Mark], lost: Sequence[_Mark], *, changed: bool
) -> Iterator[str]:
    """A segment of the variant. What a finding is about is marked in it, or the whole segment where
    it stands instead of what was ``lost``."""
    end = start + len(text)
    instead = [mark for mark in lost if not _about([mark], start, end, lost=False)]
    ends = {at for mark in marks for span in mark.concern.new for at in span if start < at < end}
    for begin, stop in pairwise(sorted({start, end} | ends)):
        piece = text[begin - start : stop - start]
        if about := [*instead, *_about(marks, begin, stop, lost=False)]:
            yield _on_colour(piece, about, "**" if changed else "")
        else:
            yield _wrap(piece, ":gray-background[**", "**]") if changed else plain_part(piece)


def _struck(text: str, about: Sequence[_Mark]) -> str:
    return _on_colour(text, about, "~~") if about else _wrap(text, ":gray[~~", "~~]")


def _on_colour(text: str, about: Sequence[_Mark], emphasis: str) -> str:
    unique = list(dict.fromkeys(about))
    signs = "".join(mark.sign for mark in unique)
    colour = min(mark.colour for mark in unique)  # orange, an error, before yellow
    highlight = _wrap(text, f":{colour}-background[{emphasis}", f"{emphasis}]")
    return f"{highlight}:{colour}[{signs}]" if text.strip() else highlight


def _wrap(text: str, before: str, after: str) -> str:
    """Put the marks around words only: spaces at the ends and line breaks would break them."""
    return "".join(
        plain_part(piece) if piece.isspace() else f"{before}{plain_part(piece)}{after}"
        for piece in _PIECES.findall(text)
    )
