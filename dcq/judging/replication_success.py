"""How often each method of a replication decides as people do (Time Travel in LLMs, Table 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dcq.judging.replication import ReplicationResult
from dcq.judging.verdict import Ruling
from dcq.replication import cheat


@dataclass(frozen=True)
class Success:
    """In how many of ``settings`` (a model on a partition) a method decides as people do."""

    method: str
    success: int
    settings: int


def against_people(results: Sequence[ReplicationResult]) -> list[Success]:
    """The success of each method over the settings that two people have labelled: how often it says
    contaminated, or not, as Algorithm 2 does on the labels that both give. "Inconclusive" counts as
    not contaminated."""
    people: dict[str, bool] = {}
    decisions: dict[str, dict[str, bool]] = {}
    first: dict[str, cheat.CheatFinding] = {}
    for replication in results:
        if replication.people.matches is None or not replication.people.matches.n:
            continue
        people[replication.run] = replication.people.matches.contaminated
        for method, decision in _decisions(replication).items():
            decisions.setdefault(method, {})[replication.run] = decision
        if replication.cheat is not None:
            first[replication.run] = replication.cheat
    successes = [_count(method, decided, people) for method, decided in decisions.items()]
    if first:
        asked = {run: seen for run, seen in people.items() if run in first}
        strict = cheat.strict(first, asked)
        successes.append(Success("First instances, strict", strict.success, strict.settings))
    return successes


def _decisions(replication: ReplicationResult) -> dict[str, bool]:
    decided = {}
    if replication.guidance.p_value is not None:
        decided["Algorithm 1, ROUGE-L"] = replication.guidance.contaminated
    if replication.meaning is not None and replication.meaning.guidance.p_value is not None:
        decided["Algorithm 1, meaning"] = replication.meaning.guidance.contaminated
    if replication.matches.n:
        decided["Algorithm 2"] = replication.matches.contaminated
    if replication.verdict is not None:
        decided["Verdict, against controls"] = replication.verdict.ruling is Ruling.CONTAMINATED
    return decided


def _count(method: str, decided: Mapping[str, bool], people: Mapping[str, bool]) -> Success:
    agreeing = sum(people[run] is decision for run, decision in decided.items())
    return Success(method, agreeing, len(decided))
