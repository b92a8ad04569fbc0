"""Replies without measure end in one error, in little memory, with few calls."""

from __future__ import annotations

import os

import pytest

from dcq import settings
from dcq.asking import batch, prepare
from dcq.asking.calls import asking
from dcq.asking.ledger import Ledger
from dcq.asking.session import Session
from dcq.models.batch import BatchClient
from dcq.models.endpoints import resolve
from dcq.quiz.method import QUIZ
from dcq.store import Store, results, runs
from dcq.store.runs import Event
from tests.support import commands
from tests.support.asked import reopen
from tests.support.batches import BatchProvider
from tests.support.floods import MB
from tests.support.provider import FakeProvider

pytestmark = pytest.mark.slow

MOST_MB = 300
CALLS = {
    # What is too large is not asked again; what does not end is, once.
    **dict.fromkeys(["gzip-bomb", "gzip-bomb-400", "twice-packed", "endless", "large"], 1),
    "endless-500": 1,
    "trickle": 2,
    "many-objects": 1,
    "almost-too-large": 1,
}


def peak_of_run(store: Store, provider: FakeProvider, quiz_id: str, model: str) -> int:
    """MB that ``dcq run`` takes for one question."""
    environment = os.environ | {
        "DCQ_STORE": str(store.path),
        "OPENAI_BASE_URL": provider.base_url,
        "OPENAI_API_KEY": provider.key,
        "DCQ_TIMEOUT": "1.5" if model == "trickle" else "60",
    }
    words = ["run", quiz_id, "--model", model, "--limit", "1"]
    done = commands.run(*words, environment=environment, timeout=200, tell_peak=True)
    assert "Traceback" not in done.stderr, done.stderr
    return int(done.stderr.rpartition("peak ")[2].split()[0])


@pytest.mark.parametrize("model", CALLS)
def test_a_reply_without_measure_is_one_outcome_in_little_memory(
    fresh_store: Store, quiz_id: str, provider: FakeProvider, model: str
) -> None:
    peak = peak_of_run(fresh_store, provider, quiz_id, model)
    [run_id] = runs.listing(fresh_store)
    stored = results.answers(fresh_store, run_id)
    outcomes, [reason] = list(stored["outcome"]), stored["reason"]
    print(
        f"{model}: peak {peak} MB, {provider.counts[model]} calls,"
        f" {provider.poured / 2**20:.1f} MB poured: {reason}"
    )
    assert peak < MOST_MB
    assert provider.counts[model] == CALLS[model]
    if model == "almost-too-large":
        assert outcomes == ["answered"]
    elif model == "many-objects":
        assert outcomes == ["invalid"]
    else:
        assert outcomes == ["error"]
        assert "2 MB" in reason or "did not end" in reason
    assert provider.poured < 40 * 2**20


async def test_a_file_of_answers_has_one_that_grows_with_the_questions(
    fresh_store: Store, quiz_id: str, host: BatchProvider
) -> None:
    endpoint = resolve("always-a", settings.load())
    run_id = prepare.plan_run(fresh_store, QUIZ, quiz_id, endpoint, by_batch=True)
    host.padding = 60 * MB
    async with (
        asking(endpoint, temperature=0.0, max_tokens=5) as ask,
        BatchClient(endpoint, first_wait=0.01) as client,
    ):
        ledger = Ledger(runs.load(fresh_store, run_id).plan, runs.spent(fresh_store, run_id))
        ended = await batch.work(
            Session(fresh_store, run_id, reopen(fresh_store, run_id), ask, ledger),
            client,
            first_wait=0.02,
        )
    assert ended.event is Event.STOPPED
    assert "sent more than 2 MB" in ended.detail
