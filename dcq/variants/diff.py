"""What a rewording changed, word by word."""

from __future__ import annotations

from typing import Literal

from rapidfuzz.distance import Indel

from dcq.variants.tokens import tokens

Kind = Literal["same", "changed", "removed", "added"]
Segment = tuple[str, Kind]


def word_diff(original: str, variant: str) -> tuple[list[Segment], list[Segment]]:
    """Segments of the original and of the variant; joined, each list gives its text again.

    Words replaced by other words are ``changed`` on both sides; words without a counterpart are
    ``removed`` from the original or ``added`` to the variant. No segment is empty.
    """
    before, after = tokens(original), tokens(variant)
    left: list[Segment] = []
    right: list[Segment] = []
    lost = gained = ""
    for code in Indel.opcodes(before, after):
        if code.tag == "equal":
            _close(left, right, lost, gained)
            lost = gained = ""
            left.append(("".join(before[code.src_start : code.src_end]), "same"))
            right.append(("".join(after[code.dest_start : code.dest_end]), "same"))
        else:
            lost += "".join(before[code.src_start : code.src_end])
            gained += "".join(after[code.dest_start : code.dest_end])
    _close(left, right, lost, gained)
    return left, right


def _close(left: list[Segment], right: list[Segment], lost: str, gained: str) -> None:
    if lost:
        left.append((lost, "changed" if gained else "removed"))
    if gained:
        right.append((gained, "changed" if lost else "added"))
