"""Protocol v2 in one go, as a process that may be killed, and by hand."""

from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dcq.asking import launch, prepare
from dcq.asking.options import NO_TERMS, Options, Terms
from dcq.asking.task import Method
from dcq.errors import InputError
from dcq.evidence.protocol2 import non_preferred
from dcq.jobs import lock
from dcq.jobs.state import START_SECONDS
from dcq.quiz import freeze, protocol2, v2
from dcq.records import QuizKind
from dcq.store import Store, choices, quizzes, results, run_progress, runs, samples
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support import commands
from tests.support.provider import FakeProvider
from tests.support.runs import answer, wait_for

pytestmark = pytest.mark.slow

N = 12


@pytest.fixture
def many(fresh_store: Store, provider: FakeProvider) -> str:
    """A sample of which the provider has seen two thirds."""
    sample_id = samples.save(fresh_store, small_sample(N))
    texts = [instance.text for instance in samples.load(fresh_store, sample_id).instances]
    provider.seen = tuple(text for number, text in enumerate(texts) if number % 3)
    return sample_id


def call(store: Store, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"DCQ_STORE": str(store.path)}
    return commands.run("v2", *words, "--json", environment=environment, timeout=300)


def has_answers(store: Store, sample_id: str, kind: QuizKind, model: str) -> bool:
    run = runs.newest_run(store, "quiz", model, sample_id=sample_id, kind=kind)
    return run is not None and not results.answers(store, run).empty


def spent_usd(store: Store, run_ids: list[str]) -> float:
    usd = 0.0
    for run in run_progress.progress(store, run_ids):
        assert run.price_in is not None
        assert run.price_out is not None
        usd += (run.tokens_in * run.price_in + run.tokens_out * run.price_out) / 1e6 + run.lost_usd
    return usd


def letters(store: Store, run_id: str) -> pd.Series:
    return choices.calls(store, [run_id]).set_index("instance")["letter"]


def test_one_command_asks_the_bdq_and_each_bcq_and_its_range_is_that_by_hand(
    fresh_store: Store, many: str, provider: FakeProvider
) -> None:
    done = call(fresh_store, many, "--model", "knows-original")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert list(found) == ["sample", "model", "non_preferred", "min", "max", "kappa", "runs"]
    assert (found["sample"], found["model"]) == (many, "knows-original")

    bdq, *bcqs = found["runs"]
    chosen = Counter(letters(fresh_store, bdq))
    rare = [letter for letter in "ABCD" if chosen[letter] < N / 5]
    assert found["non_preferred"] == (rare or list("ABCD"))
    plans = [quizzes.load(fresh_store, runs.load(fresh_store, run).plan.subject) for run in bcqs]
    slots = ["ABCD"[quiz.slot or 0] for quiz in plans]
    assert slots == found["non_preferred"]
    correct = {
        slot: int((letters(fresh_store, run) == slot).sum())
        for slot, run in zip(slots, bcqs, strict=True)
    }
    first, *others = sorted(slots, key=lambda slot: (-correct[slot], chosen[slot]))
    kappa = (correct[first] - chosen[first]) / (N - chosen[first])
    assert found["max"] == correct[first] / N > 0.6
    assert found["kappa"] == pytest.approx(kappa)
    low = max(kappa, correct[others[0]] / N) if others else kappa
    assert found["min"] == pytest.approx(low)
    assert provider.counts["knows-original"] == N * (1 + len(slots))
    again = call(fresh_store, many, "--model", "knows-original", "--resume")
    assert json.loads(again.stdout) == found
    assert provider.counts["knows-original"] == N * (1 + len(slots))


