"""An investigation from Python."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dcq import methods as all_methods
from dcq import settings
from dcq.api.choose import choose
from dcq.api.waiting import wait_for
from dcq.asking.options import Options, Terms, Watch
from dcq.errors import DcqError
from dcq.investigation import evidence_order, more_controls, outcome, walk
from dcq.models.endpoints import resolve
from dcq.quiz import choice as choosing
from dcq.records import QuizKind
from dcq.store import Store, samples
from dcq.store.runs import Event
from dcq.store.samples import StoredSample


def investigate(
    store: Store,
    sample: StoredSample | str,
    model: str,
    *,
    controls: Sequence[StoredSample | str] | None = None,
    kind: QuizKind | str = QuizKind.STANDARD,
    methods: Sequence[str] | None = None,
    limit: int | None = None,
    budget: float | None = None,
    resume: bool = False,
) -> dict[str, Any]:
    """Ask all that a verdict on a target needs, on the target and on its controls; returns when it
    is answered.

    ``controls`` are samples; left out, those of the store that fit or, where none does, ten small
    bundled ones, which the writer of the target's rewordings rewords. ``kind`` is ``"standard"`` or
    ``"rotated"``, ``methods`` are further ones such as ``["replication"]`` (left out, all that the
    model allows; empty, none). ``limit`` takes the first so many instances of each sample,
    ``budget`` (USD) is for everything; ``resume`` goes on with the newest of this sample and model.

    Returns what ``investigate --json`` prints for one model: ``sample``, ``model``, ``kind``,
    ``slot``, ``verdict``, ``finding``, ``reasons``, ``others``, ``steps`` and ``answer``.

    Raises:
        InputError: no such sample or model, controls that do not fit or none, or terms that allow
            nothing.
        DcqError: it ended before its last question, for the reason given; what was answered is
            kept, and ``resume=True`` goes on.

    """
    target, endpoint = _id(store, sample), resolve(model, settings.load())
    if controls is None:
        named = more_controls.controls_for(store, target, author=settings.load().author) or None
    else:
        named = [_id(store, control) for control in controls]
    others = (
        evidence_order.usable(store, target, endpoint)
        if methods is None
        else all_methods.check_beside_the_quiz(list(methods) or ["quiz"])
    )
    chosen = choosing.choose(store, target, choose(QuizKind, kind, "kind"), named)
    cancelled = asyncio.Event()
    done = wait_for(
        walk.investigate(
            store,
            replace(chosen, methods=tuple(others)),
            endpoint.name,
            Options(Terms(limit, budget), watch=Watch(cancelled)),
            resume=resume,
        ),
        cancelled,
    )
    if done.ended.event is not Event.FINISHED:
        raise DcqError(done.ended.detail)
    finding = outcome.finding_of(done.record, outcome.all_findings(store))
    answer = evidence_order.answer_of(store, done.record)
    return outcome.document(store, done, finding) | {
        "answer": answer.document() if answer else None
    }


def _id(store: Store, sample: StoredSample | str) -> str:
    return sample.id if isinstance(sample, StoredSample) else samples.find(store, sample)[0]
