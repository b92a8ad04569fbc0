"""Variants of a file for a sample that is in the store already: offered, and added when asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dcq.records import Sample
from dcq.store import Store, samples, variants
from dcq.store.variants import Decision, NewVariant, StoredVariant
from dcq.variants.inspection import inspect


@dataclass(frozen=True)
class Offer:
    """Variants of a file that the store's sample of the same id does not have. ``new`` may be
    added, each with the stored variant that it replaces (None: the slot was empty); ``decided``
    counts those that would replace one that a person wrote, accepted or rejected, and are left
    out."""

    new: tuple[tuple[NewVariant, StoredVariant | None], ...]
    decided: int


def offer(store: Store, sample_id: str, sample: Sample, author: str = "") -> Offer:
    """What ``sample``, as read, would add to the variants of the stored sample of this id. A text
    that a current variant of its instance already has is not new."""
    stored = samples.load(store, sample_id)
    present = variants.current(store, sample_id)
    known = {instance.id: instance for instance in stored.instances}
    new: list[tuple[NewVariant, StoredVariant | None]] = []
    decided = 0
    for variant in variants.of_sample(sample, author):
        slots = present.get(variant.instance_id, {})
        if variant.text in {other.text for other in slots.values()}:
            continue
        seen = slots.get(variant.slot)
        if seen is not None and _is_a_persons(seen):
            decided += 1
            continue
        others = [other.text for slot, other in slots.items() if slot != variant.slot]
        instance = known[variant.instance_id]
        findings = inspect(instance, variant.text, others, stored.partition.language)
        new.append((replace(variant, findings=findings), seen))
    return Offer(tuple(new), decided)


def _is_a_persons(variant: StoredVariant) -> bool:
    return variant.origin == "person" or variant.decision is not Decision.OPEN


def add(store: Store, sample_id: str, offered: Offer) -> Offer:
    """Add what is offered; returns what was added. A slot that has changed since the offer was made
    is left as it is, and counts among ``decided``."""
    changed = {(v.instance_id, v.slot) for v in variants.replace(store, sample_id, offered.new)}
    added = tuple(
        (new, seen) for new, seen in offered.new if (new.instance_id, new.slot) not in changed
    )
    return Offer(added, offered.decided + len(changed))


def describe(offered: Offer, *, added: bool) -> list[str]:
    """What happened to the variants that differ, in sentences; none if none differs."""
    sentences = []
    if offered.new:
        count = _count(len(offered.new))
        sentences.append(
            f"{count} added; each is now current, and the older ones stay in the history."
            if added
            else f"{count} of the file {_verb(offered.new)} from those in the store; add "
            f"{'it' if len(offered.new) == 1 else 'them'} with --add-variants."
        )
    if offered.decided:
        sentences.append(
            f"{_count(offered.decided)} of the file left out, because a person wrote, accepted or "
            "rejected the stored one."
        )
    return sentences


def _count(number: int) -> str:
    return "1 variant" if number == 1 else f"{number:,} variants"


def _verb(several: Sequence[object]) -> str:
    return "differs" if len(several) == 1 else "differ"
