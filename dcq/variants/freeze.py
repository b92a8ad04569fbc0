"""Decides what is to be written for a sample: its empty slots, or all of them.

The four variants are rewordings of the original. Candidates to choose from, in the slots after
them, are rewordings of these variants: while all texts are made from the original, it is the one
most like the others, and no choice among them can hide that. To reword a rewording is ours; the
published prompts are used on it as they are. The offline generator, which does not make all texts
from the original anyway, gets the original again and is asked for commoner words.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence

from dcq.errors import InputError
from dcq.records import Instance, fingerprint
from dcq.store import Store, rewordings, samples, variants
from dcq.store.rewordings import OpenSlot, RewordingRequest
from dcq.store.samples import StoredSample
from dcq.store.variants import StoredVariant
from dcq.variants import offline_writer
from dcq.variants.perturbations import Perturbation
from dcq.variants.prompts import Protocol, choose_rewording, read_instruction

SLOTS = variants.SLOTS
LEAST = 3  # variants without which there is no question
MOST = 16  # texts of an instance, candidates included

# A model's protocol, or what an offline generator alters; kept as text with the rewording.
Recipe = Protocol | Perturbation

# What was seen in slots that are to be filled (None: nothing), by instance id and slot.
Chosen = Mapping[str, Mapping[int, StoredVariant | None]]

# The slots of an instance to be filled, and the first request for them.
_Task = tuple[list[OpenSlot], RewordingRequest]


def freeze(
    store: Store,
    sample_id: str,
    recipe: Recipe,
    *,
    variants_each: int = SLOTS,
    candidates: int = SLOTS,
    again: bool = False,
    limit: int | None = None,
    author: str = "",
) -> str | None:
    """Store which slots of a sample are to be filled: the empty ones, or all if ``again``, of all
    instances that have some or of the first ``limit``; None where there is nothing to do.
    ``candidates`` is how many texts each instance is to have in all, four of which are its
    variants. Raises InputError for a number of variants that makes no quiz, or of candidates that
    is not from 4 to 16."""
    if variants_each not in range(LEAST, SLOTS + 1):
        raise InputError(
            f"{variants_each} variants cannot make a quiz; ask for 3, or 4 to include the modified "
            "quiz."
        )
    if candidates not in range(SLOTS, MOST + 1) or (candidates > SLOTS > variants_each):
        raise InputError(
            f"Four variants are chosen from 5 to {MOST} candidates, not from {candidates} with "
            f"{variants_each} variants; try --candidates 8."
        )
    sample = samples.load(store, sample_id)
    present = variants.current(store, sample.id, candidates=True)
    todo: list[_Task] = []
    for instance in sample.instances:
        stored_variants = present.get(instance.id, {})
        slots = [
            OpenSlot(instance.id, slot, variants.state_of(stored_variants.get(slot)))
            for slot in (*range(variants_each), *range(SLOTS, candidates))
            if again or slot not in stored_variants
        ]
        if slots:
            lacking = [open_slot.slot for open_slot in slots]
            first = request_for(instance, lacking, stored_variants, recipe, seed=_seed(sample))
            todo += [(slots, first)] if first else []
    todo = todo[:limit]
    return _save(store, sample, recipe, todo, _seed(sample), author) if todo else None


def lacking_slots(
    store: Store, sample: StoredSample, candidates: int, *, again: bool = False
) -> dict[str, list[int]]:
    """The slots without a text, or all if ``again``, by instance, where each instance is to have
    ``candidates`` texts; instances without such slots are left out."""
    present = variants.current(store, sample.id, candidates=True)
    lacking = {
        instance.id: [
            s for s in range(candidates) if again or s not in present.get(instance.id, {})
        ]
        for instance in sample.instances
    }
    return {instance_id: slots for instance_id, slots in lacking.items() if slots}


def freeze_some(
    store: Store,
    sample_id: str,
    chosen: Chosen,
    recipe: Recipe,
    author: str = "",
    instruction: str = "",
) -> str:
    """Store that these slots are to be filled, each in place of the variant that was seen in it; a
    model gets the ``instruction`` besides its prompt. Raises InputError for an instruction to an
    offline generator, or where no variant can be reworded."""
    instruction = read_instruction(instruction)
    if instruction and isinstance(recipe, Perturbation):
        raise InputError("The offline generator takes no instruction; choose a model, or drop it.")
    sample = samples.load(store, sample_id)
    current_variants = variants.current(store, sample.id, chosen, candidates=True)
    seqs = [
        seen_variant.seq
        for slots in chosen.values()
        for seen_variant in slots.values()
        if seen_variant
    ]
    seed = _seed(sample) + max(seqs, default=0)  # another draw each time
    todo: list[_Task] = []
    for instance in sample.instances:
        wanted_variants = chosen.get(instance.id, {})
        slots = [
            OpenSlot(instance.id, slot, variants.state_of(seen))
            for slot, seen in wanted_variants.items()
        ]
        present = current_variants.get(instance.id, {})
        request = (
            request_for(instance, list(wanted_variants), present, recipe, seed=seed)
            if slots
            else None
        )
        todo += [(slots, request)] if request else []
    if not todo:
        raise InputError("No variant of this instance can be reworded; write or accept one first.")
    return _save(store, sample, recipe, todo, seed, author, instruction)


def read_recipe(text: str) -> Recipe:
    """The recipe of a rewording from its stored text."""
    return Perturbation(text) if text in set(Perturbation) else Protocol(text)


def request_for(
    instance: Instance,
    slots: Collection[int],
    stored_variants: Mapping[int, StoredVariant],
    recipe: Recipe,
    *,
    seed: int = 0,
    round_number: int = 0,
) -> RewordingRequest | None:
    """The next request about an instance that lacks texts in ``slots`` and has ``stored_variants``:
    for rewordings of the original or, if only candidates are lacking, of one of its variants, a
    different one in each round. An offline generator is given the original for these as
    well. None where no variant can be reworded."""
    missing = [slot for slot in slots if is_variant(slot)]
    if isinstance(recipe, Perturbation):  # some of what the generator finds may be there
        count = len(missing or slots) + len(stored_variants)
        source = None if missing else instance.text
        return RewordingRequest(instance.id, offline_writer.PROMPTS[recipe].id, count, source)
    source = None
    if not missing:
        texts = [
            variant.text
            for slot, variant in sorted(stored_variants.items())
            if is_variant(slot) and variant.usable
        ]
        if not texts:
            return None
        chance = random.Random(fingerprint(instance.id, str(seed)))  # noqa: S311  # keeps no secret
        chance.shuffle(texts)
        source = texts[round_number % len(texts)]
        missing = list(slots)
    prompt, count = choose_rewording(recipe, len(missing))
    return RewordingRequest(instance.id, prompt.id, count, source)


def is_variant(slot: int) -> bool:
    """Whether a slot holds a variant, made from the original; the others hold candidates."""
    return slot < SLOTS


def _save(
    store: Store,
    sample: StoredSample,
    recipe: Recipe,
    todo: Sequence[_Task],
    seed: int,
    author: str,
    instruction: str = "",
) -> str:
    return rewordings.save(
        store,
        sample.id,
        [slot for slots, _ in todo for slot in slots],
        [request for _, request in todo],
        protocol=recipe,
        seed=seed,
        author=author,
        instruction=instruction,
    )


def _seed(sample: StoredSample) -> int:
    """The offline generators' seed: a further set shall not be the first one over again."""
    return int(sample.id[:8], 16) if sample.set_of else sample.seed


def open_slots(
    rewording: rewordings.RewordingPlan,
    present: dict[str, dict[int, variants.StoredVariant]],
    instance_ids: Collection[str] | None = None,
) -> dict[str, list[int]]:
    """The slots of a rewording that are still as they were when it was frozen, of all instances or
    of these: instance id → slots."""
    slots_by_instance: dict[str, list[int]] = {}
    for slot in rewording.slots:
        if instance_ids is not None and slot.instance_id not in instance_ids:
            continue
        if (
            variants.state_of(present.get(slot.instance_id, {}).get(slot.slot))
            == slot.state_when_planned
        ):
            slots_by_instance.setdefault(slot.instance_id, []).append(slot.slot)
    return slots_by_instance


def slots_of(rewording: rewordings.RewordingPlan, instance_id: str) -> Sequence[int]:
    """The slots that a rewording is to fill for an instance."""
    return [slot.slot for slot in rewording.slots if slot.instance_id == instance_id]
