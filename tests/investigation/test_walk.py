"""An investigation: the modified quiz, each model's own slot, then the target and its controls."""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from dcq.asking import launch
from dcq.asking.options import NO_TERMS, Options, Terms, Watch
from dcq.errors import InputError
from dcq.investigation import evidence_order, state, walk
from dcq.investigation.outcome import all_findings, finding_of, other_results
from dcq.investigation.price import needs
from dcq.investigation.walk import EXCLUSIVE, InvestigationProgress
from dcq.judging.answers import answers
from dcq.judging.judged import Ruling
from dcq.quiz import choice as choosing
from dcq.quiz import freeze
from dcq.quiz.choice import QuizChoice
from dcq.quiz.method import QUIZ
from dcq.records import PartitionRole, QuizKind
from dcq.replication.method import EXCLUSIVE as REPLICATING
from dcq.replication.replicate import Design, replicate
from dcq.store import Store, choices, investigations, results, run_progress, runs, samples
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support import commands
from tests.support.asked import ask as ask_one
from tests.support.behaviours import MODELS, ChatRequest, FakeReply, ServerState
from tests.support.investigated import CONTROLS, save_target
from tests.support.provider import FakeProvider

pytestmark = pytest.mark.slow

N = 16  # enough for a verdict
FEW = 6
QUIZZES = 3  # the modified one, the target's and its control's


@pytest.fixture
def target(fresh_store: Store, provider: FakeProvider) -> str:
    """A target, all of which the provider has seen, with a control that it has not."""
    return save_target(fresh_store, provider, FEW, CONTROLS[:1])


def investigate(
    store: Store,
    sample_id: str,
    model: str,
    terms: Terms = NO_TERMS,
    *,
    kind: QuizKind = QuizKind.STANDARD,
    resume: bool = False,
) -> InvestigationProgress:
    chosen = choosing.choose(store, sample_id, kind)
    return asyncio.run(walk.investigate(store, chosen, model, Options(terms), resume=resume))


def ruling(store: Store, whole: InvestigationProgress) -> Ruling | None:
    finding = finding_of(whole.record, all_findings(store))
    assert finding is not None
    return finding.verdict.ruling if finding.verdict else None


def spent_usd(store: Store) -> float:
    usd = 0.0
    for run in run_progress.progress(store, runs.listing(store)):
        assert run.price_in is not None
        assert run.price_out is not None
        usd += (run.tokens_in * run.price_in + run.tokens_out * run.price_out) / 1e6 + run.lost_usd
    return usd


@pytest.mark.parametrize("kind", [QuizKind.STANDARD, QuizKind.ROTATED])
def test_a_model_that_recalls_is_contaminated_and_one_that_guesses_is_not(
    fresh_store: Store, provider: FakeProvider, kind: QuizKind
) -> None:
    target = save_target(fresh_store, provider, N, CONTROLS)
    calls = N * (4 if kind is QuizKind.STANDARD else 1 + 3 * 4)
    recalls = investigate(fresh_store, target, "knows-original", kind=kind)
    guesses = investigate(fresh_store, target, "guess", kind=kind)
    assert recalls.ended.event is guesses.ended.event is Event.FINISHED
    assert ruling(fresh_store, recalls) is Ruling.CONTAMINATED
    assert ruling(fresh_store, guesses) is not Ruling.CONTAMINATED
    assert provider.counts == {"knows-original": calls, "guess": calls}
    for whole in (recalls, guesses):
        assert [step.kind for step in whole.steps] == [QuizKind.MODIFIED, kind, kind, kind]
        assert not any(step.reused for step in whole.steps)
        bare = whole.steps[0].run
        assert bare is not None
        chosen = Counter(choices.calls(fresh_store, [bare])["letter"])
        least = max("ABCD", key=lambda letter: (-chosen[letter], letter))
        assert whole.slot == (least if kind is QuizKind.STANDARD else None)


