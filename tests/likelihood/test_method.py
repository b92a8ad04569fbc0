"""What is sent, how replies are read, and that nothing is scored twice."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import numpy as np
import pytest

from dcq.asking import prepare
from dcq.asking.options import Options, Terms
from dcq.asking.prompt import sha256
from dcq.errors import InputError
from dcq.likelihood.detection import freeze
from dcq.likelihood.measures import choose
from dcq.likelihood.method import METHOD, LikelihoodTask
from dcq.likelihood.reply import write_likelihoods
from dcq.models.endpoints import resolve
from dcq.models.scorers.likelihood import Likelihood
from dcq.records import Mode, Outcome, Reply
from dcq.settings import load
from dcq.store import Store, frozen, method_runs, results, runs
from dcq.store.frozen import FrozenRequest
from dcq.store.runs import Event
from tests.support.completions import scored_words
from tests.support.likelihoods import EVERY, MODEL, go_on, plan, save, score
from tests.support.provider import FakeProvider

N = 6
ONES = np.ones(14)
HOSTILE = ("<script>", "{prefix} {0} %s", "\x00\x1b[31m", "\ud83d", '"], "text": "', "\u202e x")


@pytest.fixture
def target(fresh_store: Store, provider: FakeProvider) -> str:
    return save(fresh_store, provider, N, ("lakes",))


def task_of(store: Store, run_id: str) -> LikelihoodTask:
    task = METHOD.reopen(store, runs.load(store, run_id).plan)
    assert isinstance(task, LikelihoodTask)
    return task


def test_each_wording_is_scored_once_after_each_context(
    fresh_store: Store, provider: FakeProvider, target: str
) -> None:
    run_id = score(fresh_store, target, EVERY)
    task = task_of(fresh_store, run_id)
    sent = [body["prompt"] for body in provider.bodies]
    assert len(sent) == len(set(sent)) == N * 4 * 3
    wanted = [
        one if isinstance(one, str) else one["context"] + one["text"]
        for position in range(N)
        for one in json.loads(task.text(position))
    ]
    assert sorted(sent) == sorted(wanted)
    answer = results.load_answer(fresh_store, run_id, 0)
    assert answer is not None
    assert answer.prompt_sha256 == sha256(task.text(0))


def test_the_order_of_texts_does_not_tell_the_original() -> None:
    """It is the same whichever of the wordings is the original."""
    texts = [f"wording {word}" for word in ("one", "two", "three", "four")]
    orders = set()
    for place, original in enumerate(texts):
        others = texts[:place] + texts[place + 1 :]
        facts = {"variants": others, "prefix": "", "neighbour": ""}
        task = LikelihoodTask([FrozenRequest("i", original, facts)], choose(None), "en")
        orders.add(task.text(0))
    assert len(orders) == 1


def test_a_reply_is_the_midrank_of_the_original(
    fresh_store: Store, provider: FakeProvider, target: str
) -> None:
    run_id = score(fresh_store, target)
    answers = method_runs.answers(fresh_store, run_id)
    assert {(one.outcome, one.value) for one in answers.values()} == {("answered", "1")}
    # Without having seen them the model prefers some wordings all the same.
    provider.seen = ()
    again = method_runs.answers(fresh_store, score(fresh_store, target))
    task = task_of(fresh_store, run_id)
    for position, request in enumerate(task.requests):
        means = [
            sum(values) / len(values)
            for values in map(scored_words, (request.text, *request.facts["variants"]))
        ]
        expected = sum(mean < means[0] for mean in means[1:]) / 3
        assert again[position].value == f"{expected:.3g}"


@pytest.mark.parametrize(
    ("text", "outcome", "why"),
    [
        (None, Outcome.INVALID, "an empty reply"),
        ("D", Outcome.INVALID, "no likelihoods"),
        (write_likelihoods([])[0], Outcome.INVALID, "not the likelihoods of 4 texts"),
    ],
)
def test_what_cannot_be_used_is_invalid(
    fresh_store: Store, target: str, text: str | None, outcome: Outcome, why: str
) -> None:
    task = task_of(fresh_store, plan(fresh_store, target))
    found = task.read(0, Reply(text))
    assert (found.outcome, found.value, found.reason) == (outcome, None, why)


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ("ignores-echo", "does not return the log-probabilities"),
        ("ignores-logprobs", "does not return the log-probabilities"),
        ("rejects-echo", "does not return the log-probabilities"),
    ],
)
def test_a_model_without_log_probabilities_costs_one_instance_and_says_so(
    fresh_store: Store, provider: FakeProvider, target: str, model: str, why: str
) -> None:
    subject = freeze(fresh_store, target, choose(None))
    run_id = prepare.plan_run(fresh_store, METHOD, subject, METHOD.endpoint(model))
    ended = asyncio.run(go_on(fresh_store, run_id))
    assert ended.event is Event.STOPPED
    assert why in ended.detail
    assert ended.detail.count(". ") == 0  # one sentence
    assert provider.counts[model] <= 4


def test_a_prompt_that_the_server_cuts_costs_its_instance_and_no_other(
    fresh_store: Store, provider: FakeProvider, target: str
) -> None:
    subject = freeze(fresh_store, target, choose(None))
    run_id = prepare.plan_run(fresh_store, METHOD, subject, METHOD.endpoint("cuts-day-3"))
    ended = asyncio.run(go_on(fresh_store, run_id))
    assert ended.event is Event.FINISHED
    by_outcome = Counter(one.outcome for one in method_runs.answers(fresh_store, run_id).values())
    assert by_outcome == {"answered": N - 1, "error": 1}


def test_models_are_named_with_and_without_the_prefix(provider: FakeProvider) -> None:
    for typed in (MODEL, f"likelihood:{MODEL}"):
        endpoint = METHOD.endpoint(typed)
        assert (endpoint.name, endpoint.mode) == (MODEL, Mode.LIKELIHOOD)
    with_address = METHOD.endpoint("m@http://host/v1")
    assert with_address.name == "m@http://host/v1"


def test_a_run_that_asks_for_letters_is_refused(fresh_store: Store, target: str) -> None:
    subject = freeze(fresh_store, target, choose(None))
    with pytest.raises(InputError, match="likelihood:"):
        prepare.plan_run(fresh_store, METHOD, subject, resolve(MODEL, load()))


def test_a_stopped_run_goes_on_and_scores_nothing_twice(
    fresh_store: Store, provider: FakeProvider, target: str
) -> None:
    run_id = plan(fresh_store, target, None, Terms(concurrency=1, max_calls=2 * 4))
    assert asyncio.run(go_on(fresh_store, run_id)).event is Event.STOPPED
    assert len(method_runs.answers(fresh_store, run_id)) == 2
    prepare.amend(fresh_store, METHOD, run_id, METHOD.endpoint(MODEL), Terms(max_calls=99))
    assert asyncio.run(go_on(fresh_store, run_id)).event is Event.FINISHED
    assert len(method_runs.answers(fresh_store, run_id)) == N
    sent = [body["prompt"] for body in provider.bodies]
    assert len(sent) == len(set(sent)) == N * 4
    values = frozen.values_of(fresh_store, run_id)
    assert {len(kept) for kept in values.values()} == {N}
    asyncio.run(go_on(fresh_store, run_id))
    assert len(provider.bodies) == N * 4


def test_values_that_a_killed_process_did_not_keep_are_kept_when_it_goes_on(
    fresh_store: Store, target: str
) -> None:
    run_id = score(fresh_store, target)
    kept = frozen.values_of(fresh_store, run_id)
    with fresh_store.write() as db:
        db.execute("DELETE FROM run_value WHERE run_id = ? AND position >= 2", [run_id])
        # What is no likelihood any more, as in a stranger's store, is left out.
        db.execute("UPDATE answer SET reply = 'none' WHERE run_id = ? AND position = 5", [run_id])
    METHOD.on_stored(fresh_store, run_id, task_of(fresh_store, run_id), None)
    again = frozen.values_of(fresh_store, run_id)
    assert again.keys() == kept.keys()
    for name, values in kept.items():
        assert again[name] == {place: value for place, value in values.items() if place != 5}


def test_answers_are_reused_with_their_values(
    fresh_store: Store, provider: FakeProvider, target: str
) -> None:
    first = score(fresh_store, target)
    second = plan(fresh_store, target)
    asyncio.run(go_on(fresh_store, second, Options(reuse=True)))
    assert len(provider.bodies) == N * 4
    assert frozen.values_of(fresh_store, second) == frozen.values_of(fresh_store, first)


def test_a_budget_is_kept(fresh_store: Store, provider: FakeProvider, target: str) -> None:
    with pytest.raises(InputError, match="price"):
        plan(fresh_store, target, None, Terms(budget_usd=1.0))
    limited = plan(fresh_store, target, None, Terms(max_calls=9))
    ended = asyncio.run(go_on(fresh_store, limited))
    assert ended.event is Event.STOPPED
    assert len(provider.bodies) <= 9


def test_hostile_texts_are_scored_as_they_are(fresh_store: Store) -> None:
    for place, original in enumerate(HOSTILE):
        others = [text for text in HOSTILE if text != original]
        facts = {"variants": others, "prefix": f"{original}\n\n", "neighbour": "n\n\n"}
        task = LikelihoodTask([FrozenRequest("i", original, facts)], choose(EVERY), "en")
        sent = [one["text"] if isinstance(one, dict) else one for one in json.loads(task.text(0))]
        assert sorted(sent) == sorted([*HOSTILE] * 3)
        scores = [Likelihood(-1.0 - HOSTILE.index(text) * ONES) for text in sent]
        wordings = task.scored(0, write_likelihoods(scores)[0])
        assert [one.text for one in wordings] == [original, *others]
        assert task.read(0, Reply(write_likelihoods(scores)[0])).value == f"{1 - place / 5:.3g}"
        assert task.values(0, write_likelihoods(scores)[0])["mean-0"] == -1.0 - place
