"""The outcome of a replication, as JSON for the command line and in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from dcq.asking.chain import ChainOutcome
from dcq.asking.cost import Cost
from dcq.judging.answer import conclusions_by_run, ruling_words
from dcq.judging.answers import answers
from dcq.judging.judged import JudgedResult
from dcq.judging.replication import results
from dcq.replication.evidence import replication_row
from dcq.replication.method import CHEAT
from dcq.replication.pieces import CutBy
from dcq.replication.prompts import Instruction
from dcq.replication.score_table import Addition
from dcq.store import Store, method_runs, run_progress, runs

_FOUND = (
    *("n", "left_out", "cuts", "outcomes", "rouge_l", "meaning", "exact", "near_exact"),
    *("algorithm1", "algorithm2", "verdict", "reasons"),
)


def document(store: Store, asked_outcome: ChainOutcome) -> dict[str, Any]:
    """Shares and scores are fractions; None is what does not apply, or is not known yet. ``n``
    counts instances with both completions. A request for the first instances of a split has
    ``first_instances`` instead, which is what the reply shows."""
    plan = runs.load(store, asked_outcome.run).plan
    progress = run_progress.progress(
        store, [run for run in (asked_outcome.run, asked_outcome.follower) if run]
    )
    costs = [Cost.of(run) for run in progress]
    amounts = [cost.most for cost in costs if cost is not None]
    if plan.method == CHEAT.name:
        answer = method_runs.answers(store, asked_outcome.run).get(0)
        figures: dict[str, Any] = {"first_instances": answer.value if answer else None}
    else:
        result = _result(store, asked_outcome.run)
        figures = result_document(result) if result else dict.fromkeys(_FOUND)
    return {
        "run": asked_outcome.run,
        "judge_run": asked_outcome.follower,
        "sample": plan.sample_id,
        "partition": progress[0].partition,
        "model": plan.model,
        **figures,
        "tokens_in": sum(run.tokens_in for run in progress),
        "tokens_out": sum(run.tokens_out for run in progress),
        "cost_usd": sum(amounts) if len(amounts) == len(costs) else None,
    }


def sentence(store: Store, asked_outcome: ChainOutcome) -> str:
    """The outcome as a sentence for people."""
    plan = runs.load(store, asked_outcome.run).plan
    if plan.method == CHEAT.name:
        answer = method_runs.answers(store, asked_outcome.run).get(0)
        return (
            f"{plan.model}, asked for the first instances: {(answer and answer.value) or 'none'}."
        )
    result = _result(store, asked_outcome.run)
    if result is None:
        return f"{plan.model} has completed nothing yet (run {asked_outcome.run})."
    row = replication_row(result.evidence)
    ruling = ruling_words(result.evidence.run, conclusions_by_run(answers(store)))
    lines = [f"{ruling}{result.sentence} (Run {asked_outcome.run}.)"]
    if row.left_out:
        counts = ", ".join(f"{count} {reason}" for reason, count in row.left_out.items())
        lines.append(f"Instances left out: {counts}.")
    if from_file := row.cuts.get(CutBy.FILE):
        noun = "instance is" if from_file == 1 else "instances are"
        lines.append(f"{from_file:,} {noun} cut as their file has it.")
    if result.verdict is not None:
        lines.append(" ".join(result.verdict.reasons))
    return "\n".join(lines)


def _result(store: Store, run_id: str) -> JudgedResult | None:
    return next(
        (
            replication
            for replication in results(store, every_run=True)
            if replication.evidence.run == run_id
        ),
        None,
    )


def result_document(result: JudgedResult) -> dict[str, Any]:
    """One result as a JSON document, without its cost."""
    row = replication_row(result.evidence)
    overlap, meaning, matches = row.measured.guidance, row.meaning, row.measured.matches
    return {
        "n": overlap.n,
        "left_out": dict(row.left_out),
        "cuts": dict(row.cuts),
        "outcomes": dict(row.outcomes),
        "rouge_l": {
            "general": overlap.general,
            "guided": overlap.guided,
            "p_value": overlap.p_value,
            **{
                str(instruction): mean
                for instruction, mean in row.rouge_l.items()
                if instruction not in {Instruction.GENERAL, Instruction.GUIDED}
            },
            "guided_minus": _added(row.additions),
        },
        "meaning": meaning
        and {
            "score": meaning.called,
            "general": meaning.guidance.general,
            "guided": meaning.guidance.guided,
            "p_value": meaning.guidance.p_value,
            "guided_minus": _added(meaning.additions),
        },
        "exact": matches.exact,
        "near_exact": matches.near_exact if row.judge else None,
        "algorithm1": {
            "rouge_l": None if overlap.p_value is None else overlap.contaminated,
            "meaning": meaning.guidance.contaminated
            if meaning and meaning.guidance.p_value is not None
            else None,
        },
        "algorithm2": matches.contaminated if matches.n else None,
        "verdict": result.verdict.ruling.value if result.verdict else None,
        "reasons": list(result.verdict.reasons) if result.verdict else [],
    }


def _added(additions: Mapping[Instruction, Addition]) -> dict[str, Any]:
    return {str(instruction): asdict(addition) for instruction, addition in additions.items()}
