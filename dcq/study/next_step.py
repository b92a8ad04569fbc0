"""The one command that may settle what is undecided, and the one that leads to a conclusion."""

from __future__ import annotations

import shlex

from dcq import protect
from dcq.evidence.check import Topic
from dcq.investigation.control_sizes import SMALL_CONTROLS
from dcq.judging.answer import Answer, MethodAnswer
from dcq.judging.judged import Ruling
from dcq.partitions import find
from dcq.records import Outcome, PartitionRole
from dcq.store import Store, balancings, runs, samples
from dcq.study import texts
from dcq.variants.placebo_writing import writer_of

_ASKED_AGAIN = {Topic.COMPLETE, Topic.CONTROLS}
_REWORDED = {Topic.LEAK, Topic.WRITER}
_LARGER = 2  # times as many instances


def repair_command(store: Store, answer: Answer) -> str:
    """What to type so that an undecided answer may be decided: it goes on, adds controls, has texts
    reworded, or draws a larger sample. Empty where the answer is decided, or no command helps."""
    results = [method for method in answer.methods if method.run and not method.aside]
    if answer.ruling is not Ruling.INCONCLUSIVE or answer.role != PartitionRole.TARGET:
        return ""
    blocked = [method for method in results if not method.votes and method.failed is not None]
    reason = max(blocked or results, key=lambda method: method.weight, default=None)
    if reason is None or not reason.sample or reason.method == protect.NAME:
        return ""  # only its author's secret can ask more of a protected benchmark
    plan = runs.load(store, reason.run).plan
    again = f"python -m dcq investigate {reason.sample} --model {shlex.quote(plan.model)} --yes"
    if reason.failed in _REWORDED:
        # Where the best of many texts leak, more of one writer's would too.
        is_chosen = balancings.newest(store, reason.sample) is not None
        by_other = reason.failed is Topic.LEAK and is_chosen
        if by_other or writer_of(store, reason.sample) is None:
            again += f" --rewordings {texts.other_writer(store, reason.sample)}"
        return again
    if reason.failed in _ASKED_AGAIN or (reason.failed is Topic.REPLIES and _has_errors(reason)):
        return again
    if reason.failed not in {None, Topic.POWER}:
        return ""
    if reason.judged is None or len(reason.judged.controls) < SMALL_CONTROLS:
        return again
    return _larger(store, reason.sample, plan.model)


def _has_errors(reason: MethodAnswer) -> bool:
    return reason.judged is not None and bool(reason.judged.evidence.outcomes.get(Outcome.ERROR, 0))


def _larger(store: Store, sample_id: str, model: str) -> str:
    """Of a dataset of the catalog, which is read again; a file may not be there any more."""
    partition = samples.partition_of(store, sample_id)
    [drawn] = [listed for listed in samples.listing(store) if listed.id == sample_id]
    if find(partition.key) is None or drawn.n < drawn.requested:
        return ""
    return (
        f"python -m dcq investigate {shlex.quote(partition.key)} --split "
        f"{shlex.quote(partition.split)} --n {_LARGER * drawn.n} "
        f"--model {shlex.quote(model)} --yes"
    )
