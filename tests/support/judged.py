"""Runs whose answers are known, in a store, and what is found of them there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dcq.evidence.check import Mark, Topic
from dcq.judging.judged import JudgedResult, Ruling
from dcq.judging.study import findings
from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.runs import answer

N = 100
UNSEEN = {"D": 26, "A": 74}
SEEN = {"D": 80, "A": 20}


def put(
    store: Store,
    key: str,
    tally: Mapping[str, int],
    role: PartitionRole = PartitionRole.TARGET,
    *,
    kind: QuizKind = QuizKind.STANDARD,
    slot: str | None = "D",
    n: int = N,
    model: str | None = None,
    **partition: Any,
) -> str:
    """A run with these answers on a partition of its own; returns the run's id."""
    drawn = small_sample(n, key=key, role=role)
    changed = replace(drawn.partition, title=key.title(), **partition)
    sample_id = samples.save(store, replace(drawn, partition=changed))
    quiz = freeze.freeze(store, sample_id, kind, slot=slot).quiz
    return answer(store, quiz, tally) if model is None else answer(store, quiz, tally, model)


_with_controls: dict[str, bytes] = {}  # files of stores, by what is in them


def put_controls(store: Store, count: int = 3, **changes: Any) -> None:
    """Controls that are unseen. What was put into an empty store once is copied after that, with
    its runs' ids."""
    given = repr((count, sorted(changes.items())))
    if samples.listing(store):
        _put_controls(store, count, **changes)
    elif given in _with_controls:
        new = store.path.with_suffix(".new")
        new.write_bytes(_with_controls[given])
        new.replace(store.path)
    else:
        _put_controls(store, count, **changes)
        _with_controls[given] = store.path.read_bytes()


def _put_controls(store: Store, count: int, **changes: Any) -> None:
    for number in range(count):
        put(store, f"unseen-{number}", UNSEEN, PartitionRole.CONTROL, **changes)


def of(store: Store, key: str, *, every_run: bool = False) -> JudgedResult:
    [found] = [
        f
        for f in findings(store, every_run=every_run)
        if f.evidence.partition == f"{key}/test" and f.verdict is not None
    ]
    return found


def mark(finding: JudgedResult, topic: Topic) -> Mark:
    assert finding.verdict is not None
    [check] = [check for check in finding.verdict.checks if check.topic is topic]
    return check.mark


def words(finding: JudgedResult) -> str:
    assert finding.verdict is not None
    return " ".join(finding.verdict.reasons)


def ruling(finding: JudgedResult) -> Ruling:
    assert finding.verdict is not None
    return finding.verdict.ruling
