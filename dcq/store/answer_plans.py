"""The weights of methods in an answer, as fixed before asking. Rows are only added."""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dcq.store.connect import Store, utc_now
from dcq.store.moment import ANSWER_PLANS, until_written_to
from dcq.store.rows import insert_records, parsed, records
from dcq.version import __version__

# The name of a method or of a kind of quiz, which may be a later release's.
_NAME = re.compile("[a-z0-9-]{0,40}")


@dataclass(frozen=True)
class PlannedMethod:
    """A ``method`` that an answer rests on; ``kind`` is that of its quiz, empty for other methods.
    ``weight`` is its share of the error."""

    method: str
    kind: str
    weight: float


@dataclass(frozen=True)
class AnswerPlan:
    """The methods on which an answer about a ``model`` and a ``partition`` (``key/split``) rests,
    fixed at ``made_at`` (UTC) by the release ``version`` of dcq."""

    id: str
    model: str
    partition: str
    methods: tuple[PlannedMethod, ...]
    version: str
    made_at: datetime


def add(store: Store, model: str, partition: str, methods: Sequence[PlannedMethod]) -> AnswerPlan:
    """Store a plan that is fixed now. Raises ValueError where the weights are not shares of one
    error."""
    _check(methods)
    plan = AnswerPlan(
        secrets.token_hex(8), model, partition, tuple(methods), __version__, utc_now()
    )
    with store.write([ANSWER_PLANS]) as db:
        insert_records(db, "answer_plan", [plan], partition_id=partition)
    return plan


def listing(store: Store) -> list[AnswerPlan]:
    """All plans that were made here, the oldest first."""
    with store.read() as db:
        rows = db.execute(
            "SELECT *, partition_id AS partition FROM answer_plan "
            "WHERE id NOT IN (SELECT plan_id FROM imported_plan) ORDER BY made_at, id"
        )
        plans = records(rows, AnswerPlan)
    for plan in plans:
        _check(plan.methods)
    return plans


def newest(store: Store, model: str, partition: str) -> AnswerPlan | None:
    """The plan that was made last for a model and a partition; None where there is none."""
    return _newest(store).get((model, partition))


@until_written_to(ANSWER_PLANS)
def _newest(store: Store) -> Mapping[tuple[str, str], AnswerPlan]:
    return {(plan.model, plan.partition): plan for plan in listing(store)}


def read_methods(text: str) -> tuple[PlannedMethod, ...]:
    """The methods of a stored plan. Raises ValueError or TypeError for anything else."""
    methods: tuple[PlannedMethod, ...] = parsed(tuple[PlannedMethod, ...], text)
    _check(methods)
    return methods


def _check(methods: Sequence[PlannedMethod]) -> None:
    for method in methods:
        names = (method.method, method.kind)
        if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in names):
            raise TypeError("methods and kinds have short names")
        if isinstance(method.weight, bool) or not isinstance(method.weight, int | float):
            raise TypeError("weights are numbers")
    weights = [method.weight for method in methods]
    each_is_share = bool(weights) and all(0 < weight <= 1 for weight in weights)
    if not each_is_share or math.fsum(weights) > 1 + 1e-9:
        raise ValueError("each weight is above 0, and together they are at most 1")
