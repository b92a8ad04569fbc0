"""Whether quiz, replication and overlap agree on instances, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from dcq.evidence.power import ALPHA
from dcq.judging.cross_evidence import FindingPair, SampleMethodName
from dcq.words import interval_words, p_words, points_words, two_decimals

_FINDS = {
    SampleMethodName.QUIZ: "the quiz picks the original of",
    SampleMethodName.REPLICATION: "the model completes",
}
_GROUPS = {
    SampleMethodName.OVERLAP: ("found on the web or in a corpus", "found by overlap"),
    SampleMethodName.REPLICATION: ("completed exactly or nearly", "completed"),
}


def pair_sentence(pair: FindingPair) -> str:
    """One pair with its counts, its difference, odds and p-value; or why there is none."""
    association = pair.association
    group, short = _GROUPS[pair.group]
    inside, outside = (
        association.both + association.second_only,
        association.first_only + association.neither,
    )
    if not association.n:
        return f"No instance is known both to {pair.finding} and {pair.group}."
    if not inside or not outside:
        which = "none" if not inside else "each"
        return (
            f"Of {association.n:,} instances {which} was {short}, so {pair.finding} and "
            f"{pair.group} "
            "cannot be compared."
        )
    counts = (
        f"{_FINDS[pair.finding]} {association.both:,} of the {inside:,} instances that were "
        f"{group}, and "
        f"{association.first_only:,} of the other {outside:,}"
    )
    counts = counts[0].upper() + counts[1:]
    if pair.p_value is None:
        which = "all" if association.both + association.first_only == association.n else "none"
        return f"{counts}: that is {which}, which shows nothing about an association."
    parts = [counts]
    if (
        association.difference is not None
        and association.low is not None
        and association.high is not None
    ):
        parts[0] += (
            f": {points_words(association.difference, association.low, association.high)} points"
        )
    if (
        association.odds_ratio is not None
        and association.odds_low is not None
        and association.odds_high is not None
    ):
        limits = interval_words(association.odds_low, association.odds_high)
        parts.append(f"odds ratio {two_decimals(association.odds_ratio)} {limits}")
    parts.append(f"Fisher {p_words(pair.p_value)}")
    if pair.p_holm is not None and pair.p_holm != pair.p_value:
        parts.append(f"{p_words(pair.p_holm)} by Holm")
    return f"{', '.join(parts)}."


def agreement_sentence(pairs: Sequence[FindingPair]) -> str:
    """What all pairs together show, by their corrected p-values."""
    tested = [pair for pair in pairs if pair.p_holm is not None]
    called = [pair for pair in tested if pair.p_holm is not None and pair.p_holm <= ALPHA]
    if not tested:
        return "No two methods can be compared instance by instance yet."
    against = [pair for pair in called if (pair.association.difference or 0) < 0]
    along = [pair for pair in called if pair not in against]
    sentences = []
    if along:
        sentences.append(
            "The same instances are found, more often than chance would have it, by "
            f"{_names(along, ' and by ')}."
        )
    if against:
        sentences.append(
            f"{_names(against, ' as well as ').capitalize()} disagree: the one finds what the "
            "other does not."
        )
    if sentences:
        return " ".join(sentences)
    most = max(pair.association.n for pair in tested)
    return (
        f"No two methods are shown to find the same instances. With {most:,} instances that is no "
        "proof that they do not."
    )


def _names(pairs: Sequence[FindingPair], last: str) -> str:
    """``quiz and overlap, replication and overlap and by quiz and replication``."""
    *head, tail = [f"{pair.finding} and {pair.group}" for pair in pairs]
    return f"{', '.join(head)}{last}{tail}" if head else tail
