"""Deciding what is to be written for a sample: its empty slots, or all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from dcq.errors import InputError
from dcq.records import Instance
from dcq.store import Store, rewordings, samples, variants
from dcq.store.rewordings import Request, Slot
from dcq.store.samples import StoredSample
from dcq.variants import offline_writer
from dcq.variants.perturbations import Perturbation
from dcq.variants.prompts import Protocol, choose_rewording

SLOTS = 4
LEAST = 3  # variants without which there is no question

# A model's protocol, or what an offline generator alters; kept as text with the rewording.
Recipe = Protocol | Perturbation

# The slots to be filled, and how many other variants of the instance stay.
_Task = tuple[Instance, list[Slot], int]


def freeze(
    store: Store,
    sample_id: str,
    recipe: Recipe,
    *,
    wanted: int = SLOTS,
    again: bool = False,
    limit: int | None = None,
    author: str = "",
) -> str | None:
    """Keep which slots of a sample are to be filled: the empty ones, or all if ``again``, of all
    instances that have some or of the first ``limit``; None where there is nothing to do.

    Raises InputError for a number of variants that makes no quiz.
    """
    if wanted not in range(LEAST, SLOTS + 1):
        raise InputError(
            f"{wanted} variants cannot make a quiz; ask for 3, or 4 to include the modified quiz."
        )
    sample = samples.load(store, sample_id)
    present = variants.current(store, sample.id)
    todo: list[_Task] = []
    for instance in sample.instances:
        there = present.get(instance.id, {})
        slots = [
            Slot(instance.id, slot, variants.state_of(there.get(slot)))
            for slot in range(wanted)
            if again or slot not in there
        ]
        if slots:
            todo.append((instance, slots, len(there)))
    todo = todo[:limit]
    return _save(store, sample, recipe, todo, _seed(sample), author) if todo else None


def freeze_slot(
    store: Store,
    sample_id: str,
    instance: Instance,
    slot: int,
    seen: variants.StoredVariant | None,
    recipe: Recipe,
    author: str = "",
) -> str:
    """Keep that one slot is to be filled, in place of the variant that was ``seen`` in it."""
    sample = samples.load(store, sample_id)
    there = variants.current(store, sample.id).get(instance.id, {})
    seed = _seed(sample) + (seen.seq if seen else 0)  # another draw each time
    only = [Slot(instance.id, slot, variants.state_of(seen))]
    return _save(store, sample, recipe, [(instance, only, len(there))], seed, author)


def read_recipe(kept: str) -> Recipe:
    """The recipe of a rewording, as it was kept."""
    return Perturbation(kept) if kept in set(Perturbation) else Protocol(kept)


def request_for(instance: Instance, missing: int, there: int, recipe: Recipe) -> Request:
    """The request for ``missing`` rewordings of an instance that has ``there`` already."""
    if isinstance(recipe, Perturbation):  # some of what the generator finds may be there
        return Request(instance.id, offline_writer.PROMPTS[recipe].id, missing + there)
    prompt, count = choose_rewording(recipe, missing)
    return Request(instance.id, prompt.id, count)


def _save(
    store: Store,
    sample: StoredSample,
    recipe: Recipe,
    todo: Iterable[_Task],
    seed: int,
    author: str,
) -> str:
    found = list(todo)
    return rewordings.save(
        store,
        sample.id,
        [slot for _, slots, _ in found for slot in slots],
        [request_for(one, len(slots), there, recipe) for one, slots, there in found],
        protocol=recipe,
        seed=seed,
        author=author,
    )


def _seed(sample: StoredSample) -> int:
    """The offline generators' seed: a further set shall not be the first one over again."""
    return int(sample.id[:8], 16) if sample.set_of else sample.seed


def open_slots(
    rewording: rewordings.Rewording,
    present: dict[str, dict[int, variants.StoredVariant]],
    instance_ids: Collection[str] | None = None,
) -> dict[str, list[int]]:
    """The slots of a rewording that are still as they were when it was frozen, of all instances or
    of these: instance id → slots."""
    found: dict[str, list[int]] = {}
    for one in rewording.slots:
        if instance_ids is not None and one.instance_id not in instance_ids:
            continue
        if variants.state_of(present.get(one.instance_id, {}).get(one.slot)) == one.seen:
            found.setdefault(one.instance_id, []).append(one.slot)
    return found


def slots_of(rewording: rewordings.Rewording, instance_id: str) -> Sequence[int]:
    """The slots that a rewording is to fill for an instance."""
    return [one.slot for one in rewording.slots if one.instance_id == instance_id]