@pytest.mark.parametrize("stage", [QuizKind.BDQ, QuizKind.BCQ])
def test_a_killed_process_is_followed_by_one_that_asks_nothing_twice(
    fresh_store: Store, many: str, provider: FakeProvider, stage: QuizKind
) -> None:
    provider.answers_at_most = 3 if stage is QuizKind.BDQ else N + 3
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    worker = commands.start(["v2", many, "--model", "knows-original"], environment)
    wait_for(lambda: has_answers(fresh_store, many, stage, "knows-original"))
    run = runs.newest_run(fresh_store, "quiz", "knows-original", sample_id=many, kind=stage)
    assert v2.EXCLUSIVE.under_way(fresh_store, many, "knows-original")
    with pytest.raises(InputError, match="already"):
        asyncio.run(v2.take(fresh_store, many, "knows-original"))
    worker.kill()
    worker.join()
    assert not v2.EXCLUSIVE.under_way(fresh_store, many, "knows-original")
    assert v2.begun(fresh_store, many, "knows-original")
    provider.answers_at_most = math.inf
    stored = sum(len(results.answers(fresh_store, run)) for run in runs.listing(fresh_store))
    before = provider.counts["knows-original"]
    done = call(fresh_store, many, "--model", "knows-original", "--resume")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found["runs"]) == set(runs.listing(fresh_store))
    assert run in found["runs"]
    assert provider.counts["knows-original"] - before == N * len(found["runs"]) - stored
    assert not v2.begun(fresh_store, many, "knows-original")


