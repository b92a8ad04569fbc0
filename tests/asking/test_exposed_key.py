"""A key that goes over plain http is told to whoever watches, and to the log."""

from __future__ import annotations

import pytest

from dcq.asking import prepare
from dcq.models import endpoints
from dcq.models.endpoints import resolve
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.records import QuizKind
from dcq.settings import Settings
from dcq.store import Store
from dcq.store.runs import Event
from tests.support.provider import FakeProvider
from tests.support.runs import go_on


async def test_it_is_told_before_the_first_call(
    fresh_store: Store, sample_id: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(endpoints, "is_near", lambda _: False)  # as if it were a public host
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    run = prepare.plan_run(fresh_store, QUIZ, quiz, resolve("always-d", Settings()))
    ended = await go_on(fresh_store, run, told.append)
    assert ended.event is Event.FINISHED
    assert "OPENAI_API_KEY is sent to 127.0.0.1" in told[0]
    logs = "".join(path.read_text() for path in fresh_store.runs_folder.glob("*.jsonl"))
    assert "over plain http" in logs
