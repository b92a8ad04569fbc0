"""Runs in processes of their own: two tests really start these, the others fork them."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from dcq.asking import launch
from dcq.asking.options import Options, Terms
from dcq.errors import InputError, StoreReadOnlyError
from dcq.jobs import lock, process
from dcq.jobs.state import RunState, state_of
from dcq.quiz import freeze
from dcq.quiz import results as counted
from dcq.quiz.method import QUIZ
from dcq.records import QuizKind
from dcq.settings import ROOT
from dcq.store import Store, results, runs, samples
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support.provider import FakeProvider
from tests.support.runs import wait_for, wait_until_ended

pytestmark = pytest.mark.slow


def test_one_process_takes_all_runs_of_a_plan(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quizzes = [
        freeze.freeze(fresh_store, sample_id, kind).quiz
        for kind in (QuizKind.STANDARD, QuizKind.MODIFIED)
    ]
    provider.answers_at_most = 0  # until it has been seen at work
    started = launch.begin(
        fresh_store, QUIZ, quizzes, ["always-a", "no-such-model"], Options(Terms(limit=3))
    )
    assert len(started) == 4
    wait_for(lambda: lock.holder(fresh_store, started[0]))
    holder = lock.holder(fresh_store, started[0])
    assert lock.holder(fresh_store, started[2]) in {holder, None}
    provider.answers_at_most = math.inf
    assert wait_until_ended(fresh_store, started) == {RunState.FINISHED, RunState.STOPPED}
    assert {r.run: r.n for r in counted.table(fresh_store) if r.n} == {
        started[0]: 3,
        started[2]: 3,
    }
    wait_for(lambda: "no-such-model" in process.log_tail(fresh_store, started[3], lines=20))


@pytest.mark.usefixtures("forked")
def test_a_run_that_is_resumed_is_live_at_once(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    [older] = launch.begin(fresh_store, QUIZ, [quiz_id], ["always-a"], Options(Terms(limit=2)))
    wait_until_ended(fresh_store, [older])
    [newer] = launch.begin(fresh_store, QUIZ, [quiz_id], ["always-a"], Options(Terms(limit=1)))
    wait_until_ended(fresh_store, [newer])
    provider.answers_at_most = provider.counts.total()
    launch.resume(fresh_store, QUIZ, older, all_of_it=True)
    stored = runs.load(fresh_store, older)
    assert state_of(fresh_store, older, stored.event, stored.at).live
    with pytest.raises(InputError, match="under way"):
        launch.resume(fresh_store, QUIZ, older)
    provider.answers_at_most = math.inf
    assert wait_until_ended(fresh_store, [older]) == {RunState.FINISHED}
    assert len(results.answers(fresh_store, older)) == 6
    assert len(results.answers(fresh_store, newer)) == 1


@pytest.mark.usefixtures("forked")
def test_of_two_who_start_the_same_at_once_one_does(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    provider.answers_at_most = 0  # who comes last finds the first at work

    def begin(_: int) -> list[str]:
        try:
            return launch.begin(fresh_store, QUIZ, [quiz_id], ["always-a", "always-b"])
        except InputError:
            return []

    with ThreadPoolExecutor(4) as tabs:
        started = [run for begun in tabs.map(begin, range(4)) for run in begun]
    provider.answers_at_most = math.inf
    assert sorted(started) == sorted(runs.listing(fresh_store))
    assert len(started) == 2
    assert wait_until_ended(fresh_store, started) == {RunState.FINISHED}
    assert provider.counts == {"always-a": 6, "always-b": 6}


@pytest.mark.usefixtures("forked")
def test_a_folder_that_cannot_be_made_is_an_error_of_one_sentence(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    [run_id] = launch.begin(fresh_store, QUIZ, [quiz_id], ["always-a"], Options(Terms(limit=1)))
    wait_until_ended(fresh_store, [run_id])
    shutil.rmtree(fresh_store.runs_folder)
    fresh_store.runs_folder.write_text("a file where the folder belongs")
    for start in (
        lambda: launch.begin(fresh_store, QUIZ, [quiz_id], ["always-a"]),
        lambda: launch.resume(fresh_store, QUIZ, run_id, all_of_it=True),
    ):
        with pytest.raises(StoreReadOnlyError, match="make it a folder"):
            start()


def test_runs_outlive_the_app_that_started_them(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    provider.answers_at_most = 0  # until the app is gone
    app = """
import os, signal, sys
from dcq.asking import launch
from dcq.quiz.method import QUIZ
from dcq.asking.options import Options, Terms
from dcq.store import Store
one_call = Options(Terms(concurrency=1))
print(*launch.begin(Store(sys.argv[1]), QUIZ, [sys.argv[2]], ["always-a"], one_call))
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", app, str(fresh_store.path), quiz_id],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ,
    )
    assert done.returncode == -signal.SIGKILL
    provider.answers_at_most = math.inf
    run_id = done.stdout.strip()
    assert wait_until_ended(fresh_store, [run_id]) == {RunState.FINISHED}
    assert provider.counts["always-a"] == 6
    assert len(results.answers(fresh_store, run_id)) == 6


@pytest.mark.usefixtures("forked")
def test_cancelling_one_run_leaves_the_others_of_its_process(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id = samples.save(fresh_store, small_sample(40))
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
    provider.answers_at_most = 10  # of both runs
    first, second = launch.begin(
        fresh_store, QUIZ, [quiz], ["always-a", "always-b"], Options(Terms(concurrency=4))
    )
    wait_for(lambda: not results.answers(fresh_store, first).empty)
    process.cancel(fresh_store, first)
    kept = len(results.answers(fresh_store, first))
    provider.answers_at_most += 10
    # Whoever writes an answer hears of the request by that.
    wait_for(lambda: len(results.answers(fresh_store, first)) > kept)
    provider.answers_at_most = math.inf
    wait_until_ended(fresh_store, [first, second])
    assert runs.load(fresh_store, first).event is Event.CANCELLED
    assert runs.load(fresh_store, second).event is Event.FINISHED
    assert len(results.answers(fresh_store, second)) == 40


@pytest.mark.usefixtures("forked")
def test_a_run_that_is_about_to_start_is_not_started_again(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    provider.answers_at_most = 0
    [run_id] = launch.begin(fresh_store, QUIZ, [quiz_id], ["always-a", "always-a "])
    with pytest.raises(InputError, match="being asked this already"):
        launch.begin(fresh_store, QUIZ, [quiz_id], ["always-a"])
    provider.answers_at_most = math.inf
    assert wait_until_ended(fresh_store, [run_id]) == {RunState.FINISHED}
    assert provider.counts["always-a"] == 6
