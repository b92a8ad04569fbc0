"""Chooses which of several sets of variants counts in the study.

Sets are over the same instances, so a model's score on one says little that the others do not:
counted as separate results they would enlarge the family that is corrected for, and two sets of a
control would pass for two unseen partitions. One set counts: the one that a person named, else the
one made first, of those with a finished run of the same model, kind and wording. The others are
shown, and each is judged as if it counted instead.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from dcq.evidence.check import Check, Mark, Topic
from dcq.quiz import wording
from dcq.quiz.results import Result
from dcq.store.sets import SetMember


def only_counting(results: Sequence[Result], of_sets: Mapping[str, SetMember]) -> list[Result]:
    """The ``results`` of sets that count, in order."""
    chosen = _standing_samples(results, of_sets)
    return [r for r in results if chosen.get(question(r, of_sets), r.sample) == r.sample]


def question(result: Result, of_sets: Mapping[str, SetMember]) -> Hashable:
    """A value that is equal for results on sets of the same instances, of which only one counts."""
    own_member = of_sets.get(result.sample)
    return (
        own_member.first if own_member else result.sample,
        result.model,
        result.kind,
        result.prompt,
    )


def checks(results: Sequence[Result], of_sets: Mapping[str, SetMember]) -> dict[str, Check]:
    """For each result, by run, a check that says which set it is of and whether that set counts;
    none where there is one set only. It is a caution if the set was chosen after answers were
    there, because it may have been chosen for them."""
    standing_samples = _standing_samples(results, of_sets)
    return {
        result.run: _check(
            result.sample, standing_samples[question(result, of_sets)], results, of_sets
        )
        for result in results
        if result.sample in of_sets
    }


def _check(
    sample: str, stands: str, results: Sequence[Result], of_sets: Mapping[str, SetMember]
) -> Check:
    own_member = of_sets[sample]
    family = [member for member in of_sets.values() if member.first == own_member.first]
    figures: dict[str, Any] = {"name": own_member.name, "of": len(family)}
    if stands != sample:
        figures["counts"] = of_sets[stands].name
        return Check(Topic.WRITER, Mark.GOOD, wording.other_set_counts, figures)
    named, ids = own_member.named, {sibling.sample for sibling in family}
    if named is not None and any(r.at < named for r in results if r.sample in ids):
        return Check(Topic.WRITER, Mark.CAUTION, wording.set_chosen_late, figures)
    return Check(Topic.WRITER, Mark.GOOD, wording.set_counts, figures)


def _standing_samples(
    results: Sequence[Result], of_sets: Mapping[str, SetMember]
) -> dict[Hashable, str]:
    """The sample whose results count, by question, of those that have sets."""
    own = {question(r, of_sets) for r in results if not r.imported}
    asked: dict[Hashable, dict[str, bool]] = {}
    for result in results:
        # What others asked about another set never replaces one's own.
        if result.sample in of_sets and not (result.imported and question(result, of_sets) in own):
            samples = asked.setdefault(question(result, of_sets), {})
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
