from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dcq.asking import give_up
from dcq.asking.give_up import GiveUp, asks_to_come_back
from dcq.errors import EndpointBusyError, EndpointRefusedError
from dcq.records import Answer, Outcome


def answer(outcome: Outcome) -> Answer:
    return Answer(
        position=0,
        attempt=1,
        outcome=outcome,
        value="A" if outcome is Outcome.ANSWERED else None,
        reason="It is in trouble.",
        reply="",
        prompt_sha256="",
        tokens_in=0,
        tokens_out=0,
        seconds=0.0,
        calls=1,
        sent={},
        logprobs=None,
        at=datetime.now(UTC),
    )


LOST, GOT = answer(Outcome.ERROR), answer(Outcome.ANSWERED)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("dcq.asking.give_up.time.monotonic", lambda: now[0])
    return now


def test_three_questions_without_a_reply_are_enough_where_none_ever_had_one() -> None:
    counter = GiveUp(replied=False)
    assert [counter.heed(LOST) for _ in range(2)] == ["", ""]
    assert counter.heed(LOST) == "No question brought a reply. It is in trouble."


def test_a_run_of_two_questions_says_at_its_end_that_nothing_came() -> None:
    counter = GiveUp(replied=False)
    assert counter.sum_up() == ""
    counter.heed(LOST)
    assert counter.sum_up() == "No question brought a reply. It is in trouble."
    counter.heed(GOT)
    counter.heed(LOST)
    assert counter.sum_up() == ""


def test_an_outage_is_waited_out_and_a_lasting_one_is_not(clock: list[float]) -> None:
    counter = GiveUp(replied=True)
    assert not any(counter.heed(LOST) for _ in range(50))  # all of one moment
    clock[0] += give_up.SILENT_SECONDS
    assert counter.heed(LOST) == "The last 51 questions brought no reply. It is in trouble."
    counter.heed(GOT)
    clock[0] += give_up.SILENT_SECONDS
    assert not any(counter.heed(LOST) for _ in range(give_up.LOST_IN_A_ROW - 1))
    assert counter.heed(LOST)


@pytest.mark.parametrize(
    ("pause", "sentence"), [(None, ""), (60.0, ""), (60.1, "busy"), (1e300, "busy")]
)
def test_a_long_retry_after_ends_the_run(pause: float | None, sentence: str) -> None:
    assert asks_to_come_back(EndpointBusyError("busy", retry_after=pause)) == sentence
    assert asks_to_come_back(EndpointRefusedError("wrong key")) == ""
