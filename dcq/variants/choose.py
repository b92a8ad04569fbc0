"""Choosing the variants of a stored sample among its candidates, and taking that back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from dcq.errors import ChangedError, InputError
from dcq.records import Instance
from dcq.store import Store, balancings, samples, variants
from dcq.store.samples import StoredSample
from dcq.store.variants import Decision, NewVariant, StoredVariant
from dcq.variants import placebo
from dcq.variants.balance import SLOTS, Arrangement, Balanced, Pool, Ranks, balance, measure
from dcq.variants.method import EXCLUSIVE

_Pair = tuple[NewVariant, StoredVariant | None]


@dataclass(frozen=True)
class Chosen:
    """What came of choosing: how many ``instances`` there are, in how many of them the variants
    ``changed``, how many had no more than four ``candidates`` to choose from (``without_choice``),
    and the original's ranks before and after."""

    sample: str
    instances: int
    changed: int
    without_choice: int
    before: Ranks
    after: Ranks


@dataclass(frozen=True)
class _Stock:
    """The usable texts of an instance: ``slots`` says where each candidate of ``pool`` is."""

    instance: Instance
    present: dict[int, StoredVariant]
    pool: Pool
    slots: tuple[int, ...]


def choose(store: Store, sample_id: str, *, keep_accepted: bool = True, author: str = "") -> Chosen:
    """Put those of each instance's texts into its four slots by which text alone finds the original
    as often as guessing (``dcq.variants.balance``). What gives way goes to the slot that the new
    text came from, so no text is lost.

    Texts that were rejected, or in which a check found an error, are not chosen. Accepted variants
    and those that a person wrote stay where they are; without ``keep_accepted`` they may move,
    and those that do are to be reviewed again. Raises InputError while variants of the sample are
    being written or if it has none that make a question, and ChangedError, having changed nothing,
    if a person changes variants meanwhile.
    """
    sample = samples.load(store, sample_id)
    with EXCLUSIVE.hold(store, sample.id):
        stocks = _stocks(store, sample, keep_accepted=keep_accepted)
        found = balance([one.pool for one in stocks], sample.partition.language, seed=sample.seed)
        if not found.after.n:
            raise InputError(
                f"No instance of sample {sample.id} has three usable variants; write some with: "
                f"python -m dcq perturb {sample.id} --candidates 8"
            )
        moved = [_moves(stock, to) for stock, to in zip(stocks, found.chosen, strict=True)]
        pairs = [pair for pairs in moved for pair in pairs]
        if balancings.save(store, sample.id, pairs, author):
            raise ChangedError(
                "Variants were changed while others were being chosen, so nothing was moved; "
                "balance again."
            )
    return _sum_up(sample, stocks, found, sum(map(bool, moved)))


def ranks(store: Store, sample_id: str) -> Ranks:
    """The original's ranks among a sample's variants as they are."""
    sample = samples.load(store, sample_id)
    stocks = _stocks(store, sample, keep_accepted=True)
    return measure([one.pool for one in stocks], sample.partition.language)


def undo(store: Store, sample_id: str) -> int:
    """Take the newest choice back: each slot gets the text again that was in it before. Instances
    that were changed since are left as they are. Returns how many were restored; raises InputError
    if there is nothing to take back."""
    sample = samples.load(store, sample_id)
    with EXCLUSIVE.hold(store, sample.id):
        newest = balancings.newest(store, sample.id)
        if newest is None:
            raise InputError(f"No choice of variants of sample {sample.id} can be taken back.")
        there = variants.current(store, sample.id, candidates=True)
        pairs = [(old, there[old.instance_id][old.slot]) for old in newest.replaced]
        if variants.replace(store, sample.id, pairs):
            raise ChangedError("Variants were changed meanwhile; those were left as they are.")
    return len({old.instance_id for old in newest.replaced})


def _stocks(store: Store, sample: StoredSample, *, keep_accepted: bool) -> list[_Stock]:
    present = variants.current(store, sample.id, candidates=True)
    rejected = variants.rejected_texts(store, sample.id)
    texts = placebo.without_originals(
        sample,
        {
            instance_id: {slot: one.text for slot, one in slots.items() if one.usable}
            for instance_id, slots in present.items()
        },
    )
    return [
        _stock(
            instance,
            present.get(instance.id, {}),
            texts.get(instance.id, {}),
            rejected.get(instance.id, set()),
            keep_accepted=keep_accepted,
        )
        for instance in sample.instances
    ]


def _stock(
    instance: Instance,
    present: dict[int, StoredVariant],
    texts: Mapping[int, str],
    rejected: Collection[str],
    *,
    keep_accepted: bool,
) -> _Stock:
    slots: list[int] = []
    taken = {_plain(instance.text)}
    for slot in sorted(texts):
        accepted = present[slot].decision is Decision.ACCEPTED
        if _plain(texts[slot]) in taken or (texts[slot] in rejected and not accepted):
            continue
        taken.add(_plain(texts[slot]))
        slots.append(slot)
    in_place = {slot: at for at, slot in enumerate(slots) if slot < SLOTS}
    fixed = {slot for slot in in_place if keep_accepted and _is_settled(present[slot])}
    pool = Pool(instance.text, tuple(texts[slot] for slot in slots), in_place, frozenset(fixed))
    return _Stock(instance, present, pool, tuple(slots))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_settled(variant: StoredVariant) -> bool:
    return variant.decision is Decision.ACCEPTED or variant.origin == "person"


def _moves(stock: _Stock, arrangement: Arrangement) -> list[_Pair]:
    """The new contents of the slots that change, each with what is in it now."""
    to = {slot: stock.slots[at] for slot, at in enumerate(arrangement) if at is not None}
    moves = {slot: source for slot, source in to.items() if slot != source}
    vacant = sorted(source for source in moves.values() if source >= SLOTS)
    homeless = [slot for slot in stock.slots if slot < SLOTS and slot not in to.values()]
    moves |= dict(zip(vacant, homeless, strict=False))  # an empty slot gives nothing back
    return [
        (_copy(stock.present[source], slot), stock.present.get(slot))
        for slot, source in moves.items()
    ]


def _copy(variant: StoredVariant, slot: int) -> NewVariant:
    return NewVariant(
        variant.instance_id,
        slot,
        variant.text,
        variant.origin,
        variant.author,
        variant.findings,
        variant.prompt,
    )


def _sum_up(
    sample: StoredSample, stocks: Sequence[_Stock], found: Balanced, changed: int
) -> Chosen:
    return Chosen(
        sample.id,
        len(stocks),
        changed,
        sum(len(one.pool.candidates) <= SLOTS for one in stocks),
        found.before,
        found.after,
    )
