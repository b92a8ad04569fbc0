"""A store with something of everything that a verdict can rest on, made by the real functions."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from dcq.asking import prepare
from dcq.models.endpoints import resolve
from dcq.quiz import freeze, people
from dcq.quiz.method import QUIZ
from dcq.records import LETTERS, PartitionRole, QuizKind
from dcq.replication.replicate import Design, replicate
from dcq.settings import load
from dcq.store import (
    Store,
    answer_plans,
    looks,
    overlap_hits,
    overlaps,
    partitions,
    reviews,
    rewordings,
    runs,
    samples,
    sets,
    sittings,
    studies,
    undo,
    variants,
)
from dcq.store import replications as store_replications
from dcq.store.answer_plans import PlannedMethod
from dcq.store.answers import add_answers
from dcq.store.connect import utc_now
from dcq.store.looks import Look, LookPlan
from dcq.store.overlap_hits import StoredHit
from dcq.store.overlaps import OverlapDesign, StoredQuery, StoredRequest
from dcq.store.rewordings import OpenSlot, RewordingRequest
from dcq.store.runs import Event, Plan
from dcq.store.studies import Study
from dcq.store.variants import Decision, NewVariant
from dcq.variants.sets import new_set
from tests.conftest import small_sample
from tests.support import once, replications, scanned
from tests.support.runs import NOBODY, _answer, answer, answer_each

N = 100
OTHER = "other@http://127.0.0.1:9/v1"  # a model outside the study
NARROW = Study("Rivers", partitions=("rivers/test",), models=(NOBODY,), controls=("unseen-0/test",))


def filled(factory: pytest.TempPathFactory) -> Path:
    """The file of a store that was filled, for reading and copying; all workers share one."""
    return once.store(factory, "studied", lambda store: fill(store, store.path.parent / "corpus"))


def fill(store: Store, folder: Path) -> None:
    """Fill a store; a provider must be set as the endpoint for plain model names."""
    unseen = [_draw(store, f"unseen-{number}", PartitionRole.CONTROL) for number in range(3)]
    control_runs = [
        _standard(store, sample, right=24 + place) for place, sample in enumerate(unseen)
    ]
    rivers, lakes = _draw(store, "rivers"), _draw(store, "lakes")
    for sample, right in ((rivers, 80), (lakes, 90)):
        answer(
            store, _freeze(store, sample, QuizKind.MODIFIED), {"A": 30, "B": 30, "C": 25, "D": 15}
        )
        _standard(store, sample, right=right)
        _standard(store, sample, right=26, model=OTHER)
    _rotated(store, rivers)
    _protocol2(store, rivers)
    _reworded(store, rivers)
    _looked(store, lakes, control_runs)
    partitions.set_role(store, "lakes/test", PartitionRole.POSITIVE, "Ada")
    partitions.set_role(store, "lakes/test", PartitionRole.TARGET, "Ben")
    brooks, _ = replications.save(store, 12)
    done = asyncio.run(replicate(store, brooks, "recites", Design(judge="judges")))
    store_replications.add(store, done.run, 0, "Ada", "exact")
    store_replications.add(store, done.run, 1, "Ada", "inexact")
    store_replications.move(
        store, brooks, samples.load(store, brooks).instances[0].id, 7, 20, "Ada"
    )
    leads = scanned.save(store, 8)
    scanned.scan(store, leads, folder, [0, 2], [3])
    _searched(store, leads)
    taken = people.begin_sitting(store, rivers, "Eve", 4)
    for position in range(4):
        sittings.answer(store, taken, position, "ABCD"[position])
    studies.save(store, NARROW)
    partition = samples.load(store, rivers).partition.id
    answer_plans.add(store, NOBODY, partition, [PlannedMethod("quiz", "standard", 1.0)])


def _draw(store: Store, key: str, role: PartitionRole = PartitionRole.TARGET) -> str:
    return samples.save(store, small_sample(N, key=key, role=role))


def _freeze(store: Store, sample: str, kind: QuizKind, slot: str | None = None) -> str:
    return freeze.freeze(store, sample, kind, slot=slot).quiz


def _standard(store: Store, sample: str, *, right: int, model: str = NOBODY) -> str:
    quiz = _freeze(store, sample, QuizKind.STANDARD, "D")
    run = answer(store, quiz, {"D": right, "A": N - right - 2, "refused": 1, "error": 1}, model)
    runs.note(store, run, Event.FINISHED)
    return run


def _rotated(store: Store, sample: str) -> None:
    letters = [LETTERS[(place + place // 7) % 4] for place in range(4 * N)]
    answer_each(store, _freeze(store, sample, QuizKind.ROTATED), letters)


def _protocol2(store: Store, sample: str) -> None:
    answer(store, _freeze(store, sample, QuizKind.BDQ), {"A": 50, "B": 5, "C": 25, "E": 20})
    answer(store, _freeze(store, sample, QuizKind.BCQ, "B"), {"B": 60, "A": 30, "E": 10})


def _reworded(store: Store, sample: str) -> None:
    """Decisions, and a second set of variants that a person lets stand."""
    seen = [slots[0] for slots in variants.current(store, sample).values()][:3]
    reviews.decide(store, sample, seen, Decision.ACCEPTED, "Ada")
    undo.undo(store, sample, "Ada", 10)
    made = new_set(store, sample, "deep")
    new = [
        NewVariant(instance, slot, one.text.replace("long", "deep"), one.origin, "Ada")
        for instance, slots in variants.current(store, sample).items()
        for slot, one in slots.items()
    ]
    variants.add(store, made, new)
    _standard(store, made, right=50)
    sets.choose_counting_set(store, made, author="Ada")

    first = next(iter(variants.current(store, sample).values()))
    asked = [
        OpenSlot(one.instance_id, slot, (one.seq, one.review)) for slot, one in first.items()
    ] + [OpenSlot(first[0].instance_id, 5, None)]
    requests = [RewordingRequest(first[0].instance_id, "perturb/v1", 4, "a text")]
    rewording = rewordings.save(
        store, sample, asked, requests, protocol="perturb/v1", seed=3, author="Ada"
    )
    run = runs.create(store, _plan(rewording, sample, "rewording", "writer"))
    add_answers(store, run, [_answer(0, "A")])
    late = NewVariant(first[0].instance_id, 0, "reworded", "model:writer", rewording_id=rewording)
    variants.add(store, sample, [late])


def _plan(subject: str, sample: str, method: str, model: str) -> Plan:
    money = (None, None, None, None)
    return Plan(
        subject, sample, model, "", f"{method}/v1", "", 0.0, 0, 1, 1, *money, "0", method=method
    )


def _searched(store: Store, sample: str) -> None:
    """A search of one query, found on a page that an archive has."""
    texts = samples.load(store, sample).instances
    meteor = ("paper", 1.0, 3.0, 0.5, 0.0, None, 0.75)
    asked = OverlapDesign(
        sample, "search", "brave", date(2023, 1, 1), date(2023, 12, 31), "en", "common-crawl",
        0.005, (), {}, *meteor, "words", "Ada",
    )  # fmt: skip
    queries = [StoredQuery(one.id, one.text, one.text, "", "") for one in texts]
    made = overlaps.save(store, asked, queries, requests=[StoredRequest(0, False, texts[0].text)])
    run = runs.create(store, _plan(made, sample, "search", "brave"))
    page = "https://a.org/"
    hit = StoredHit(0, page, None, None, None, texts[0].text, ((0, 4),), 0.9, None)
    overlap_hits.add_judged(store, made, {0: 0.9}, [hit, hit])
    overlap_hits.add_to_look_up(store, run, [page])
    add_answers(store, run, [_answer(0, "A")])
    crawl = runs.create(store, _plan(run, sample, "crawl", "common-crawl"))
    add_answers(store, crawl, [replace(_answer(0, "A"), value="yes")])


def _looked(store: Store, sample: str, controls: list[str]) -> None:
    """A run that ended at the first of two looks."""
    quiz = _freeze(store, sample, QuizKind.STANDARD, "C")
    run = prepare.plan_run(store, QUIZ, quiz, resolve(NOBODY, load()))
    looks.save_plan(
        store, run, LookPlan((50, 100), (0.02, 0.04), (0.5, 1.0), tuple(controls), False)
    )
    add_answers(store, run, [_answer(place, "C") for place in range(50)])
    looks.add(store, run, Look(0, 50, 0.001, 0.02, "seen", utc_now()))
