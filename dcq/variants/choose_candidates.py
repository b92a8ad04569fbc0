"""Chooses the variants of a stored sample among its candidates, undoes that, and describes the
result."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dcq.errors import ChangedError, InputError
from dcq.evidence.leak import strategy_words
from dcq.records import LETTERS, Instance
from dcq.store import Store, balancings, samples, variants
from dcq.store.samples import StoredSample
from dcq.store.variants import Decision, NewVariant, StoredVariant
from dcq.variants import placebo
from dcq.variants.balance import SLOTS, Arrangement, Balanced, Pool, Ranks, balance, measure
from dcq.variants.method import EXCLUSIVE
from dcq.words import percent

_Pair = tuple[NewVariant, StoredVariant | None]


@dataclass(frozen=True)
class BalancingOutcome:
    """The result of choosing: how many ``instances`` there are, in how many of them the variants
    ``changed``, how many had no more than four candidates to choose from (``without_choice``), and
    the original's ranks before and after."""

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


def choose(
    store: Store, sample_id: str, *, keep_accepted: bool = True, author: str = ""
) -> BalancingOutcome:
    """Choose each instance's four variants so that text alone finds the original as often as
    guessing (``dcq.variants.balance``).

    A replaced text goes to the slot that the new text came from, so no text is lost. Texts that
    were rejected, or in which a check found an error, are not chosen. Accepted variants and those
    that a person wrote stay where they are; without ``keep_accepted`` they may move, and those that
    do are to be reviewed again. Raises InputError while variants of the sample are being written or
    if it has none that make a question, and ChangedError, having changed nothing, if a person
    changes variants meanwhile.
    """
    sample = samples.load(store, sample_id)
    with EXCLUSIVE.hold(store, sample.id):
        return choose_now(store, sample, keep_accepted=keep_accepted, author=author)


def choose_now(
    store: Store, sample: StoredSample, *, keep_accepted: bool = True, author: str = ""
) -> BalancingOutcome:
    """As ``choose``, for a caller that holds ``EXCLUSIVE`` already."""
    stocks = _stocks(store, sample, keep_accepted=keep_accepted)
    balanced = balance(
        [instance_stock.pool for instance_stock in stocks],
        sample.partition.language,
        seed=sample.seed,
    )
    if not balanced.after.n:
        raise InputError(
            f"No instance of sample {sample.id} has three usable variants; write some with: "
            f"python -m dcq perturb {sample.id} --candidates 8"
        )
    moved = [_moves(stock, to) for stock, to in zip(stocks, balanced.chosen, strict=True)]
    pairs = [pair for pairs in moved for pair in pairs]
    if balancings.save(store, sample.id, pairs, author):
        raise ChangedError(
            "Variants were changed while others were being chosen, so nothing was moved; "
            "balance again."
        )
    return _sum_up(sample, stocks, balanced, sum(map(bool, moved)))


def ranks(store: Store, sample_id: str) -> Ranks:
    """The original's ranks among a sample's present variants."""
    sample = samples.load(store, sample_id)
    stocks = _stocks(store, sample, keep_accepted=True)
    return measure([stock.pool for stock in stocks], sample.partition.language)


def undo(store: Store, sample_id: str) -> int:
    """Undo the newest choice: each slot gets back the text that was in it before. Instances that
    were changed since are left as they are. Returns how many were restored; raises InputError if
    there is nothing to undo."""
    sample = samples.load(store, sample_id)
    with EXCLUSIVE.hold(store, sample.id):
        newest = balancings.newest(store, sample.id)
        if newest is None:
            raise InputError(f"No choice of variants of sample {sample.id} can be taken back.")
        current_variants = variants.current(store, sample.id, candidates=True)
        pairs = [(old, current_variants[old.instance_id][old.slot]) for old in newest.replaced]
        if variants.replace(store, sample.id, pairs):
            raise ChangedError("Variants were changed meanwhile; those were left as they are.")
    return len({old.instance_id for old in newest.replaced})


