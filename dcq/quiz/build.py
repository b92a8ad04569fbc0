"""Building the questions of a quiz from instances and variants (docs/method.md, "Quizzes").

Kinds of protocol v1: ``modified`` shows four variants; ``standard`` puts the original in place of
one of them; ``rotated`` shows the original once in each slot, with the options rotated, so that
every text is seen in every slot and a preference for a letter cancels out.

Kinds of protocol v2 add a fixed fifth option, "none of these": ``bdq`` shows four variants,
``bcq`` the same ones with the original in place of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from dcq.errors import InputError
from dcq.quiz.prompts import NONE_OF_THESE
from dcq.records import LETTERS, Instance, Item, QuizKind

SLOTS = 4
DEFAULT_SLOT = 3  # D, the least-preferred slot in the paper
WITHOUT_ORIGINAL = frozenset(
    {QuizKind.MODIFIED, QuizKind.BDQ}
)  # nothing to find, so nothing to score
PLACED = frozenset(
    {QuizKind.STANDARD, QuizKind.BCQ}
)  # the original is in one slot, chosen beforehand

_Maker = Callable[[Instance, Mapping[int, str], int], "list[Item] | str"]


@dataclass(frozen=True)
class Built:
    """The questions; the reason for each instance without one, by instance id; and a note on the
    whole quiz, empty if there is none."""

    items: tuple[Item, ...]
    left_out: Mapping[str, str]
    note: str = ""


WITHOUT_BDQ = (
    "No instance has four variants, so there is no bdq to compare this bcq with: its score is not "
    "corrected for the model's preference for the slot, and there is no minimum and maximum."
)


def build(
    kind: QuizKind,
    instances: Sequence[Instance],
    variants: Mapping[str, Mapping[int, str]],
    *,
    slot: int = DEFAULT_SLOT,
) -> Built:
    """Questions of ``kind`` for ``instances``.

    ``variants`` maps instance id → slot (0–3) → text, with usable variants only. ``slot`` is where
    the original goes in a standard quiz or a bcq. An instance that lacks variants, or has one equal
    to the original or to another, is left out with the reason. Bdq and bcq ask the same instances,
    those with four variants; if none has four there is no bdq, and a bcq is made from three
    variants and the original. Raises InputError if nothing is left.
    """
    built = _build(_MAKERS[kind], instances, variants, slot)
    if built.items:
        return built
    alone = _build(_bcq_alone, instances, variants, slot) if kind is QuizKind.BCQ else built
    if not alone.items:
        reason = next(iter(built.left_out.values()), "the sample has no instances")
        raise InputError(
            f"No question can be built ({reason}); write or accept variants for the sample first."
        )
    return replace(alone, note=WITHOUT_BDQ)


def _build(
    make: _Maker,
    instances: Sequence[Instance],
    variants: Mapping[str, Mapping[int, str]],
    slot: int,
) -> Built:
    items: list[Item] = []
    left_out: dict[str, str] = {}
    for instance in instances:
        outcome = make(instance, variants.get(instance.id, {}), slot)
        if isinstance(outcome, str):
            left_out[instance.id] = outcome
        else:
            items.extend(outcome)
    return Built(tuple(items), left_out)


def build_from_originals(kind: QuizKind, instances: Sequence[Instance]) -> Built:
    """Questions as long as those of ``kind`` will be, for an estimate of their cost before there
    are rewordings: each instance stands for its own."""
    marks = {
        instance.id: {slot: f"{instance.text}{LETTERS[slot]}" for slot in range(SLOTS)}
        for instance in instances
    }
    return build(kind, instances, marks)


def first_of(items: Sequence[Item], limit: int | None) -> Sequence[Item]:
    """The questions of the first ``limit`` instances (None: all), always all questions of an
    instance."""
    if limit is None:
        return items
    instance_ids = set(list(dict.fromkeys(item.instance_id for item in items))[:limit])
    return [item for item in items if item.instance_id in instance_ids]


def propose_slot(chosen: Sequence[int]) -> int:
    """The slot for the original: the least chosen of the modified quiz (§4 of the paper).

    ``chosen`` is how often each of the four slots was picked. Of slots tied at the minimum the last
    is taken, so D if it is among them; without answers it is D.
    """
    least = min(chosen)
    return max(slot for slot, count in enumerate(chosen) if count == least)


def _modified(instance: Instance, texts: Mapping[int, str], _slot: int) -> list[Item] | str:
    options = [texts[s] for s in range(SLOTS) if s in texts]
    if len(options) < SLOTS:
        return f"{len(options)} of 4 variants usable"
    return _distinct([instance.text, *options]) or [Item(instance.id, tuple(options), None)]


def _bdq(instance: Instance, texts: Mapping[int, str], slot: int) -> list[Item] | str:
    outcome = _modified(instance, texts, slot)
    if isinstance(outcome, str):
        return outcome
    return [Item(instance.id, (*item.options, NONE_OF_THESE), None) for item in outcome]


def _bcq(instance: Instance, texts: Mapping[int, str], slot: int) -> list[Item] | str:
    # All four variants are needed although one is replaced: bdq and bcq ask the same instances.
    outcome = _bdq(instance, texts, slot)
    return outcome if isinstance(outcome, str) else _bcq_alone(instance, texts, slot)


def _bcq_alone(instance: Instance, texts: Mapping[int, str], slot: int) -> list[Item] | str:
    options = {**texts, slot: instance.text}
    if len(options) < SLOTS:
        return f"{len(texts)} of 4 variants usable"
    ordered = [options[s] for s in range(SLOTS)]
    return _distinct(ordered) or [Item(instance.id, (*ordered, NONE_OF_THESE), slot)]


def _standard(instance: Instance, texts: Mapping[int, str], slot: int) -> list[Item] | str:
    # Each variant keeps its slot of the modified quiz, so that the two can be paired by instance;
    # if a variant is missing, the one that the original replaces takes its slot.
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
    outcome = _standard(instance, texts, DEFAULT_SLOT)
    if isinstance(outcome, str):
        return outcome
    ring = outcome[0].options  # the original last
    return [
        Item(instance.id, ring[SLOTS - 1 - s :] + ring[: SLOTS - 1 - s], s) for s in range(SLOTS)
    ]


def _distinct(texts: Sequence[str]) -> str | None:
    """Why these texts, including the original, cannot be a question, or None if they can."""
    if len(set(texts)) < len(texts):
        return "two options, or one and the original, are the same text"
    return None


_MAKERS: Mapping[QuizKind, _Maker] = {
    QuizKind.MODIFIED: _modified,
    QuizKind.STANDARD: _standard,
    QuizKind.ROTATED: _rotated,
    QuizKind.BDQ: _bdq,
    QuizKind.BCQ: _bcq,
}
