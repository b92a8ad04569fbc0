"""Measures of an original among its options, as strategies without memory use them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dcq.records import slot_letter
from dcq.variants.wording import likeness, total_likeness

ORIGINAL = "original"


@dataclass(frozen=True)
class OptionMeasures:
    """One option: its ``length`` in characters, and its ``centrality``, the mean multiset Jaccard
    with the other options (0 to 1, None for the only option)."""

    name: str
    length: int
    centrality: float | None


def measure_options(original: str, variants: Mapping[int, str]) -> list[OptionMeasures]:
    """The original first, then its variants (slot → text) by their letters."""
    names = [ORIGINAL, *(str(slot_letter(slot)) for slot in sorted(variants))]
    texts = [original, *(variants[slot] for slot in sorted(variants))]
    others = len(texts) - 1
    central = (
        [float(total) / others for total in total_likeness(likeness(texts))] if others else [None]
    )
    return [
        OptionMeasures(name, len(text), mean)
        for name, text, mean in zip(names, texts, central, strict=True)
    ]


def what_stands_out(standings: list[OptionMeasures]) -> list[str]:
    """How the original stands out, as ends of the sentence "The original is …": alone at an end of
    the lengths, or alone the most like the others. Empty where it does not."""
    first, *others = standings
    if len(others) < 2:
        return []
    phrases = []
    if first.length < min(other.length for other in others):
        phrases.append("the shortest")
    if first.length > max(other.length for other in others):
        phrases.append("the longest")
    if (first.centrality or 0) > max(other.centrality or 0 for other in others):
        phrases.append("the most like the others")
    return phrases
