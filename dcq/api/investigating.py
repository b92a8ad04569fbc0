"""An investigation from Python."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dcq import methods as all_methods
from dcq import settings
from dcq.api.choose import choose
from dcq.api.waiting import wait_for
from dcq.asking.options import Watch
from dcq.asking.task import Ended
from dcq.errors import DcqError
from dcq.investigation import evidence_order, outcome
from dcq.investigation.walk import InvestigationProgress
from dcq.models.endpoints import resolve
from dcq.records import DatasetTask, QuizKind
from dcq.store import Store
from dcq.store.runs import Event
from dcq.store.samples import StoredSample
from dcq.study import engine, targets
from dcq.study.engine import Manner
from dcq.study.repairs import with_repairs
from dcq.study.spec import (
    ControlSource,
    ControlSpec,
    ModelSpec,
    RewordingSpec,
    StudySpec,
    TargetSpec,
)


def investigate(
    store: Store,
    sample: StoredSample | Path | str,
    model: str,
    *,
    rewordings: str | None = None,
    split: str = "test",
    n: int = 100,
    seed: int = 0,
    text: str | None = None,
    label: str | None = None,
    template: str | None = None,
    name: str | None = None,
    task: DatasetTask | str | None = None,
    language: str | None = None,
    controls: Sequence[StoredSample | str] | None = None,
    kind: QuizKind | str = QuizKind.STANDARD,
    methods: Sequence[str] | None = None,
    limit: int | None = None,
    budget: float | None = None,
    resume: bool = False,
) -> dict[str, Any]:
    """Ask all that a conclusion on a benchmark needs, on the target and on its controls; returns
    when it is answered. Called again, it goes on, and asks nothing that was asked.

    ``sample`` is a sample or its id, the path of a file, a key of the catalog, or ``OWNER/NAME`` on
    the Hub. Of a sample nothing is drawn; of the others ``split``, ``n``, ``seed``, ``text``,
    ``label``, ``template``, ``task`` and ``language`` are as for ``draw_sample``, columns with
    usual names are found, and ``name`` is what models know a file by.
    ``rewordings`` is the model that writes them, or ``"offline"``; left out, those that are there
    stay, and the offline generator writes others. ``controls`` are samples; left out, those of the
    store that fit and small bundled ones up to ten, reworded by the writer of the target's.
    ``kind`` is ``"standard"`` or ``"rotated"``, ``methods`` are further ones such as
    ``["replication"]`` (left out, all that the model allows; empty, none). ``limit`` takes the
    first so many instances of each sample, ``budget`` (USD) is for everything; ``resume`` goes on
    with the newest of this sample and model, as it was chosen.

    Returns what ``investigate --json`` prints for one model: ``sample``, ``model``, ``kind``,
    ``slot``, ``verdict``, ``finding``, ``reasons``, ``others``, ``steps`` and ``answer``.

    Raises:
        InputError: no such benchmark or model, controls that do not fit or none, terms that allow
            nothing, or no conclusion is possible.
        DcqError: it ended before its last question, for the reason given; what was answered is
            kept, and the same call goes on.

    """
    if isinstance(sample, StoredSample):
        target = TargetSpec("", sample=sample.id)
    else:
        target = targets.read_target(store, str(sample), name)
    if not target.sample:
        target = replace(
            target,
            split=split,
            n=n,
            seed=seed,
            text=text,
            label=label,
            template=template,
            language=language,
            task=None if task is None else choose(DatasetTask, task, "task"),
        )
    spec = StudySpec(
        "",
        (target,),
        (ModelSpec(model),),
        RewordingSpec(rewordings or ""),
        _controls(controls),
        kind=choose(QuizKind, kind, "kind"),
        budget=budget,
    )
    named = None if methods is None else list(methods) or ["quiz"]
    manner = Manner(
        None if named is None else all_methods.check_beside_the_quiz(named),
        limit,
        resume=resume,
        author=settings.load().author,
    )
    cancelled = asyncio.Event()
    done = wait_for(_bring_about(store, spec, manner, Watch(cancelled)), cancelled)
    ended = done if isinstance(done, Ended) else done.ended
    if isinstance(done, Ended) or ended.event is not Event.FINISHED:
        raise DcqError(ended.detail)
    finding = outcome.finding_of(done.record, outcome.all_findings(store))
    answer = evidence_order.answer_of(store, done.record)
    return outcome.document(store, done, finding) | {
        "answer": with_repairs(store, [answer])[0] if answer else None
    }


async def _bring_about(
    store: Store, spec: StudySpec, manner: Manner, watch: Watch
) -> InvestigationProgress | Ended:
    drawn, endpoint = engine.draw(store, spec), resolve(spec.models[0].name, settings.load())
    if not spec.targets[0].sample:
        engine.check_models(spec)
        engine.check_possible(engine.plan(store, spec, drawn, manner))
    kept = engine.keep(store, drawn, spec, author=manner.author)
    if spec.targets[0].sample and not spec.rewordings.model:
        manner = replace(manner, as_worded=engine.has_questions(store, kept[0].sample))
    purse = engine.purse_of(store, spec, kept)
    choice = await engine.prepare_target(store, spec, kept[0], manner, watch, purse)
    if isinstance(choice, Ended):
        return choice
    done = await engine.ask(store, spec, choice, endpoint, manner, watch, purse)
    engine.settle(purse, watch)
    return done


def _controls(named: Sequence[StoredSample | str] | None) -> ControlSpec:
    if named is None:
        return ControlSpec()
    ids = tuple(each.id if isinstance(each, StoredSample) else each for each in named)
    return ControlSpec(ControlSource.OWN, len(ids), samples=ids)