def _stocks(store: Store, sample: StoredSample, *, keep_accepted: bool) -> list[_Stock]:
    present = variants.current(store, sample.id, candidates=True)
    rejected = variants.rejected_texts(store, sample.id)
    texts = placebo.without_originals(
        sample,
        {
            instance_id: {slot: variant.text for slot, variant in slots.items() if variant.usable}
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
    used_texts = {_plain(instance.text)}
    for slot in sorted(texts):
        accepted = present[slot].decision is Decision.ACCEPTED
        if _plain(texts[slot]) in used_texts or (texts[slot] in rejected and not accepted):
            continue
        used_texts.add(_plain(texts[slot]))
        slots.append(slot)
    in_place = {slot: at for at, slot in enumerate(slots) if slot < SLOTS}
    fixed = {slot for slot in in_place if keep_accepted and _is_decided(present[slot])}
    pool = Pool(instance.text, tuple(texts[slot] for slot in slots), in_place, frozenset(fixed))
    return _Stock(instance, present, pool, tuple(slots))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_decided(variant: StoredVariant) -> bool:
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
    sample: StoredSample, stocks: Sequence[_Stock], balanced: Balanced, changed: int
) -> BalancingOutcome:
    return BalancingOutcome(
        sample.id,
        len(stocks),
        changed,
        sum(len(stock.pool.candidates) <= SLOTS for stock in stocks),
        balanced.before,
        balanced.after,
    )


def balancing_document(outcome: BalancingOutcome) -> dict[str, Any]:
    """As JSON: what each strategy finds (0 to 1), by slot of the original A to D, before and after;
    and the shares of the original's ranks, from the shortest, the most central and the commonest,
    over all slots."""
    return {
        "sample": outcome.sample,
        "instances": outcome.instances,
        "chosen": outcome.changed,
        "without_choice": outcome.without_choice,
        "before": _shares(outcome.before),
        "after": _shares(outcome.after),
        "ranks": {
            "before": _ranks_document(outcome.before),
            "after": _ranks_document(outcome.after),
        },
    }


def tell_ranks(ranks: Ranks) -> str:
    """One sentence on the strategy that finds most originals, in its worst slot."""
    best = _best(ranks)
    if best is None:
        return "No instance has three usable variants yet."
    name, share, slot = best
    return (
        f"Of the strategies without memory, {strategy_words(name)} finds most originals: "
        f"{percent(share)} with the original at {LETTERS[slot]}."
    )


def describe(before: Ranks, after: Ranks) -> str:
    """One sentence on the effect of a choice among candidates."""
    was, now = _best(before), _best(after)
    if now is None:
        return tell_ranks(after)
    clause = f"no strategy finds more than {percent(now[1])}"
    if was is None:
        return f"Now {clause}."
    chose = strategy_words(was[0]).replace("always the", "always choosing the")
    return f"Before, {chose} found {percent(was[1])} of originals; now {clause}."


def strategy_rows(before: Ranks | None, after: Ranks) -> list[dict[str, str]]:
    """One row for each strategy: its name in words, and what it finds at each slot, before and
    now."""
    earlier = before.strategies() if before else {}
    return [
        {"strategy": strategy_words(name)}
        | {
            LETTERS[slot]: (f"{percent(earlier[name][slot])} → " if name in earlier else "")
            + percent(shares[slot])
            for slot in range(SLOTS)
        }
        for name, shares in after.strategies().items()
    ]


def _best(ranks: Ranks) -> tuple[str, float, int] | None:
    """The strategy that finds most originals in some slot, its share there, and the slot."""
    scores = [
        (name, share, slot)
        for name, shares in ranks.strategies().items()
        for slot, share in enumerate(shares)
    ]
    return max(scores, key=lambda score: score[1]) if scores else None


def _shares(ranks: Ranks) -> dict[str, dict[str, float]]:
    return {
        name: {LETTERS[slot]: round(share, 6) for slot, share in enumerate(shares)}
        for name, shares in ranks.strategies().items()
    }


def _ranks_document(ranks: Ranks) -> dict[str, list[float]]:
    return {
        feature: [round(float(share), 6) for share in shares.mean(axis=0)]
        for feature, shares in ranks.shares.items()
    }
