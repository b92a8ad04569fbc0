"""Variants with the text of another option: in a quiz they can be recognised, or are asked
twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dcq.store.variants import StoredVariant
from dcq.variants.checks import as_compared
from dcq.variants.curation import Record


class SameAs(StrEnum):
    """The kinds of text that a variant can repeat."""

    ORIGINAL = "its original"
    SIBLING = "another variant of the instance"
    ACROSS = "a text of another instance"


@dataclass(frozen=True)
class Duplicate:
    """A variant with the text of an earlier option, of the instance ``number`` (from 1) and the
    ``slot``, None for an original. Of the same variant only the most serious repetition is
    listed."""

    record: Record
    variant: StoredVariant
    same_as: SameAs
    number: int
    slot: int | None


def find_duplicates(records: Sequence[Record]) -> list[Duplicate]:
    """The variants that repeat a text, apart from case and kinds of spaces and quotation marks, in
    their order. The first variant with a text is no duplicate, unless it has the text of some
    original."""
    originals: dict[str, int] = {}
    for record in records:
        originals.setdefault(as_compared(record.instance.text), record.number)
    first: dict[str, tuple[int, int]] = {}
    duplicates = []
    for record in records:
        original_key = as_compared(record.instance.text)
        seen: dict[str, int] = {}
        for slot, variant in sorted(record.variants.items()):
            key = as_compared(variant.text)
            same, number, other = None, record.number, None
            if key == original_key:
                same = SameAs.ORIGINAL
            elif key in seen:
                same, other = SameAs.SIBLING, seen[key]
            elif key in originals:
                same, number = SameAs.ACROSS, originals[key]
            elif key in first:
                same = SameAs.ACROSS
                number, other = first[key]
            if same is not None:
                duplicates.append(Duplicate(record, variant, same, number, other))
            seen.setdefault(key, slot)
            first.setdefault(key, (record.number, slot))
    return duplicates
