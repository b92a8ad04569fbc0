"""Replies that an earlier release stored are read by the reader of this one."""

from __future__ import annotations

import hashlib

import pytest

from dcq.commands import output
from dcq.investigation.stored_replies import read_stored_replies
from dcq.quiz import freeze
from dcq.records import Outcome, QuizKind
from dcq.said import READER
from dcq.store import Store, method_runs, readings, run_progress, runs, samples
from tests.conftest import small_sample
from tests.support.behaviours import MODELS, ChatRequest, FakeReply, ServerState
from tests.support.provider import FakeProvider
from tests.support.runs import take


def by_the_first_reader(store: Store, run_id: str) -> None:
    """The run as the release left it that lost A where a mark followed."""
    with store.write() as db:
        db.execute("DELETE FROM run_reader WHERE run_id = ?", [run_id])
        db.execute(
            "UPDATE answer SET outcome = 'invalid', value = NULL, reason = 'no option letter' "
            "WHERE run_id = ? AND starts_with(reply, 'A')",
            [run_id],
        )


async def leaky(call: ChatRequest, server: ServerState) -> FakeReply:
    """A model that likes A, behind a server that leaves the end mark."""
    likes_a = hashlib.sha256(call.prompt.encode()).digest()[1] % 2
    return FakeReply("A</s>" if likes_a else f"{call.guess()}</s>")


async def _asked(store: Store, kind: QuizKind, slot: str | None = None) -> str:
    sample_id = samples.save(store, small_sample(24))
    run_id, _ = await take(store, freeze.freeze(store, sample_id, kind, slot=slot).quiz, "leaky")
    return run_id


async def test_stored_replies_are_read_again_without_a_call(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "leaky", leaky)
    run_id = await _asked(fresh_store, QuizKind.MODIFIED)
    right = {p: a.value for p, a in method_runs.answers(fresh_store, run_id).items()}
    by_the_first_reader(fresh_store, run_id)
    lost = [p for p, a in method_runs.answers(fresh_store, run_id).items() if a.value is None]
    assert lost
    calls, spent = provider.counts["leaky"], runs.spent(fresh_store, run_id)

    sentence = read_stored_replies(fresh_store)

    again = method_runs.answers(fresh_store, run_id)
    assert {p: a.value for p, a in again.items()} == right
    assert f"reads {len(lost)} stored replies of 1 run otherwise" in sentence
    assert all("before: invalid" in again[p].reason for p in lost)
    assert (provider.counts["leaky"], runs.spent(fresh_store, run_id)) == (calls, spent)
    [(_, count)] = readings.changes(fresh_store, [run_id])[run_id]
    assert count == len(lost)
    [run] = run_progress.progress(fresh_store, [run_id])
    assert (run.done, run.invalid) == (24, 0)
    with fresh_store.read() as db:  # what was read before is still there
        rows = db.execute("SELECT count(*) FROM answer WHERE run_id = ?", [run_id]).fetchone()
    assert rows == (24 + len(lost),)
    assert read_stored_replies(fresh_store) == ""


async def test_a_slot_that_was_chosen_from_lost_letters_is_proposed_anew(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "leaky", leaky)
    run_id = await _asked(fresh_store, QuizKind.MODIFIED)
    sample_id = runs.load(fresh_store, run_id).plan.sample_id
    by_the_first_reader(fresh_store, run_id)
    assert freeze.propose(fresh_store, sample_id, "leaky")[0] == 0
    read_stored_replies(fresh_store)
    assert freeze.propose(fresh_store, sample_id, "leaky")[0] != 0


async def test_a_new_run_is_not_read_again(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "leaky", leaky)
    await _asked(fresh_store, QuizKind.STANDARD, "A")
    assert readings.read_earlier(fresh_store, READER) == []


async def test_every_command_opens_a_store_that_is_read_by_this_release(
    fresh_store: Store,
    provider: FakeProvider,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(MODELS, "leaky", leaky)
    run_id = await _asked(fresh_store, QuizKind.MODIFIED)
    by_the_first_reader(fresh_store, run_id)
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    answers = method_runs.answers(output.open_store(), run_id)
    assert {answer.outcome for answer in answers.values()} == {Outcome.ANSWERED}
    assert "No model was asked" in capsys.readouterr().err
