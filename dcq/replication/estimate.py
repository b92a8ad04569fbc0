"""The requests and the cost of a replication, before anything is stored."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from dcq.asking import cost as asking
from dcq.asking import prepare
from dcq.asking.cost import CostEstimate
from dcq.asking.options import Terms
from dcq.models import prices
from dcq.records import Partition
from dcq.replication.freeze import Cut
from dcq.replication.judge import JUDGES, judge_text
from dcq.replication.method import JUDGE, REPLICATION, ReplicationTask
from dcq.replication.pieces import Pieces
from dcq.replication.prompts import MAX_TOKENS, Instruction, Version, wrong_label


def proposed_task(
    partition: Partition,
    cuts: Sequence[Cut],
    version: Version,
    instructions: Sequence[Instruction],
    seed: int,
) -> ReplicationTask:
    """The completions that a replication of these ``cuts`` would ask for. Raises InputError where
    the wrong-label control is wanted of instances with one label."""
    fit = [(cut.instance.id, cut.outcome) for cut in cuts if isinstance(cut.outcome, Pieces)]
    labels = [pieces.label for _, pieces in fit if pieces.label]
    wrong = tuple(
        wrong_label(pieces.label or "", labels, seed=seed, instance_id=instance_id)
        if Instruction.WRONG_LABEL in instructions
        else None
        for instance_id, pieces in fit
    )
    return ReplicationTask(
        version,
        tuple(instruction for instruction in Instruction if instruction in set(instructions)),
        tuple(pieces for _, pieces in fit),
        wrong,
        partition.title,
        partition.split_title,
    )


def estimate(model: str, task: ReplicationTask, limit: int | None) -> CostEstimate:
    """The estimate for the completions of the first ``limit`` instances (None: all)."""
    count = task.size if limit is None else task.count_first(limit)
    tokens_in, tokens_out = _tokens_in(task, count), count * MAX_TOKENS
    return CostEstimate(count, tokens_in, tokens_out, prices.cost(model, tokens_in, tokens_out))


@lru_cache(maxsize=8)  # the same for every model, and each time that a page is drawn
def _tokens_in(task: ReplicationTask, count: int) -> int:
    return sum(prices.estimate_tokens(task.text(position)) for position in range(count))


def estimate_judge(judge: str, task: ReplicationTask, limit: int | None) -> CostEstimate:
    """The estimate for the judge: at most as many judgements as instances. The references take the
    place of the candidates, which are about as long where a model is right."""
    prompt = JUDGES[task.version]
    texts = (judge_text(prompt, pieces.second, pieces.second) for pieces in task.pieces[:limit])
    return asking.estimate(judge, texts, prompt.max_tokens)


def estimate_judgements(
    judge: str, models: Sequence[str], task: ReplicationTask, limit: int | None
) -> CostEstimate:
    """As ``estimate_judge``, for the completions of all ``models``."""
    estimate, times = estimate_judge(judge, task, limit), len(models)
    cost = None if estimate.cost_usd is None else estimate.cost_usd * times
    return CostEstimate(
        estimate.calls * times, estimate.tokens_in * times, estimate.tokens_out * times, cost
    )


def unready(models: Sequence[str], judge: str, terms: Terms) -> list[str]:
    """Why models, or the judge, cannot be asked on these terms; empty if all can."""
    names = dict.fromkeys([*models, *([judge] if judge else [])])
    return prepare.unready(
        ((REPLICATION if model in models else JUDGE, model) for model in names), terms
    )
