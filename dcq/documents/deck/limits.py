"""The limits of the findings: questions that they do not answer, and missing runs."""

from __future__ import annotations

from collections.abc import Sequence

from dcq import methods
from dcq.documents.deck.model import Part
from dcq.documents.deck.overlap import Searched
from dcq.evidence.check import MOST_UNUSABLE
from dcq.judging.judged import JudgedResult
from dcq.judging.replication import ReplicationResult
from dcq.records import PartitionRole
from dcq.sections import Section
from dcq.store.studies import OVERLAP, QUIZ, REPLICATION
from dcq.words import listed, percent

ALWAYS = (
    "Contaminated means that a text was probably seen, not how: it may come from the benchmark, "
    "from its source, or from a quotation of either.",
    "Recognising a text and doing better because of it are two things: these numbers do not say "
    "that benchmark results are inflated.",
    "No evidence does not mean unseen: training can leave no trace that such questions reveal.",
    "The numbers hold for a partition as a whole; a right answer to one question has a chance of "
    "one in four by guessing.",
)


def section(
    scored: Sequence[JudgedResult],
    replicated: Sequence[ReplicationResult],
    searched: Sequence[Searched],
    other_results: Sequence[JudgedResult],
) -> Section:
    """The limits of every study, and what this one lacks; ``other_results`` are those of methods
    that have no section of their own."""
    tested = [finding for finding in scored if finding.evidence.role != PartitionRole.CONTROL]
    alone = sum(finding.deciding is None for finding in tested)
    open_runs = sum(not finding.evidence.finished for finding in scored)
    open_runs += sum(not finding.finished for finding in replicated)
    silent = sum(finding.evidence.unusable > MOST_UNUSABLE for finding in scored)
    open_runs += sum(not finding.evidence.finished for finding in other_results)
    used = {
        finding.evidence.method for finding in (*other_results, *(finding for finding in scored))
    }
    by_name = {QUIZ: scored, REPLICATION: replicated, OVERLAP: searched}
    missing = [
        methods.named(name).title.lower()
        for name in methods.names()
        if not by_name.get(name) and name not in used
    ]
    gaps = [
        (alone, f"{_results(alone)} on tested text without a control to compare with."),
        (open_runs, f"Runs that are not finished: {open_runs:,}; their numbers may still change."),
        (
            silent,
            f"{_results(silent)} with more than {percent(MOST_UNUSABLE)} of the replies unusable.",
        ),
        (len(missing), f"Not used in this study: {listed(missing)}."),
    ]
    return Section(
        Part.LIMITS,
        "What this does not show",
        (*ALWAYS, *(sentence for count, sentence in gaps if count)),
    )


def _results(count: int) -> str:
    return "There is 1 result" if count == 1 else f"There are {count:,} results"
