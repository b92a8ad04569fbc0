"""Runs that may end early, at looks planned before their first call."""

from __future__ import annotations

import asyncio
import math
import os
import shutil
import time
from pathlib import Path

import pytest

from dcq import settings
from dcq.asking import launch
from dcq.asking.options import Options, Terms, Watch
from dcq.asking.plan import RunJob, carry_out, plan
from dcq.asking.reuse import reuse_answers
from dcq.asking.task import Ended
from dcq.errors import InputError
from dcq.evidence.check import Mark, Topic
from dcq.evidence.looks import Looks
from dcq.judging import study
from dcq.judging.judged import JudgedResult, Ruling
from dcq.models.endpoints import resolve
from dcq.quiz import freeze, looks, sequential
from dcq.quiz.method import QUIZ
from dcq.quiz.results import quiz_row
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, partitions, quizzes, results, runs, samples
from dcq.store import looks as stored_looks
from dcq.store.connect import utc_now
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support import commands, once
from tests.support.asked import ask
from tests.support.provider import FakeProvider

pytestmark = pytest.mark.slow

N = 40
MODEL = "knows-original"
EARLY = Terms(sequential=True)
EITHER = Terms(sequential=True, stop_for_futility=True)


@pytest.fixture(scope="module")
def with_controls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store with three control partitions, each asked to its end."""

    def fill(store: Store) -> None:
        for number in range(3):
            ask(
                store,
                add(store, f"control-{number}", PartitionRole.CONTROL),
                QuizKind.STANDARD,
                MODEL,
            )

    return once.store(tmp_path_factory, "looks-controls", fill)


@pytest.fixture
def controls(fresh_store: Store, provider: FakeProvider, with_controls: Path) -> list[str]:
    """The runs of these controls, in the store of the test."""
    shutil.copy(with_controls, fresh_store.path)
    return runs.listing(fresh_store)


def add(store: Store, key: str, role: PartitionRole = PartitionRole.TARGET, n: int = N) -> str:
    return samples.save(store, small_sample(n, key=key, role=role))


def quiz_of(store: Store, key: str = "target", kind: QuizKind = QuizKind.STANDARD) -> str:
    return freeze.freeze(
        store, add(store, key), kind, slot="D" if kind is QuizKind.STANDARD else None
    ).quiz


def see(provider: FakeProvider, store: Store, quiz: str) -> None:
    """Let the model know the texts of a quiz."""
    sample = samples.load(store, quizzes.load(store, quiz).sample_id)
    provider.seen = tuple(instance.text.strip() for instance in sample.instances)


async def plan_one(store: Store, quiz: str, terms: Terms, *, resume: bool = False) -> str:
    endpoint = resolve(MODEL, settings.load())
    ((run, _),) = await plan(store, QUIZ, [quiz], [endpoint], terms, resume=resume)
    return run


async def go_on(store: Store, run: str, cancelled: asyncio.Event | None = None) -> Ended:
    job = RunJob(run, resolve(MODEL, settings.load()), QUIZ)
    return await carry_out(store, job, Options(watch=Watch(cancelled=cancelled)))


def verdict_of(store: Store, run: str) -> JudgedResult:
    return next(
        found for found in study.findings(store, every_run=True) if found.evidence.run == run
    )


async def test_a_seen_partition_ends_at_an_early_look_and_counts_as_finished(
    fresh_store: Store, provider: FakeProvider, controls: list[str]
) -> None:
    quiz = quiz_of(fresh_store)
    see(provider, fresh_store, quiz)
    before = provider.counts[MODEL]
    run = await plan_one(fresh_store, quiz, EARLY)
    ended = await go_on(fresh_store, run)
    stands = looks.outcome(fresh_store, run)
    assert stands is not None
    assert (ended.event, ended.detail) == (Event.FINISHED, "at look 1 of 4: seen")
    assert provider.counts[MODEL] - before == stands.n == 12
    assert stands.p_value == stands.overall_p
    found = verdict_of(fresh_store, run)
    assert found.evidence.finished
    assert found.verdict is not None
    assert found.verdict.ruling is Ruling.CONTAMINATED
    (complete,) = [c for c in found.verdict.checks if c.topic is Topic.COMPLETE]
    assert (complete.mark, complete.number) == (Mark.GOOD, "look 1 of 4")
    assert "after 12 of 40 instances" in complete.sentence
    assert found.verdict.p_value == stands.overall_p


async def test_an_unseen_partition_ends_early_for_futility_on_request(
    fresh_store: Store, provider: FakeProvider, controls: list[str]
) -> None:
    quiz = quiz_of(fresh_store, "unseen")
    run = await plan_one(fresh_store, quiz, EITHER)
    ended = await go_on(fresh_store, run)
    stands = looks.outcome(fresh_store, run)
    assert stands is not None
    assert stands.decision is looks.LookDecision.FUTILE
    assert stands.look < stands.of
    assert ended.event is Event.FINISHED
    assert len(results.answers(fresh_store, run)) == stands.n < N
    assert stands.overall_p is not None
    assert stands.overall_p > 0.05
    found = verdict_of(fresh_store, run)
    assert found.evidence.finished
    assert found.verdict is not None
    assert found.verdict.ruling is not Ruling.CONTAMINATED
    run = await plan_one(fresh_store, quiz, EARLY)
    await go_on(fresh_store, run)
    whole = looks.outcome(fresh_store, run)
    assert whole is not None
    assert (whole.look, whole.n, whole.decision) == (4, N, looks.LookDecision.END)


async def test_the_verdict_compares_with_the_controls_of_the_plan(
    fresh_store: Store, provider: FakeProvider, controls: list[str]
) -> None:
    quiz = quiz_of(fresh_store)
    see(provider, fresh_store, quiz)
    run = await plan_one(fresh_store, quiz, EARLY)
    await go_on(fresh_store, run)
    before = verdict_of(fresh_store, run)
    assert {c.run for c in before.controls} == set(controls)
    # A control is asked afterwards, and then one of the plan's changes its role.
    later = add(fresh_store, "later", PartitionRole.CONTROL)
    await asyncio.to_thread(ask, fresh_store, later, QuizKind.STANDARD, MODEL)
    after = verdict_of(fresh_store, run)
    assert [c.row for c in after.controls] == [c.row for c in before.controls]
    assert after.verdict is not None
    assert before.verdict is not None
    assert after.verdict.p_value == before.verdict.p_value
    first = before.controls[0]
    partitions.set_role(fresh_store, first.partition, PartitionRole.TARGET, "ada")
    changed = verdict_of(fresh_store, run)
    assert changed.verdict is not None
    assert changed.verdict.ruling is Ruling.INCONCLUSIVE
    assert any("controls that have changed" in reason for reason in changed.verdict.reasons)


async def test_a_rotated_quiz_is_looked_at_by_instance(
    fresh_store: Store, provider: FakeProvider
) -> None:
    for i in range(3):
        control = add(fresh_store, f"c{i}", PartitionRole.CONTROL, 20)
        await asyncio.to_thread(ask, fresh_store, control, QuizKind.ROTATED, MODEL)
    quiz = quiz_of(fresh_store, "rotated", QuizKind.ROTATED)
    see(provider, fresh_store, quiz)
    run = await plan_one(fresh_store, quiz, EARLY)
    await go_on(fresh_store, run)
    stands = looks.outcome(fresh_store, run)
    assert stands is not None
    assert len(results.answers(fresh_store, run)) == 4 * stands.n < 4 * N
    assert quiz_row(verdict_of(fresh_store, run).evidence).n == stands.n


async def test_the_plan_is_stored_before_the_first_call_and_names_its_controls(
    fresh_store: Store, provider: FakeProvider, controls: list[str]
) -> None:
    before = provider.counts.total()
    run = await plan_one(fresh_store, quiz_of(fresh_store), EITHER)
    assert provider.counts.total() == before
    planned = stored_looks.plans_of(fresh_store, [run])[run]
    assert set(planned.controls) == set(controls)
    assert planned.n == (12, 21, 30, 40)
    assert planned.futility
    assert list(planned.limits) == sorted(planned.limits)
    assert planned.limits[-1] < 0.05


async def test_an_end_at_a_limit_has_an_overall_p_of_at_most_alpha() -> None:
    plan_ = stored_looks.LookPlan((12, 40), (0.004, 0.049), (0.6, 1.0), (), futility=False)
    row = stored_looks.Look(1, 40, 0.049, 0.049, "seen", utc_now())
    overall = looks._stored(plan_, [row]).overall_p
    assert overall == Looks(plan_.n, plan_.limits, plan_.times).overall_p(1, 0.049)
    assert overall is not None
    assert overall > 0.049


async def test_cancelled_between_looks_it_is_unfinished_and_goes_on_where_it_was(
    fresh_store: Store, provider: FakeProvider, controls: list[str]
) -> None:
    quiz = quiz_of(fresh_store)
    see(provider, fresh_store, quiz)
    provider.answers_at_most = provider.counts.total() + 3
    run = await plan_one(fresh_store, quiz, Terms(sequential=True, concurrency=1))
    cancelled = asyncio.Event()
    task = asyncio.create_task(go_on(fresh_store, run, cancelled))
    while not len(results.answers(fresh_store, run)):
        await asyncio.sleep(0.05)
    cancelled.set()
    provider.answers_at_most = math.inf
    ended = await task
    assert ended.event is Event.CANCELLED
    assert "between planned looks" in ended.detail
    found = verdict_of(fresh_store, run)
    assert not found.evidence.finished
    assert found.verdict is not None
    assert found.verdict.ruling is Ruling.INCONCLUSIVE
    assert any("between its planned looks" in reason for reason in found.verdict.reasons)
    assert not stored_looks.looks_of(fresh_store)
    assert (await go_on(fresh_store, run)).detail == "at look 1 of 4: seen"


async def test_the_looks_outlive_a_killed_process(
    fresh_store: Store, provider: FakeProvider, controls: list[str]
) -> None:
    quiz = quiz_of(fresh_store)
    # Past the first look and before the second, so that one is made and three are to come.
    provider.answers_at_most = provider.counts.total() + 15
    words = ["run", quiz, "--model", MODEL, "--sequential", "--concurrency", "2"]
    process = commands.start(words, os.environ | {"DCQ_STORE": str(fresh_store.path)})
    deadline = time.monotonic() + 120
    while not (made := stored_looks.looks_of(fresh_store)):
        assert process.is_alive()
        assert time.monotonic() < deadline
        await asyncio.sleep(0.1)
    process.kill()
    process.join()
    (run,) = made
    before = stored_looks.plans_of(fresh_store, [run]), made[run]
    assert not (await asyncio.to_thread(looks.outcomes, fresh_store))[run].fallen
    assert await plan_one(fresh_store, quiz, EARLY, resume=True) == run
    provider.answers_at_most = math.inf
    await go_on(fresh_store, run)
    assert stored_looks.plans_of(fresh_store, [run]) == before[0]
    after = stored_looks.looks_of(fresh_store, [run])[run]
    assert after[0] == before[1][0]
    assert [look.n for look in after] == [12, 21, 30, 40]


async def test_an_ended_run_asks_nothing_more_when_resumed(
    fresh_store: Store, provider: FakeProvider, controls: list[str]
) -> None:
    quiz = quiz_of(fresh_store)
    see(provider, fresh_store, quiz)
    run = await plan_one(fresh_store, quiz, EARLY)
    await go_on(fresh_store, run)
    asked = provider.counts.total()
    assert await plan_one(fresh_store, quiz, Terms(), resume=True) == run
    ended = await go_on(fresh_store, run)
    assert (ended.event, ended.detail) == (Event.FINISHED, "at look 1 of 4: seen")
    assert provider.counts.total() == asked
    assert runs.load(fresh_store, run).event is Event.FINISHED


async def test_answers_of_earlier_runs_are_not_reused(
    fresh_store: Store, provider: FakeProvider, controls: list[str]
) -> None:
    run = await plan_one(fresh_store, quiz_of(fresh_store), EARLY)
    with pytest.raises(InputError, match="planned looks"):
        reuse_answers(fresh_store, QUIZ, run)


async def test_refusals_end_nothing(
    fresh_store: Store, provider: FakeProvider, controls: list[str]
) -> None:
    """A model that refuses the controls' texts and finds the rest would look contaminated."""
    run = await plan_one(fresh_store, quiz_of(fresh_store), EITHER)
    refusing = resolve("refuses", settings.load())
    await carry_out(fresh_store, RunJob(run, refusing, QUIZ))
    stands = looks.outcome(fresh_store, run)
    assert stands is not None
    assert (stands.look, stands.p_value, stands.overall_p) == (4, None, None)
    assert stands.decision is looks.LookDecision.END


