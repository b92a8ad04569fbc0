"""Which of several sets of variants counts in the study.

Sets are over the same instances, so what a model scores on one says little that the others do not:
counted as results of their own they would enlarge the family that is corrected for, and two sets of
a control would pass for two unseen partitions. One set stands for all: the one that a person named,
else the one made first, of those with a finished run of the same model, kind and wording. The
others are shown, and judged as if each took its place.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from dcq.evidence.case import Check, Mark, Topic
from dcq.quiz.controls import is_control
from dcq.quiz.results import Result
from dcq.store.sets import Member


def standing(every: Sequence[Result], of_sets: Mapping[str, Member]) -> list[Result]:
    """``every`` result, in order, without those of sets that do not stand."""
    chosen = _standing_samples(every, of_sets)
    return [r for r in every if chosen.get(_question(r, of_sets), r.sample) == r.sample]


def by_writer(
    target: Result,
    controls: Sequence[Result],
    every: Iterable[Result],
    of_sets: Mapping[str, Member],
    writers: Mapping[str, str],
) -> list[Result]:
    """``controls`` that stand, each replaced by the result of the set by the writer of the
    ``target``'s variants where it is by another and there is such a set. ``writers`` are as
    ``dcq.store.variants.writers`` has them."""
    wanted = writers.get(target.sample, "")
    others = {
        (_question(r, of_sets), r.slot): r
        for r in every
        if r.sample in of_sets and is_control(r) and writers.get(r.sample) == wanted
    }
    return [
        control
        if writers.get(control.sample) == wanted
        else others.get((_question(control, of_sets), control.slot), control)
        for control in controls
    ]


def check(result: Result, every: Sequence[Result], of_sets: Mapping[str, Member]) -> Check | None:
    """Which set a result is of, and whether it stands; None where there is one set only. A set
    that was chosen after answers were there may have been chosen for them."""
    own = of_sets.get(result.sample)
    if own is None:
        return None
    family = [one for one in of_sets.values() if one.first == own.first]
    stands = _standing_samples(every, of_sets)[_question(result, of_sets)]
    number = f"1 of {len(family)} sets"
    these = f"These variants are the set “{own.name}”, one of {len(family)} of the same instances"
    if stands != result.sample:
        sentence = f"{these}; the set “{of_sets[stands].name}” stands for them in the study."
        return Check(Topic.WRITER, Mark.GOOD, number, sentence)
    named = own.named
    ids = {one.sample for one in family}
    if named is not None and any(r.at < named for r in every if r.sample in ids):
        sentence = f"{these}, made to stand for them when runs of theirs had been planned already."
        return Check(Topic.WRITER, Mark.CAUTION, number, sentence)
    return Check(Topic.WRITER, Mark.GOOD, number, f"{these}, and stands for them in the study.")


def _standing_samples(
    every: Sequence[Result], of_sets: Mapping[str, Member]
) -> dict[Hashable, str]:
    """The sample whose results count, by question, of those that have sets."""
    asked: dict[Hashable, dict[str, bool]] = {}
    for result in every:
        if result.sample in of_sets:
            samples = asked.setdefault(_question(result, of_sets), {})
            samples[result.sample] = samples.get(result.sample, False) or result.finished
    return {
        question: min(
            samples,
            key=lambda sample: (
                not samples[sample],
                of_sets[sample].named is None,
                of_sets[sample].made_at,
            ),
        )
        for question, samples in asked.items()
    }


def _question(result: Result, of_sets: Mapping[str, Member]) -> Hashable:
    """What the sets of the same instances are alternatives for."""
    own = of_sets.get(result.sample)
    return (own.first if own else result.sample, result.model, result.kind, result.prompt)
