"""Filters for the records of a queue, and their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz.distance import LCSseq

from dcq.records import Severity
from dcq.store.variants import Decision
from dcq.variants.curation import Record
from dcq.variants.tokens import words

NO_LABEL = "(no label)"
Similarity = Callable[[Record], float]


class Order(StrEnum):
    """The orders of records."""

    DRAWN = "drawn"  # as in the sample
    WORST = "worst"


@dataclass(frozen=True)
class Filters:
    """What a record must have to be shown; an empty or None filter passes all. ``checks`` and
    ``people``: at least one variant has one of these findings, or was written or decided by one of
    these people. ``length`` is the range of the original's length in characters; ``similarity``
    that of its least similar variant (see ``least_similarity``)."""

    checks: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    length: tuple[int, int] | None = None
    similarity: tuple[float, float] | None = None

    @property
    def count(self) -> int:
        """How many filters are set."""
        asked = (self.checks, self.labels, self.people, self.length, self.similarity)
        return sum(bool(criterion) for criterion in asked)


def narrow(records: Sequence[Record], filters: Filters, similarity: Similarity) -> list[Record]:
    """The records that pass every filter, in their order."""
    return [record for record in records if _passes(record, filters, similarity)]


def order(records: Sequence[Record], by: Order, similarity: Similarity) -> list[Record]:
    """The records as drawn, or the worst first: by undecided errors, then warnings, then those
    whose text gives the original away, then the least similar to the original."""
    if by is Order.DRAWN:
        return list(records)
    return sorted(records, key=lambda record: (*_weight(record), similarity(record)))


def least_similarity(record: Record) -> float:
    """Of each variant the share of the original's words that it has in their order; the least of
    the shares, 1 where there is nothing to compare."""
    original = [word.casefold() for word in words(record.instance.text)]
    shares = [
        LCSseq.similarity(original, [word.casefold() for word in words(variant.text)])
        / len(original)
        for variant in record.variants.values()
        if original
    ]
    return min(shares, default=1.0)


def people_of(record: Record) -> set[str]:
    """Who wrote or decided about a variant of the record."""
    named = {v.author for v in record.variants.values()}
    return (named | {v.reviewer for v in record.variants.values()}) - {""}


def checks_of(record: Record) -> set[str]:
    """The names of the checks that its variants fail."""
    return {finding.check for v in record.variants.values() for finding in v.findings}


def label_of(record: Record) -> str:
    """The label of its instance in words."""
    return record.instance.label or NO_LABEL


def _passes(record: Record, filters: Filters, similarity: Similarity) -> bool:
    if filters.checks and filters.checks.isdisjoint(checks_of(record)):
        return False
    if filters.labels and label_of(record) not in filters.labels:
        return False
    if filters.people and filters.people.isdisjoint(people_of(record)):
        return False
    if filters.length and not _within(len(record.instance.text), filters.length):
        return False
    return not filters.similarity or _within(similarity(record), filters.similarity)


def _within(value: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] <= value <= bounds[1]


def _weight(record: Record) -> tuple[int, int, bool]:
    undecided = [
        finding.severity
        for variant in record.variants.values()
        if variant.decision is Decision.OPEN
        for finding in variant.findings
    ]
    errors = undecided.count(Severity.ERROR)
    return -errors, errors - len(undecided), not record.leaky
