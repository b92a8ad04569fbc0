"""From instances and their variants to a frozen list of questions (docs/method.md, "Quizzes").

Kinds of protocol v1: ``modified`` shows four variants; ``standard`` puts the original in place of
one of them; ``rotated`` shows the original once in each slot, the others turning with it, so that
every text is seen in every slot and a liking for a letter cancels out.

Kinds of protocol v2 add a fixed fifth option, "none of these": ``bdq`` shows four variants,
``bcq`` the same ones with the original in place of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dcq.errors import InputError
from dcq.quiz.prompts import NONE_OF_THESE
from dcq.records import LETTERS, Instance, Item, Kind

SLOTS = 4
DEFAULT_SLOT = 3  # D, the paper's least-liked slot
WITHOUT_ORIGINAL = frozenset({Kind.MODIFIED, Kind.BDQ})  # nothing to find, so nothing to score
PLACED = frozenset({Kind.STANDARD, Kind.BCQ})  # the original stands in one slot, chosen before


@dataclass(frozen=True)
class Built:
    """The questions, and for each instance that gave none the reason, by instance id."""

    items: tuple[Item, ...]
    left_out: Mapping[str, str]


def build(
    kind: Kind,
    instances: Sequence[Instance],
    variants: Mapping[str, Mapping[int, str]],
    *,
    slot: int = DEFAULT_SLOT,
) -> Built:
    """Questions of ``kind`` for ``instances``.

    ``variants`` maps instance id → slot (0–3) → text, holding only what may be used. ``slot`` is
    where the original goes in a standard quiz or a bcq. An instance that lacks variants, or has one
    equal to the original or to another, is left out with the reason. Raises InputError if nothing
    is left.
    """
    make = _MAKERS[kind]
    items: list[Item] = []
    left_out: dict[str, str] = {}
    for instance in instances:
        made = make(instance, variants.get(instance.id, {}), slot)
        if isinstance(made, str):
            left_out[instance.id] = made
        else:
            items.extend(made)
    if not items:
        reason = next(iter(left_out.values()), "the sample has no instances")
        raise InputError(
            f"No question can be built ({reason}); write or accept variants for the sample first."
        )
    return Built(tuple(items), left_out)


def propose_slot(chosen: Sequence[int]) -> int:
    """The slot for the original: the least chosen of the modified quiz (§4 of the paper).

    ``chosen`` holds how often each of the four slots was picked. D is taken when it is among those
    tied at the minimum, else the last of them; with no answers at all it is D.
    """
    least = min(chosen)
    return max(slot for slot, count in enumerate(chosen) if count == least)


def slot_letter(slot: int | None) -> str | None:
    """The letter a person knows a slot by."""
    return None if slot is None else LETTERS[slot]


def _modified(instance: Instance, texts: Mapping[int, str], _slot: int) -> list[Item] | str:
    options = [texts[s] for s in range(SLOTS) if s in texts]
    if len(options) < SLOTS:
        return f"{len(options)} of 4 variants usable"
    return _distinct([instance.text, *options]) or [Item(instance.id, tuple(options), None)]


def _bdq(instance: Instance, texts: Mapping[int, str], slot: int) -> list[Item] | str:
    made = _modified(instance, texts, slot)
    if isinstance(made, str):
        return made
    return [Item(instance.id, (*item.options, NONE_OF_THESE), None) for item in made]


def _bcq(instance: Instance, texts: Mapping[int, str], slot: int) -> list[Item] | str:
    # All four variants are needed though one is displaced: bdq and bcq must ask the same instances.
    made = _bdq(instance, texts, slot)
    if isinstance(made, str):
        return made
    options = list(made[0].options)
    options[slot] = instance.text
    return [Item(instance.id, tuple(options), slot)]


def _standard(instance: Instance, texts: Mapping[int, str], slot: int) -> list[Item] | str:
    # Each variant keeps the slot it has in the modified quiz, so that the two pair by instance;
    # where a variant is missing, the one that the original displaces takes its place.
    others = [s for s in range(SLOTS) if s != slot]
    spare = [texts[slot]] if slot in texts else []
    options: list[str] = []
    for s in others:
        text = texts[s] if s in texts else spare.pop() if spare else None
        if text is None:
            return f"{len(texts)} of 3 variants usable"
        options.append(text)
    options.insert(slot, instance.text)
    return _distinct(options) or [Item(instance.id, tuple(options), slot)]


def _rotated(instance: Instance, texts: Mapping[int, str], _slot: int) -> list[Item] | str:
    made = _standard(instance, texts, DEFAULT_SLOT)
    if isinstance(made, str):
        return made
    ring = made[0].options  # the original last
    return [
        Item(instance.id, ring[SLOTS - 1 - s :] + ring[: SLOTS - 1 - s], s) for s in range(SLOTS)
    ]


def _distinct(texts: Sequence[str]) -> str | None:
    """Why these texts, original among them, are no fair question, or None if they are."""
    if len(set(texts)) < len(texts):
        return "two options, or one and the original, are the same text"
    return None


_MAKERS: Mapping[Kind, Callable[[Instance, Mapping[int, str], int], list[Item] | str]] = {
    Kind.MODIFIED: _modified,
    Kind.STANDARD: _standard,
    Kind.ROTATED: _rotated,
    Kind.BDQ: _bdq,
    Kind.BCQ: _bcq,
}