def test_ctrl_c_keeps_what_was_answered_and_asks_no_further_quiz(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    sample_id = samples.save(fresh_store, small_sample(40))  # more than are in flight at once
    provider.answers_at_most = 3
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    out, err = tmp_path / "out", tmp_path / "err"
    words = ["v2", sample_id, "--model", "guess", "--json"]
    worker = commands.start(words, environment, str(out), str(err))
    assert worker.pid is not None
    wait_for(lambda: has_answers(fresh_store, sample_id, QuizKind.BDQ, "guess"))
    os.kill(worker.pid, signal.SIGINT)
    wait_for(lambda: "waiting for the calls in flight" in err.read_text("utf-8"))
    provider.answers_at_most = math.inf  # it has heard the signal, and asks nothing more
    worker.join(120)
    assert worker.exitcode == 128 + signal.SIGINT  # as shells have it
    assert "cancelled" in err.read_text("utf-8")
    found = json.loads(out.read_text("utf-8"))
    [run] = runs.listing(fresh_store)
    assert (found["runs"], found["min"], found["non_preferred"]) == ([run], None, [])
    assert runs.load(fresh_store, run).event is Event.CANCELLED
    kept = len(results.answers(fresh_store, run))
    assert 1 <= kept == provider.counts["guess"] < 40


def test_the_budget_is_for_all_quizzes_together(
    fresh_store: Store, many: str, provider: FakeProvider
) -> None:
    done = call(fresh_store, many, "--model", "gpt-4o-mini", "--limit", "6", "--budget", "1")
    [whole] = [json.loads(done.stdout)]
    usd = spent_usd(fresh_store, whole["runs"])
    budget = usd * 0.6
    short = call(
        fresh_store, many, "--model", "gpt-4o-mini", "--limit", "6", "--budget", f"{budget:.7f}"
    )
    assert short.returncode == 1
    assert "budget" in short.stderr
    stopped = json.loads(short.stdout)
    assert stopped["min"] is None
    assert 0 < spent_usd(fresh_store, stopped["runs"]) <= budget
    same = call(fresh_store, many, "--model", "gpt-4o-mini", "--limit", "6", "--resume")
    assert same.returncode == 1  # without another budget the first one goes on
    assert spent_usd(fresh_store, json.loads(same.stdout)["runs"]) <= budget
    more = call(
        fresh_store, many, "--model", "gpt-4o-mini", "--limit", "6", "--resume", "--budget", "1"
    )
    assert more.returncode == 0, more.stderr
    finished = json.loads(more.stdout)
    assert finished["runs"][: len(stopped["runs"])] == stopped["runs"]
    assert finished["max"] == whole["max"]
    assert spent_usd(fresh_store, finished["runs"]) == pytest.approx(usd)


def test_a_process_that_dies_once_a_bcq_is_planned_leaves_its_budget(
    fresh_store: Store, many: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(terms: Terms = NO_TERMS, *, resume: bool = False) -> v2.ProtocolPass:
        return asyncio.run(v2.take(fresh_store, many, "gpt-4o-mini", Options(terms), resume=resume))

    whole = spent_usd(fresh_store, list(ask(Terms(limit=6, budget_usd=1)).runs))
    budget = 0.8 * whole

    def plan_and_die(store: Store, method: Method, quiz_id: str, *rest: Any, **more: Any) -> str:
        run_id = plan_run(store, method, quiz_id, *rest, **more)
        if quizzes.load(store, quiz_id).kind is QuizKind.BCQ:
            raise KeyboardInterrupt
        return run_id

    plan_run = prepare.plan_run
    with monkeypatch.context() as dying:
        dying.setattr(prepare, "plan_run", plan_and_die)
        with pytest.raises(KeyboardInterrupt):
            ask(Terms(limit=6, budget_usd=budget))
    planned = runs.newest_run(fresh_store, "quiz", "gpt-4o-mini", sample_id=many, kind=QuizKind.BCQ)
    bdq = runs.newest_run(fresh_store, "quiz", "gpt-4o-mini", sample_id=many, kind=QuizKind.BDQ)
    assert planned is not None
    assert bdq is not None
    left = runs.load(fresh_store, planned).plan.budget_usd
    assert left == pytest.approx(budget - spent_usd(fresh_store, [bdq]))
    goes_on = ask(resume=True)
    assert (goes_on.runs[0], goes_on.ended.event) == (bdq, Event.STOPPED)
    assert runs.load(fresh_store, bdq).plan.budget_usd == budget
    assert 0 < spent_usd(fresh_store, list(goes_on.runs)) <= budget


def test_a_bdq_that_is_asked_again_leaves_what_the_bcqs_have_spent(
    fresh_store: Store, many: str, provider: FakeProvider
) -> None:
    bdq = freeze.freeze(fresh_store, many, QuizKind.BDQ).quiz
    begun = answer(fresh_store, bdq, {"A": 10, "error": 2}, "gpt-4o-mini")
    bcq = answer(fresh_store, freeze.freeze_bcq(fresh_store, bdq, "B").quiz, {}, "gpt-4o-mini")
    runs.note_unanswered(fresh_store, bcq, 1, 0.01)
    terms = Terms(budget_usd=0.010_001_5)  # too little for a call beyond what the bcq has had
    ended = asyncio.run(
        v2.take(fresh_store, many, "gpt-4o-mini", Options(terms), resume=True)
    ).ended
    assert ended.event is Event.STOPPED
    assert provider.counts["gpt-4o-mini"] == 0
    assert runs.load(fresh_store, begun).plan.budget_usd == terms.budget_usd


def test_a_limit_counts_instances_and_resuming_goes_on_to_all(
    fresh_store: Store, many: str, provider: FakeProvider
) -> None:
    pilot = asyncio.run(v2.take(fresh_store, many, "always-a", Options(Terms(limit=5))))
    assert pilot.estimate is not None
    assert pilot.estimate.n == 5
    assert provider.counts["always-a"] == 5 * 4  # A is preferred, B, C and D are not
    whole = asyncio.run(v2.take(fresh_store, many, "always-a", resume=True))
    assert whole.runs == pilot.runs
    assert whole.estimate is not None
    assert whole.estimate.n == N
    assert provider.counts["always-a"] == N * 4


def test_none_of_these_counts_in_n(fresh_store: Store, many: str, provider: FakeProvider) -> None:
    found = asyncio.run(v2.take(fresh_store, many, "always-e")).estimate
    assert found is not None
    assert (found.n, found.non_preferred) == (N, ("A", "B", "C", "D"))
    assert found.row() == {"min": 0.0, "max": 0.0, "kappa": 0.0}


def test_bcqs_show_the_variants_that_the_bdq_showed(
    fresh_store: Store, many: str, provider: FakeProvider
) -> None:
    bdq = freeze.freeze(fresh_store, many, QuizKind.BDQ).quiz
    for letter in "ABCD":
        made = freeze.freeze_bcq(fresh_store, bdq, letter)
        assert made.quiz == freeze.freeze(fresh_store, many, QuizKind.BCQ, slot=letter).quiz


def test_a_new_go_starts_from_the_beginning(
    fresh_store: Store, many: str, provider: FakeProvider
) -> None:
    first = asyncio.run(v2.take(fresh_store, many, "always-a", Options(Terms(limit=5))))
    second = asyncio.run(v2.take(fresh_store, many, "always-a", Options(Terms(limit=5))))
    assert not set(first.runs) & set(second.runs)
    third = asyncio.run(
        v2.take(fresh_store, many, "always-a", Options(Terms(limit=5)), resume=True)
    )
    assert third.runs == second.runs


def test_an_unfinished_quiz_gives_no_range(fresh_store: Store, many: str) -> None:
    bdq = freeze.freeze(fresh_store, many, QuizKind.BDQ).quiz
    answer(fresh_store, bdq, {"A": 6, "B": 3, "C": 3})
    bcq = freeze.freeze_bcq(fresh_store, bdq, "D").quiz
    answer(fresh_store, bcq, {"D": 3})
    [found] = protocol2.estimates(fresh_store)
    assert (found.missing, found.low, found.high, found.kappa) == (("D",), None, None, None)
    answer(fresh_store, bcq, {"D": 9, "E": 3})
    [found] = protocol2.estimates(fresh_store)
    assert found.row() == {"min": 0.75, "max": 0.75, "kappa": 0.75}
    assert set(protocol2.by_run([found])) == {found.bdq, found.bcqs["D"]}


def test_what_cannot_be_asked_starts_nothing(
    fresh_store: Store, many: str, provider: FakeProvider
) -> None:
    code = call(fresh_store, many, "--model", "likelihood:always-a")
    assert code.returncode == 2
    assert "has no likelihood" in code.stderr
    unpriced = call(fresh_store, many, "--model", "always-a", "--budget", "1")
    assert unpriced.returncode == 2
    assert "price" in unpriced.stderr
    assert call(fresh_store, "nosuch", "--model", "always-a").returncode == 2
    assert runs.listing(fresh_store) == []


@pytest.mark.usefixtures("forked")
def test_it_starts_as_a_process_of_its_own_and_once(
    fresh_store: Store, many: str, provider: FakeProvider
) -> None:
    provider.answers_at_most = 0
    v2.begin(fresh_store, many, ["always-a"], Terms(limit=5))
    assert v2.EXCLUSIVE.under_way(
        fresh_store, many, "always-a"
    )  # at once, before the process has come
    assert v2.EXCLUSIVE.any_under_way(fresh_store)
    assert len(runs.listing(fresh_store)) == 1
    with pytest.raises(InputError, match="already"):
        v2.begin(fresh_store, many, ["guess", "always-a"], Terms(limit=5))
    provider.answers_at_most = math.inf
    wait_for(lambda: not v2.EXCLUSIVE.any_under_way(fresh_store))
    found = v2.so_far(fresh_store, many, "always-a")
    assert found is not None
    assert (found.n, found.missing) == (5, ())
    assert len(runs.listing(fresh_store)) == 4
    v2.begin(fresh_store, many, ["always-a"], resume=True)
    wait_for(lambda: not v2.EXCLUSIVE.any_under_way(fresh_store))
    assert len(runs.listing(fresh_store)) == 4
    assert provider.counts["always-a"] == N * 4


def test_who_was_announced_and_never_came_is_not_waited_for(fresh_store: Store) -> None:
    lock.announce(fresh_store, "v2-x")
    assert lock.expected(fresh_store, "v2-x", START_SECONDS)
    assert not lock.expected(fresh_store, "v2-x", 0)
    assert not lock.expected(fresh_store, "v2-y", START_SECONDS)


def test_slots_are_judged_by_all_answers_of_the_bdq() -> None:
    assert non_preferred(protocol2.count_slots(["A", "E", "", "B", "A"]), 5) == ("C", "D")


def test_several_models_are_asked_by_one_process(
    fresh_store: Store, many: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[list[str], list[str]]] = []
    monkeypatch.setattr(launch, "spawn_for", lambda store, ids, words: started.append((ids, words)))
    v2.begin(fresh_store, many, ["always-a", "guess"], Terms(limit=5))
    [(ids, words)] = started
    assert len(ids) == 2
    named = ["--model", "always-a", "--model", "guess"]
    assert words == ["v2", many, *named, "--resume", "--limit", "5"]
    assert all(v2.EXCLUSIVE.under_way(fresh_store, many, name) for name in ("always-a", "guess"))
