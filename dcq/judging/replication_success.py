"""How often each method of a replication decides as people do (Time Travel in LLMs, Table 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dcq.judging.judged import JudgedResult, Ruling
from dcq.replication import cheat
from dcq.replication.evidence import replication_row


def agreement_with_people(
    results: Sequence[JudgedResult],
) -> dict[str, cheat.AgreementCount]:
    """In how many runs each method decides as Algorithm 2 does on the labels that two people share,
    by method. "Inconclusive" counts as not contaminated; "suspicious", on the request for first
    instances, never agrees. Runs that two people have not labelled are left out."""
    by_people: dict[str, bool] = {}
    by_method: dict[str, dict[str, bool]] = {}
    findings: dict[str, cheat.CheatFinding] = {}
    for replication in results:
        run, row = replication.evidence.run, replication_row(replication.evidence)
        if row.people.matches is None or not row.people.matches.n:
            continue
        by_people[run] = row.people.matches.contaminated
        for method, decision in _decisions(replication).items():
            by_method.setdefault(method, {})[run] = decision
        if row.cheat is not None:
            findings[run] = row.cheat
    counts = {method: _agreement(decisions, by_people) for method, decisions in by_method.items()}
    if findings:
        compared = {run: decision for run, decision in by_people.items() if run in findings}
        counts["First instances, strict"] = cheat.strict(findings, compared)
    return counts


def _decisions(replication: JudgedResult) -> dict[str, bool]:
    """Whether each method calls a run contaminated; methods without a result are left out."""
    row, decisions = replication_row(replication.evidence), {}
    guidance, matches = row.measured.guidance, row.measured.matches
    if guidance.p_value is not None:
        decisions["Algorithm 1, ROUGE-L"] = guidance.contaminated
    if row.meaning is not None and row.meaning.guidance.p_value is not None:
        decisions["Algorithm 1, meaning"] = row.meaning.guidance.contaminated
    if matches.n:
        decisions["Algorithm 2"] = matches.contaminated
    if replication.verdict is not None:
        decisions["Verdict, against controls"] = replication.verdict.ruling is Ruling.CONTAMINATED
    return decisions


def _agreement(
    decisions: Mapping[str, bool], by_people: Mapping[str, bool]
) -> cheat.AgreementCount:
    agreed = sum(by_people[run] is decision for run, decision in decisions.items())
    return cheat.AgreementCount(agreed, len(decisions))