def test_what_has_its_answers_is_taken_in_and_costs_nothing(
    fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    first = investigate(fresh_store, target, "guess")
    other = samples.save(fresh_store, small_sample(FEW, key="seas"))
    chosen = choosing.choose(fresh_store, other)
    before = provider.counts["guess"]
    asked_as_told = sum(need.calls for need in needs(fresh_store, chosen, ["guess"], NO_TERMS))
    assert asked_as_told == QUIZZES * FEW  # the slot is not known yet
    second = investigate(fresh_store, other, "guess")
    same = second.slot == first.slot
    assert provider.counts["guess"] - before == (2 if same else QUIZZES) * FEW
    again = investigate(fresh_store, target, "guess")
    assert provider.counts["guess"] - before == (2 if same else QUIZZES) * FEW
    assert again.record.id != first.record.id
    assert [step.run for step in again.steps] == [step.run for step in first.steps]
    assert all(step.reused for step in again.steps)
    known = needs(fresh_store, choosing.choose(fresh_store, target), ["guess"], NO_TERMS)
    assert [(need.calls, need.had) for need in known] == [(0, FEW)] * QUIZZES
    assert {need.slot for need in known[1:]} == {first.slot}


def test_the_cost_is_known_before_and_is_what_is_asked(
    fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    ask_one(fresh_store, target, QuizKind.MODIFIED, "always-a")
    before = provider.counts["always-a"]
    chosen = choosing.choose(fresh_store, target)
    told = needs(fresh_store, chosen, ["always-a", "guess"], Terms(limit=4))
    assert [(need.slot, need.calls) for need in told[:QUIZZES]] == [
        (None, 0), ("D", 4), ("D", 4),
    ]  # fmt: skip
    assert [(need.slot, need.calls) for need in told[QUIZZES:]] == [(None, 4)] * QUIZZES
    whole = investigate(fresh_store, target, "always-a", Terms(limit=4))
    assert whole.slot == "D"
    assert whole.steps[0].reused
    assert provider.counts["always-a"] - before == 8


@pytest.mark.parametrize("stage", [QuizKind.MODIFIED, QuizKind.STANDARD])
def test_a_killed_process_is_followed_by_one_that_asks_nothing_twice(
    fresh_store: Store, target: str, provider: FakeProvider, stage: QuizKind
) -> None:
    provider.answers_at_most = 3 if stage is QuizKind.MODIFIED else FEW + 3
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    words = ["investigate", target, "--model", "guess", "--methods", "quiz"]
    worker = commands.start(words, environment)
    deadline = time.monotonic() + 120
    while (
        run := runs.newest_run(fresh_store, "quiz", "guess", sample_id=target, kind=stage)
    ) is None or results.answers(fresh_store, run).empty:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert EXCLUSIVE.under_way(fresh_store, target, "guess")
    with pytest.raises(InputError, match="already"):
        investigate(fresh_store, target, "guess")
    worker.kill()
    worker.join()
    assert not EXCLUSIVE.under_way(fresh_store, target, "guess")
    provider.answers_at_most = math.inf
    stored = sum(len(results.answers(fresh_store, one)) for one in runs.listing(fresh_store))
    before = provider.counts["guess"]
    broken_off = investigations.newest(fresh_store, target, "guess")
    assert broken_off is not None
    assert not state.is_done(fresh_store, broken_off)
    chosen = choosing.choose(fresh_store, target)
    told = sum(need.calls for need in needs(fresh_store, chosen, ["guess"], NO_TERMS))
    whole = investigate(fresh_store, target, "guess", resume=True)
    assert whole.record.id == broken_off.id
    assert state.is_done(fresh_store, whole.record)
    assert provider.counts["guess"] - before == QUIZZES * FEW - stored == told
    assert len(runs.listing(fresh_store)) == QUIZZES


def test_the_budget_is_for_all_steps_together_and_not_for_what_was_there(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target = save_target(fresh_store, provider, N, CONTROLS[:1])
    ask_one(fresh_store, target, QuizKind.MODIFIED, "gpt-4o-mini")
    had = spent_usd(fresh_store)
    budget = 1.5 * had  # for two quizzes, each about as dear as the first
    short = investigate(fresh_store, target, "gpt-4o-mini", Terms(budget_usd=budget))
    assert short.ended.event is Event.STOPPED
    assert "budget" in short.ended.detail
    assert had < spent_usd(fresh_store) - had <= budget
    same = investigate(fresh_store, target, "gpt-4o-mini", resume=True)
    assert same.ended.event is Event.STOPPED  # the first budget goes on
    assert spent_usd(fresh_store) - had <= budget
    more = investigate(fresh_store, target, "gpt-4o-mini", Terms(budget_usd=1), resume=True)
    assert more.ended.event is Event.FINISHED
    assert more.record.id == short.record.id
    assert provider.counts["gpt-4o-mini"] == QUIZZES * N


def test_a_pilot_goes_on_to_all_of_it(
    fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    pilot = investigate(fresh_store, target, "always-a", Terms(limit=3))
    assert provider.counts["always-a"] == QUIZZES * 3
    same = investigate(fresh_store, target, "always-a", resume=True)
    assert provider.counts["always-a"] == QUIZZES * 3  # as chosen
    whole = investigate(fresh_store, target, "always-a")
    assert provider.counts["always-a"] == QUIZZES * FEW
    assert [one.run for one in whole.steps] == [one.run for one in pilot.steps]
    assert same.record.id == pilot.record.id != whole.record.id


def test_a_model_that_refuses_everything_is_asked_one_quiz(
    fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    whole = investigate(fresh_store, target, "refuses")
    assert whole.ended.event is Event.STOPPED
    assert "no usable answer" in whole.ended.detail
    assert provider.counts["refuses"] == FEW
    assert (whole.slot, [bool(step.run) for step in whole.steps]) == (None, [True] + [False] * 2)


def test_changed_variants_leave_what_was_begun_as_it_is(
    fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    short = investigate(fresh_store, target, "gpt-4o-mini", Terms(limit=5, budget_usd=1e-5))
    assert short.ended.event is Event.STOPPED
    begun = short.steps[0].run
    samples.save(fresh_store, small_sample(FEW, key="brooks", role=PartitionRole.CONTROL))
    more = investigate(fresh_store, target, "gpt-4o-mini", Terms(budget_usd=1), resume=True)
    assert more.ended.event is Event.FINISHED
    assert more.steps[0].run == begun
    assert len(more.steps) == QUIZZES  # not the control that was drawn since


def test_what_cannot_be_investigated_is_refused_before_anything_is_asked(
    fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    lakes = choosing.choose(fresh_store, target).controls[0]
    foreign = small_sample(FEW, key="rios", role=PartitionRole.CONTROL)
    foreign = replace(foreign, partition=replace(foreign.partition, language="es"))
    spanish = samples.save(fresh_store, foreign)
    bare = samples.save(fresh_store, replace(small_sample(FEW, key="seas"), variants={}))
    silent = samples.save(
        fresh_store, replace(small_sample(FEW, key="bays", role=PartitionRole.CONTROL), variants={})
    )
    assert spanish not in choosing.choose(fresh_store, target).controls
    assert silent not in choosing.choose(fresh_store, target).controls
    with pytest.raises(InputError, match="classification in es"):
        choosing.choose(fresh_store, target, named=[spanish])
    with pytest.raises(InputError, match="is no control"):
        choosing.choose(fresh_store, target, named=[bare])
    with pytest.raises(InputError, match="is a control"):
        choosing.choose(fresh_store, lakes)
    with pytest.raises(InputError, match="There is no control"):
        choosing.choose(fresh_store, target, named=[])
    with pytest.raises(InputError, match="standard or rotated"):
        choosing.choose(fresh_store, target, QuizKind.BDQ)
    with pytest.raises(InputError, match="modified quiz: No question can be built"):
        investigate(fresh_store, bare, "guess")
    chosen = choosing.choose(fresh_store, target, named=[lakes, silent])
    with pytest.raises(InputError, match="standard quiz: No question can be built"):
        asyncio.run(walk.investigate(fresh_store, chosen, "guess"))
    with pytest.raises(InputError, match="price"):
        investigate(fresh_store, target, "guess", Terms(budget_usd=1))
    assert runs.listing(fresh_store) == []
    assert investigations.listing(fresh_store) == []


@pytest.mark.usefixtures("forked")
def test_it_starts_as_a_process_of_its_own_and_once(
    fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    provider.answers_at_most = 0
    chosen = choosing.choose(fresh_store, target)
    begun = walk.begin(fresh_store, chosen, ["always-a", "guess"], Terms(limit=3))
    assert [one.model for one in begun] == ["always-a", "guess"]
    assert EXCLUSIVE.under_way(
        fresh_store, target, "always-a"
    )  # at once, before the process has come
    assert len(runs.listing(fresh_store)) == 2
    with pytest.raises(InputError, match="already"):
        walk.begin(fresh_store, chosen, ["guess"], Terms(limit=3))
    provider.answers_at_most = math.inf
    _wait(fresh_store)
    assert provider.counts == dict.fromkeys(("always-a", "guess"), QUIZZES * 3)
    assert all(state.is_done(fresh_store, one) for one in _loaded(fresh_store, begun))
    again = walk.begin(fresh_store, chosen, ["always-a"], Terms(limit=3))
    assert not EXCLUSIVE.any_under_way(fresh_store)  # nothing is left to ask
    assert state.is_done(fresh_store, again[0])
    walk.begin(fresh_store, chosen, ["always-a"])
    _wait(fresh_store)
    assert provider.counts["always-a"] == QUIZZES * FEW


@pytest.mark.usefixtures("forked")
def test_a_quiz_that_another_process_asks_is_waited_for(
    fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    quiz = freeze.freeze(fresh_store, target, QuizKind.MODIFIED).quiz
    provider.answers_at_most = 0
    [run] = launch.begin(fresh_store, QUIZ, [quiz], ["guess"])
    chosen = choosing.choose(fresh_store, target)
    with pytest.raises(InputError, match=run):
        walk.begin(fresh_store, chosen, ["guess"])
    assert not EXCLUSIVE.under_way(fresh_store, target, "guess")
    provider.answers_at_most = 10**6


def _loaded(
    store: Store, records: list[investigations.Investigation]
) -> list[investigations.Investigation]:
    return [investigations.load(store, one.id) for one in records]


def _wait(store: Store) -> None:
    deadline = time.monotonic() + 120
    while EXCLUSIVE.any_under_way(store):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_one_sample_of_each_control_is_usual(fresh_store: Store, target: str) -> None:
    samples.save(fresh_store, small_sample(FEW, key=CONTROLS[1], role=PartitionRole.CONTROL))
    usual = set(choosing.choose(fresh_store, target).controls)
    fewer = samples.save(fresh_store, small_sample(3, key="lakes", role=PartitionRole.CONTROL))
    now = choosing.choose(fresh_store, target)
    assert fewer in now.controls
    assert len(now.controls) == 2
    assert len(usual & set(now.controls)) == 1
    assert isinstance(now, QuizChoice)


async def recite_or_pick(call: ChatRequest, server: ServerState) -> FakeReply | Any:
    """Completes what it has seen, and knows the originals of quizzes on it."""
    name = "knows-original" if "\nD) " in call.prompt else "recites"
    return await MODELS[name](call, server)


@pytest.fixture
def unclear(monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer is clear, so that all is asked."""
    monkeypatch.setattr(evidence_order, "is_clear", lambda answer: False)


def test_what_is_left_is_not_asked_once_the_answer_is_clear(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "recalls", recite_or_pick)
    target = save_target(fresh_store, provider, N, CONTROLS)
    chosen = choosing.choose(fresh_store, target, methods=["replication"])
    told: list[str] = []
    options = Options(watch=Watch(on_news=told.append))
    whole = asyncio.run(walk.investigate(fresh_store, chosen, "recalls", options))
    assert whole.ended.event is Event.FINISHED
    assert provider.counts["recalls"] == N * (1 + 3)  # quizzes only
    assert "The answer is clear, so replication is not asked" in told[-1]
    assert state.is_done(fresh_store, whole.record)
    [answer] = answers(fresh_store)
    assert answer.ruling is Ruling.CONTAMINATED
    assert answer.plan is not None  # kept before the first reply, with what was not asked
    [missing] = answer.could_ask
    assert (missing.method, missing.planned) == ("replication", True)
    assert answer.methods[0].weight + missing.weight == pytest.approx(1.0)


@pytest.mark.usefixtures("unclear")
def test_replication_is_asked_beside_the_quiz(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "recalls", recite_or_pick)
    target = save_target(fresh_store, provider, FEW, CONTROLS)
    chosen = choosing.choose(fresh_store, target, methods=["replication"])
    told = needs(fresh_store, chosen, ["recalls"], NO_TERMS)
    assert [need.calls for need in told if need.kind == "replication"] == [2 * FEW] * 3
    whole = asyncio.run(walk.investigate(fresh_store, chosen, "recalls"))
    assert whole.ended.event is Event.FINISHED
    assert provider.counts["recalls"] == sum(need.calls for need in told)
    [found] = other_results(fresh_store, whole.record)
    assert found.verdict is not None
    assert len(found.controls) == 2
    assert found.sentence.endswith("No judge was asked, so only exact matches count.")
    again = asyncio.run(walk.investigate(fresh_store, chosen, "recalls"))
    assert [step.run for step in again.steps] == [step.run for step in whole.steps]
    assert provider.counts["recalls"] == sum(need.calls for need in told)


@pytest.mark.usefixtures("unclear")
def test_a_judge_follows_in_an_investigation_as_it_does_alone(
    fresh_store: Store, target: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "recalls", recite_or_pick)
    chosen = choosing.choose(fresh_store, target, methods=["replication"])
    [control] = chosen.controls
    few, judged = Options(Terms(limit=2)), Design(judge="judges")
    alone = asyncio.run(replicate(fresh_store, control, "recalls", judged, few))
    assert provider.counts["judges"] == 2
    with REPLICATING.hold(fresh_store, control, "recalls"):
        enough = asyncio.Event()
        waiting = Watch(enough, on_news=lambda said: enough.set())
        stopped = asyncio.run(
            walk.investigate(fresh_store, chosen, "recalls", Options(watch=waiting))
        )
        assert stopped.ended.event is Event.CANCELLED  # it waited for whoever held the lock
    whole = asyncio.run(walk.investigate(fresh_store, chosen, "recalls"))
    assert whole.ended.event is Event.FINISHED
    assert whole.record.runs["judge", control].run == alone.follower
    assert provider.counts["judges"] == FEW
    asked = dict(provider.counts)
    assert walk.begin(fresh_store, chosen, ["recalls"])[0].id != whole.record.id
    assert not EXCLUSIVE.any_under_way(fresh_store)  # nothing is left to ask
    asyncio.run(walk.investigate(fresh_store, chosen, "recalls"))
    assert provider.counts == asked
