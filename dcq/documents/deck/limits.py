"""The limits of the findings: questions that they do not answer, and missing runs."""

from __future__ import annotations

from collections.abc import Sequence

from dcq import methods
from dcq.documents.deck.model import Part
from dcq.documents.deck.overlap import Searched
from dcq.evidence.check import MOST_UNUSABLE
from dcq.judging.judged import JudgedResult
from dcq.records import PartitionRole
from dcq.sections import Section
from dcq.store.studies import OVERLAP
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
    of_others: Sequence[JudgedResult],
    searched: Sequence[Searched],
) -> Section:
    """The limits of every study, and what this one lacks; ``scored`` are the results of quizzes,
    ``of_others`` those of all other methods."""
    tested = [finding for finding in scored if finding.evidence.role != PartitionRole.CONTROL]
    alone = sum(finding.deciding is None for finding in tested)
    open_runs = sum(not finding.evidence.finished for finding in (*scored, *of_others))
    silent = sum(finding.evidence.unusable > MOST_UNUSABLE for finding in scored)
    evidence = [finding.evidence for finding in (*scored, *of_others)]
    used = {name for entry in evidence for name in (entry.method, entry.read_by)}
    used |= {OVERLAP} if searched else set()
    missing = [methods.named(name).title.lower() for name in methods.names() if name not in used]
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
