"""Rewordings on the engine: what is asked for, in how many rounds, and what comes of each reply."""

import json

import pytest

from dcq import settings
from dcq.asking.options import NO_TERMS, Terms
from dcq.asking.plan import RunJob, carry_out, plan
from dcq.errors import InputError, ModelChoiceError
from dcq.models.endpoints import resolve
from dcq.records import (
    Mode,
    Outcome,
    Reply,
)
from dcq.store import Store, results, rewordings, runs, variants
from dcq.store.runs import Event
from dcq.variants.freeze import freeze
from dcq.variants.method import REWORDING, RewordingTask
from dcq.variants.prompts import (
    Protocol,
)
from dcq.variants.reword import sum_up
from tests.support.behaviours import FakeReply
from tests.support.written_variants import (
    FIGURE_4,
    FOUR,
    INSTANCE,
    ONE,
    RELEASED,
    THREE,
    TWO,
    ScriptedModel,
    lettered,
    one_id,
    own,
    texts,
    turns,
)

__all__ = ["one_id", "turns"]  # fixtures

WRONG = "The aged man walked 4 miles to the big city."


async def write(
    store: Store,
    sample_id: str,
    *,
    wanted: int = 4,
    protocol: Protocol = Protocol.V1,
    terms: Terms = NO_TERMS,
) -> str:
    """The run that has written what the sample lacks by the model ``turns``."""
    frozen = freeze(store, sample_id, protocol, variants_each=wanted)
    assert frozen is not None
    endpoint = resolve("turns", settings.load())
    [(run_id, _)] = await plan(store, REWORDING, [frozen], [endpoint], terms)
    await carry_out(store, RunJob(run_id, endpoint, REWORDING))
    return run_id


