"""Curating a sample: the variants of each instance, their state, their checks, and which ones to
review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from dcq.errors import ChangedError, InputError
from dcq.models import similarity
from dcq.records import Instance, VariantFinding, slot_letter
from dcq.store import Store, variants
from dcq.store.samples import StoredSample
from dcq.store.variants import Decision, NewVariant, StoredVariant
from dcq.variants.checks import check
from dcq.variants.freeze import SLOTS


class Queue(StrEnum):
    """The queue of instances to show: those with at least one variant in this state."""

    ALL = "all"
    OPEN = "open"
    FAILED = "failed"  # a check found something, and it is undecided
    FLAGGED = "flagged"  # a person asks somebody to look at it
    LEAKY = "leaky"  # a strategy without memory that solves the quiz finds the original
    REJECTED = "rejected"
    MISSING = "missing"
    ACCEPTED = "accepted"
    EDITED = "edited"  # a person wrote it
    ASSIGNED = "assigned"  # to two annotators, who have not both decided
    DISAGREEMENT = "disagreement"  # of the two, and no third person has decided


OF_TWO = frozenset({Queue.ASSIGNED, Queue.DISAGREEMENT})  # a record does not tell who is in these


@dataclass(frozen=True)
class Record:
    """One instance, its place in the sample (from 1), and its newest variants by slot (0 to 3).
    ``leaky``: its text gives the original away."""

    number: int
    instance: Instance
    variants: Mapping[int, StoredVariant]
    leaky: bool = False

    def other_texts(self, slot: int) -> list[str]:
        """The texts of all variants except that of ``slot``."""
        return [variant.text for other, variant in self.variants.items() if other != slot]

    @property
    def acceptable(self) -> list[StoredVariant]:
        """The undecided variants in which no check found an error."""
        return [v for v in self.variants.values() if v.decision is Decision.OPEN and v.usable]


def gather(store: Store, sample: StoredSample, *, leaky: Set[str] = frozenset()) -> list[Record]:
    """Every instance of the sample with its variants, in the order drawn; ``leaky`` are the ids of
    those that text alone gives away."""
    current_variants = variants.current(store, sample.id)
    return [
        make_record(
            number, instance, current_variants.get(instance.id, {}), leaky=instance.id in leaky
        )
        for number, instance in enumerate(sample.instances, start=1)
    ]


def make_record(
    number: int, instance: Instance, slots: Mapping[int, StoredVariant], *, leaky: bool = False
) -> Record:
    """A record with the variants of which quizzes are built; texts in further slots are left
    out."""
    return Record(number, instance, {s: v for s, v in slots.items() if s < SLOTS}, leaky)


def count_missing(records: Sequence[Record]) -> int:
    """How many variants are missing, of four per instance."""
    return sum(SLOTS - len(record.variants) for record in records)


def select(records: Sequence[Record], queue: Queue, search: str = "") -> list[Record]:
    """The records of a queue with ``search`` in one of their texts, ignoring case."""
    queue_records = [record for record in records if _is_in(record, queue)]
    return search_texts(queue_records, search) if search.strip() else queue_records


def edit(
    store: Store, sample: StoredSample, record: Record, slot: int, text: str, author: str
) -> bool:
    """Save a person's wording of a variant and check it; False if nothing was changed. Raises
    ChangedError if the variant is no longer as in ``record``."""
    present = record.variants.get(slot)
    if present and present.text == text:
        return False
    if not text.strip():
        raise InputError("A variant cannot be empty; write a text, or reject the variant.")
    findings = inspect(record.instance, text, record.other_texts(slot), sample.partition.language)
    new = NewVariant(record.instance.id, slot, text, "person", author, findings)
    changed = variants.replace(store, sample.id, [(new, present)])
    if changed:
        raise ChangedError(tell_change(changed[0], present))
    return True


def tell_change(now: StoredVariant, seen_variant: StoredVariant | None) -> str:
    """Who did what to a variant since it was ``seen_variant``, in one sentence."""
    letter = slot_letter(now.slot)
    if seen_variant is None or now.seq != seen_variant.seq:
        by = now.author or now.origin.removeprefix("model:")
        verb = "wrote" if seen_variant is None else "rewrote"
        return f"{by} {verb} variant {letter} in the meantime."
    verb = "reopened" if now.decision is Decision.OPEN else now.decision.value
    return f"{now.reviewer or 'Another user'} {verb} variant {letter} in the meantime."


def queues_of(record: Record) -> frozenset[Queue]:
    """The queues that a record is in, except those of two annotators (``OF_TWO``)."""
    return frozenset(queue for queue in Queue if _is_in(record, queue))


def search_texts(records: Sequence[Record], search: str) -> list[Record]:
    """The records with ``search`` in one of their texts, ignoring case."""
    query = search.strip().casefold()
    return [record for record in records if query in _all_text(record)]


def _is_in(record: Record, queue: Queue) -> bool:
    present = list(record.variants.values())
    match queue:
        case Queue.ALL:
            return True
        case Queue.LEAKY:
            return record.leaky
        case Queue.MISSING:
            return len(present) < SLOTS
        case Queue.FLAGGED:
            return any(v.flag is not None for v in present)
        case Queue.FAILED:
            return any(v.findings and v.decision is Decision.OPEN for v in present)
        case Queue.EDITED:
            return any(v.origin == "person" for v in present)
        case Queue.ASSIGNED | Queue.DISAGREEMENT:
            return False
        case Queue.OPEN | Queue.REJECTED | Queue.ACCEPTED:
            return any(v.decision.value == queue.value for v in present)


def _all_text(record: Record) -> str:
    return "\n".join([record.instance.text, *record.other_texts(-1)]).casefold()


def inspect(
    instance: Instance, text: str, others: Sequence[str], language: str
) -> tuple[VariantFinding, ...]:
    """The findings about ``text`` as a variant of ``instance``, beside its ``others``; its meaning
    is compared if possible."""
    [close] = compare_meaning([(instance.text, text)], language)
    return tuple(check(instance, text, others, close, language=language))


def compare_meaning(pairs: Sequence[tuple[str, str]], language: str) -> list[float | None]:
    """How close each pair of texts is in meaning (cosine), None where that is unknown. Many at once
    take half the time of one by one."""
    if not pairs or similarity.unavailable(language) is not None:
        return [None] * len(pairs)
    cosines = similarity.similarity(pairs)
    return [
        float(cosine) if text.strip() else None
        for cosine, (_, text) in zip(cosines, pairs, strict=True)
    ]
