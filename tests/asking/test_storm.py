"""Hundreds of questions, every fault at once, and a worker that is killed again and again."""

from __future__ import annotations

import math
import os
import random
import time

import pytest

from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, quizzes, results, runs, samples
from tests.conftest import small_sample
from tests.support import commands
from tests.support.asked import prompt_of
from tests.support.provider import FakeProvider
from tests.support.storm import FAULTS, REPLIES, TIMEOUT

pytestmark = pytest.mark.slow

ITEMS = 400
KILLS = 6


@pytest.mark.timeout(600)  # half a minute's work, for a machine that does other things too
def test_every_question_ends_with_the_one_outcome_that_was_sent(
    fresh_store: Store, provider: FakeProvider
) -> None:
    quiz_id = freeze.freeze(
        fresh_store, samples.save(fresh_store, small_sample(ITEMS)), QuizKind.STANDARD, slot="C"
    ).quiz
    words = ["run", quiz_id, "--model", "storm", "--concurrency", "64", "--resume", "--logprobs"]
    environment = os.environ | {
        "DCQ_STORE": str(fresh_store.path),
        "OPENAI_BASE_URL": provider.base_url,
        "OPENAI_API_KEY": provider.key,
        "DCQ_TIMEOUT": str(TIMEOUT),
    }
    provider.latency = 0.02
    random_waits = random.Random(4)
    killed_at_work = 0
    for _ in range(KILLS):
        before = provider.counts["storm"]
        provider.answers_at_most = before + ITEMS // (KILLS + 1)  # or it might be through before
        worker = commands.start(words, environment)
        deadline = time.monotonic() + 120
        while provider.counts["storm"] == before and worker.is_alive():
            assert time.monotonic() < deadline
            time.sleep(0.005)
        time.sleep(random_waits.uniform(0.0, 0.7))
        killed_at_work += worker.is_alive()
        worker.kill()
        worker.join()
    assert killed_at_work == KILLS
    provider.answers_at_most = math.inf
    last = commands.start(words, environment)
    last.join()
    assert last.exitcode == 0

    [run_id] = runs.listing(fresh_store)
    plan, quiz = runs.load(fresh_store, run_id).plan, quizzes.load(fresh_store, quiz_id)
    stored = results.answers(fresh_store, run_id)
    assert list(stored["position"]) == list(range(ITEMS))
    ours = dict(zip(stored["position"], stored["letter"].fillna(stored["outcome"]), strict=True))
    sent = {
        position: provider.delivered[prompt_of(plan, item)]
        for position, item in enumerate(quiz.items)
    }
    assert ours == sent
    assert {*sent.values()} == {*"ABCD", "invalid", "refused", "error"}
    assert {*FAULTS, *REPLIES, "letter", "max_tokens", "temperature", "logprobs"} == {*provider.did}
    assert {0, 200, 400, 429, 500, 502, 503} <= set(provider.statuses)
    with fresh_store.read() as db:
        twice = db.execute(
            "SELECT position FROM answer GROUP BY position "
            "HAVING count(*) FILTER (outcome <> 'error') > 1 OR count(DISTINCT attempt) < count(*)"
        ).fetchall()
    assert twice == []
