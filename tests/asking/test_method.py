"""The engine knows no method: a toy one is planned, asked, resumed, reused and started like the
quiz. CONTRIBUTING.md sends whoever writes a method here."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dcq import settings
from dcq.asking import launch, prepare
from dcq.asking.options import NO_TERMS, Terms
from dcq.asking.plan import RunJob, carry_out, pick_up, plan
from dcq.asking.prompt import sha256
from dcq.asking.reuse import reuse_answers
from dcq.errors import InputError
from dcq.models.endpoints import resolve
from dcq.quiz import results as quiz_results
from dcq.quiz.method import QUIZ
from dcq.store import Store, results, runs
from dcq.store.runs import Event
from tests.support.behaviours import MODELS, says
from tests.support.next_word.detection import NEXT_WORD
from tests.support.next_word.method import METHOD
from tests.support.provider import FakeProvider


@pytest.fixture
def subject(fresh_store: Store, sample_id: str) -> str:
    """The sample, frozen as the method asks about it."""
    return NEXT_WORD.subject(fresh_store, sample_id)


async def ask(store: Store, subject: str, model: str, terms: Terms = NO_TERMS) -> str:
    """The newest run of the sample and model, asked to its end."""
    endpoint = resolve(model, settings.load())
    [(run_id, _)] = await plan(store, METHOD, [subject], [endpoint], terms, resume=True)
    await carry_out(store, RunJob(run_id, endpoint, METHOD))
    return run_id


async def test_a_method_that_reads_words_is_asked_as_the_quiz_is(
    fresh_store: Store, subject: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "wordy", says("(Wet), of course"))
    run_id = await ask(fresh_store, subject, "wordy", Terms(limit=2))
    assert provider.counts["wordy"] == 2
    assert await ask(fresh_store, subject, "wordy") == run_id
    assert provider.counts["wordy"] == 6
    stored = runs.load(fresh_store, run_id)
    assert (stored.event, stored.plan.method) == (Event.FINISHED, "next-word")
    task = METHOD.reopen(fresh_store, stored.plan)
    for position in range(task.size):
        answer = results.load_answer(fresh_store, run_id, position)
        assert answer is not None
        assert answer.value == "(Wet),"
        assert answer.prompt_sha256 == sha256(task.text(position))
    assert quiz_results.table(fresh_store) == []


async def test_identical_requests_are_answered_from_earlier_runs(
    fresh_store: Store, subject: str, provider: FakeProvider
) -> None:
    await ask(fresh_store, subject, "always-a")
    endpoint = resolve("always-a", settings.load())
    again = prepare.plan_run(fresh_store, METHOD, subject, endpoint)
    assert reuse_answers(fresh_store, METHOD, again) == 6
    assert provider.counts["always-a"] == 6


async def test_methods_do_not_take_each_others_runs(
    fresh_store: Store, subject: str, provider: FakeProvider
) -> None:
    run_id = await ask(fresh_store, subject, "always-a")
    assert runs.newest_run(fresh_store, "quiz", "always-a", subject=subject) is None
    with pytest.raises(InputError, match="no quiz run but a next-word run"):
        pick_up(fresh_store, QUIZ, [run_id], NO_TERMS)
    assert pick_up(fresh_store, METHOD, [run_id], NO_TERMS)[0][0] == run_id


def test_a_process_is_started_with_the_methods_own_command(
    fresh_store: Store, subject: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Sequence[str]] = []
    monkeypatch.setattr(launch, "spawn_for", lambda store, ids, words: started.append(words))
    [run_id] = launch.begin(fresh_store, METHOD, [subject], ["always-a"])
    assert started == [["ask", "next-word", "--run", run_id]]