async def test_without_a_finished_control_it_says_to_ask_one(
    fresh_store: Store, provider: FakeProvider
) -> None:
    quiz = quiz_of(fresh_store)
    for terms in (EARLY, EITHER):
        with pytest.raises(
            InputError, match=r"ask knows-original a standard quiz.* at D of a control"
        ):
            await plan_one(fresh_store, quiz, terms)
    control = add(fresh_store, "c", PartitionRole.CONTROL)
    await asyncio.to_thread(ask, fresh_store, control, QuizKind.STANDARD, MODEL, slot="A")
    with pytest.raises(InputError, match="control partition first"):
        await plan_one(fresh_store, quiz, EARLY)
    assert runs.listing(fresh_store) != []
    assert runs.newest_run(fresh_store, "quiz", MODEL, subject=quiz) is None


async def test_what_cannot_be_looked_at_early_is_refused(
    fresh_store: Store, provider: FakeProvider, controls: list[str]
) -> None:
    endpoint = resolve(MODEL, settings.load())
    modified = freeze.freeze(fresh_store, add(fresh_store, "m"), QuizKind.MODIFIED).quiz
    control = quizzes.load(fresh_store, runs.load(fresh_store, controls[0]).plan.subject).id
    few = freeze.freeze(
        fresh_store, add(fresh_store, "few", n=10), QuizKind.STANDARD, slot="D"
    ).quiz
    for quiz, said in (
        (modified, "standard or a rotated"),
        (control, "is a control"),
        (few, "10 instances are too few"),
    ):
        with pytest.raises(InputError, match=said):
            sequential.check(fresh_store, quiz, endpoint)
    with pytest.raises(InputError, match="batch"):
        await plan(fresh_store, QUIZ, [quiz_of(fresh_store)], [endpoint], EARLY, by_batch=True)


async def test_a_run_that_was_begun_gets_no_looks(
    fresh_store: Store, provider: FakeProvider, controls: list[str]
) -> None:
    quiz = quiz_of(fresh_store)
    run = await plan_one(fresh_store, quiz, Terms(limit=3))
    await go_on(fresh_store, run)
    with pytest.raises(InputError, match="begun without planned looks"):
        await plan_one(fresh_store, quiz, EARLY, resume=True)


def test_terms_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(InputError, match="--sequential"):
        Terms(stop_for_futility=True)
    with pytest.raises(InputError, match="whole quiz"):
        Terms(limit=10, sequential=True)


@pytest.mark.usefixtures("forked")
async def test_the_app_starts_such_a_run_too(
    fresh_store: Store,
    provider: FakeProvider,
    controls: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quiz = quiz_of(fresh_store)
    see(provider, fresh_store, quiz)
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    (run,) = await asyncio.to_thread(
        launch.begin, fresh_store, QUIZ, [quiz], [MODEL], Options(EITHER)
    )
    deadline = time.monotonic() + 120
    while runs.load(fresh_store, run).event is not Event.FINISHED:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.2)
    stands = looks.outcome(fresh_store, run)
    assert stands is not None
    assert stands.decision is looks.LookDecision.SEEN