async def test_the_papers_request_is_for_three_and_the_fourth_is_asked_for_besides(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    turns.replies = [lettered(ONE, TWO, THREE), lettered(FOUR)]
    run_id = await write(fresh_store, one_id)
    assert turns.prompts == [FIGURE_4, own(1)]
    assert texts(fresh_store, one_id) == {
        0: (ONE, "perturb/v1"),
        1: (TWO, "perturb/v1"),
        2: (THREE, "perturb/v1"),
        3: (FOUR, "perturb/v1-own"),
    }
    stored = runs.load(fresh_store, run_id)
    assert (stored.event, stored.plan.items, stored.plan.method) == (
        Event.FINISHED,
        2,
        "rewording",
    )
    assert (sum_up(fresh_store, run_id).failed, sum_up(fresh_store, run_id).notes) == (0, ())


async def test_three_variants_take_the_papers_request_alone(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    turns.replies = [lettered(ONE, TWO, THREE)]
    await write(fresh_store, one_id, wanted=3)
    assert turns.prompts == [FIGURE_4]
    assert [text for text, _ in texts(fresh_store, one_id).values()] == [ONE, TWO, THREE]


async def test_the_releases_request_is_always_for_four(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    turns.replies = [lettered(ONE, WRONG), lettered(TWO, THREE, FOUR)]
    await write(fresh_store, one_id, wanted=3, protocol=Protocol.V2)
    assert turns.prompts == [RELEASED, RELEASED]
    assert set(texts(fresh_store, one_id).values()) == {
        (text, "perturb/v2") for text in (ONE, TWO, THREE)
    }


async def test_letters_on_lines_of_their_own_are_read_as_the_release_writes_them(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    turns.replies = [FakeReply(f"A)\n{ONE}\n\nB)\n{TWO}\n\nC)\n{THREE}\n\nD)\n{FOUR}\n---\n")]
    await write(fresh_store, one_id, protocol=Protocol.V2)
    assert [text for text, _ in texts(fresh_store, one_id).values()] == [ONE, TWO, THREE, FOUR]


async def test_only_what_is_missing_is_asked_again(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    turns.replies = [lettered(ONE, WRONG, ONE), lettered(TWO, WRONG), lettered(THREE, ONE)]
    turns.replies.append(lettered(FOUR))
    await write(fresh_store, one_id)
    assert turns.prompts == [FIGURE_4, FIGURE_4, own(2), own(1)]
    assert [text for text, _ in texts(fresh_store, one_id).values()] == [ONE, TWO, THREE, FOUR]


async def test_after_the_last_round_what_is_missing_has_a_reason(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    turns.replies = [lettered(ONE, TWO), lettered(WRONG)]
    run_id = await write(fresh_store, one_id)
    assert len(turns.prompts) == 4  # three requests, and one more where a fourth is wanted
    written = sum_up(fresh_store, run_id)
    assert (written.variants, written.failed) == (2, 2)
    assert written.notes == (
        "An option of the model failed a check: A number was changed: “3” is missing, “4” is new.",
        "The model gave 2 of 3 options.",
    )


async def test_variants_that_stay_are_not_made_again(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    kept = [variants.NewVariant(INSTANCE.id, 0, ONE, "person", "Ada")]
    variants.add(fresh_store, one_id, kept)
    turns.replies = [lettered(ONE, TWO, THREE), lettered(FOUR)]
    await write(fresh_store, one_id)
    assert [text for text, _ in texts(fresh_store, one_id).values()] == [ONE, TWO, THREE, FOUR]
    assert turns.prompts == [FIGURE_4, own(1)]


@pytest.mark.parametrize(
    ("reply", "outcome", "reason"),
    [
        (Reply(None, refusal="no"), Outcome.REFUSED, "refused"),
        (Reply(None, "content_filter"), Outcome.REFUSED, "refused"),
        (Reply("", "length"), Outcome.INVALID, "token limit"),
        (Reply(" "), Outcome.INVALID, "empty"),
        (Reply("I cannot do that."), Outcome.INVALID, "0 of 3"),
    ],
)
def test_replies_without_options(
    fresh_store: Store, one_id: str, reply: Reply, outcome: Outcome, reason: str
) -> None:
    frozen = freeze(fresh_store, one_id, Protocol.V1)
    assert frozen is not None
    reading = RewordingTask(rewordings.load(fresh_store, frozen), "m").read(0, reply)
    assert (reading.outcome, reading.value) == (outcome, None)
    assert reason in reading.reason


async def test_an_option_cut_off_by_the_token_limit_is_not_used(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    turns.replies = [lettered(ONE, TWO, THREE[:-6], finish="length"), lettered(THREE)]
    await write(fresh_store, one_id, wanted=3)
    assert [text for text, _ in texts(fresh_store, one_id).values()] == [ONE, TWO, THREE]


async def test_what_a_cap_on_calls_cut_off_is_asked_when_more_are_allowed(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    turns.replies = [lettered(ONE, TWO, THREE), lettered(FOUR)]
    run_id = await write(fresh_store, one_id, terms=Terms(max_calls=1))
    stopped = runs.load(fresh_store, run_id)
    assert stopped.event is Event.STOPPED
    assert "1" in stopped.detail
    assert len(texts(fresh_store, one_id)) == 3
    endpoint = resolve("turns", settings.load())
    runs.replan(fresh_store, run_id, items=2, budget_usd=None, max_calls=2, concurrency=1)
    await carry_out(fresh_store, RunJob(run_id, endpoint, REWORDING))
    assert turns.prompts == [FIGURE_4, own(1)]
    assert len(texts(fresh_store, one_id)) == 4


async def test_what_a_killed_process_had_read_is_written_when_it_goes_on(
    fresh_store: Store, one_id: str, turns: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between an answer and the variants that come of it."""
    turns.replies = [lettered(ONE, TWO, THREE)]
    with monkeypatch.context() as killed:
        killed.setattr("dcq.variants.method.fill", lambda *given: None)
        run_id = await write(fresh_store, one_id, wanted=3, terms=Terms(max_calls=1))
    assert texts(fresh_store, one_id) == {}
    endpoint = resolve("turns", settings.load())
    await carry_out(fresh_store, RunJob(run_id, endpoint, REWORDING))
    assert len(texts(fresh_store, one_id)) == 3
    assert len(turns.prompts) == 1


async def test_a_text_that_was_written_over_is_not_written_again(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    turns.replies = [lettered(ONE, TWO), lettered(WRONG)]
    run_id = await write(fresh_store, one_id)
    present = variants.current(fresh_store, one_id)[INSTANCE.id]
    mine = variants.NewVariant(INSTANCE.id, 0, FOUR, "person", "Ada")
    variants.replace(fresh_store, one_id, [(mine, present[0])])
    task = REWORDING.reopen(fresh_store, runs.load(fresh_store, run_id).plan)
    REWORDING.on_stored(fresh_store, run_id, task, None)
    assert [text for text, _ in texts(fresh_store, one_id).values()] == [FOUR, TWO]


async def test_requests_are_hashed_with_their_answers(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    turns.replies = [lettered(ONE, TWO, THREE)]
    run_id = await write(fresh_store, one_id, wanted=3)
    answer = results.load_answer(fresh_store, run_id, 0)
    assert answer is not None
    assert json.loads(answer.value or "") == [ONE, TWO, THREE]


def test_scored_models_write_nothing(fresh_store: Store, one_id: str) -> None:
    frozen = freeze(fresh_store, one_id, Protocol.V1)
    assert frozen is not None
    with pytest.raises(ModelChoiceError, match="likelihood"):
        REWORDING.propose(fresh_store, frozen, Mode.LIKELIHOOD)


def test_a_sample_that_lacks_nothing_freezes_nothing(fresh_store: Store, sample_id: str) -> None:
    assert freeze(fresh_store, sample_id, Protocol.V1) is None
    with pytest.raises(InputError, match="2 variants cannot make a quiz"):
        freeze(fresh_store, sample_id, Protocol.V1, variants_each=2)
