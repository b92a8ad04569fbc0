"""How many instances of a sample are ready for a quiz."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

from dcq.errors import InputError
from dcq.quiz import build
from dcq.records import QuizKind
from dcq.store.variants import Decision
from dcq.variants.curation import Record, count_missing


@dataclass(frozen=True)
class Tally:
    """The progress of a sample. ``ready`` of ``instances`` give a question of a standard quiz,
    ``full`` also one of a modified quiz; the other fields count variants, four per instance."""

    instances: int
    ready: int
    full: int
    accepted: int
    open: int
    rejected: int
    missing: int


def tally(records: Sequence[Record]) -> Tally:
    """Count decided, open and missing variants."""
    decisions = [v.decision for record in records for v in record.variants.values()]
    return Tally(
        instances=len(records),
        ready=_count_questions(QuizKind.STANDARD, records),
        full=_count_questions(QuizKind.MODIFIED, records),
        accepted=decisions.count(Decision.ACCEPTED),
        open=decisions.count(Decision.OPEN),
        rejected=decisions.count(Decision.REJECTED),
        missing=count_missing(records),
    )


def add(tallies: Sequence[Tally]) -> Tally:
    """The sum of several tallies."""
    rows = [(0,) * len(fields(Tally)), *map(astuple, tallies)]
    return Tally(*map(sum, zip(*rows, strict=True)))


def negative(tally: Tally) -> Tally:
    """A tally with all counts negated, to subtract it with ``add``."""
    return Tally(*(-count for count in astuple(tally)))


def _count_questions(kind: QuizKind, records: Sequence[Record]) -> int:
    usable = {
        record.instance.id: {s: v.text for s, v in record.variants.items() if v.usable}
        for record in records
    }
    instances = [record.instance for record in records]
    try:
        return len(build.build(kind, instances, usable).items)
    except InputError:
        return 0
