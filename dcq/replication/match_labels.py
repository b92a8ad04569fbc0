"""The labels that people give to the completions of a run, and whether they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dcq.evidence.agreement import Agreement, agree
from dcq.evidence.replication.replicated import Matches, count_matches
from dcq.replication.judge import MatchLevel, both
from dcq.replication.results import InstanceScores


@dataclass(frozen=True)
class People:
    """``counts`` are the labels by annotator. The two who labelled most are ``compared``:
    ``agreement`` between them, and ``matches`` that both see; None where there are not two."""

    counts: Mapping[str, Mapping[MatchLevel, int]]
    compared: tuple[str, ...] = ()
    agreement: Agreement | None = None
    matches: Matches | None = None


def people_of(rows: Sequence[InstanceScores]) -> People:
    """The labels of people in these rows, compared."""
    counts: dict[str, Counter[MatchLevel]] = {}
    for row in rows:
        for who, label in row.people.items():
            counts.setdefault(who, Counter())[label] += 1
    most = sorted(counts, key=lambda who: (-counts[who].total(), who))[:2]
    if len(most) < 2:
        return People(counts)
    first, second = ([row.people.get(who) for row in rows] for who in most)
    shared = Counter(both(a, b) for a, b in zip(first, second, strict=True))
    n = sum(shared[label] for label in MatchLevel)
    return People(
        counts,
        tuple(most),
        agree(first, second),
        count_matches(n, shared[MatchLevel.EXACT], shared[MatchLevel.NEAR_EXACT]),
    )
