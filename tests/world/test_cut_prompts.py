"""Prompts that a server cut without a word, told by the tokens that it counted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from aiohttp import web

from dcq.errors import RequestRejectedError
from dcq.evidence.check import Mark, Topic
from dcq.judging import study
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.replication.replicate import replicate
from dcq.store import Store, samples
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support import replications
from tests.support.behaviours import MODELS, Behaviour, ChatRequest, FakeReply, ServerState
from tests.support.provider import FakeProvider
from tests.support.runs import take
from tests.support.worldly import ask

MODEL = "gpt-4o-mini"
LONG = "many words of a text that is far too long for its server " * 400


def counts(tokens: int | None, *, total: bool = True) -> Behaviour:
    """Reports so many prompt tokens whatever it was sent, with or without a total."""

    async def behave(call: ChatRequest, server: ServerState) -> web.Response:
        usage = tokens and {
            "prompt_tokens": tokens,
            "completion_tokens": 1,
            **({"total_tokens": tokens + 1} if total else {}),
        }
        return web.json_response(call.completion(FakeReply(call.guess())) | {"usage": usage})

    return behave


def test_a_prompt_that_was_surely_cut_brings_no_reply(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ollama/ollama#17427: what does not fit is cut to half of num_ctx, with status 200."""
    with pytest.raises(RequestRejectedError, match="num_ctx") as caught:
        ask(provider, monkeypatch, counts(1026), LONG)
    assert "read 1,026 tokens" in str(caught.value)
    (reply,) = ask(provider, monkeypatch, counts(6_000), LONG)
    assert reply.text in list("ABCD")
    (reply,) = ask(provider, monkeypatch, counts(None), LONG)
    assert reply.text in list("ABCD")


@pytest.mark.parametrize(
    ("server", "topic_mark"),
    [
        (counts(2050), Mark.BAD),
        (counts(2050, total=False), Mark.BAD),
        (counts(None), Mark.CAUTION),
    ],
    ids=["cut", "cut, without a total", "not told"],
)
async def test_one_count_for_prompts_of_unlike_length_makes_the_check_bad(
    fresh_store: Store,
    provider: FakeProvider,
    monkeypatch: pytest.MonkeyPatch,
    server: Behaviour,
    topic_mark: Mark,
) -> None:
    """ollama/ollama#17889."""
    monkeypatch.setitem(MODELS, MODEL, server)
    sample = small_sample(8)
    longer = {
        instance.id: tuple(
            f"{text} {'and on it goes ' * (60 + 20 * i)}" for text in sample.variants[instance.id]
        )
        for i, instance in enumerate(sample.instances)
    }
    sample_id = samples.save(fresh_store, replace(sample, variants=longer))
    quiz_id = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
    run_id, ended = await take(fresh_store, quiz_id, MODEL)
    assert ended.event is Event.FINISHED
    checks = study.judged(fresh_store).verdicts[run_id].checks
    [check] = [check for check in checks if check.topic is Topic.PROMPTS]
    assert check.mark is topic_mark
    replies = [check for check in checks if check.topic is Topic.REPLIES]
    if topic_mark is Mark.CAUTION:
        assert "cannot tell" in check.sentence
        assert check.unchecked
    else:
        assert "num_ctx" in check.sentence
        assert [check.mark for check in replies] == [Mark.BAD]


@pytest.mark.parametrize(("tokens", "mark"), [(2050, Mark.BAD), (None, Mark.CAUTION)])
async def test_one_count_for_pieces_of_unlike_length_makes_the_check_of_a_replication_bad(
    fresh_store: Store,
    provider: FakeProvider,
    monkeypatch: pytest.MonkeyPatch,
    tokens: int | None,
    mark: Mark,
) -> None:
    """ollama/ollama#17889."""
    monkeypatch.setitem(MODELS, MODEL, counts(tokens))
    made = replications.sample(8)
    instances = []
    for i, instance in enumerate(made.instances):
        text = f"{'On it goes and on. ' * (60 + 40 * i)}{instance.fields['text']}"
        fields = {**instance.fields, "text": text}
        label = instance.text.partition("\n")[2]
        instances.append(replace(instance, text=f"Text: {text}\n{label}", fields=fields))
    sample_id = samples.save(fresh_store, replace(made, instances=tuple(instances)))
    done = await replicate(fresh_store, sample_id, MODEL)
    checks = study.judged(fresh_store).verdicts[done.run].checks
    [check] = [check for check in checks if check.topic is Topic.PROMPTS]
    assert check.mark is mark


async def test_pieces_of_one_length_are_not_cut(fresh_store: Store, provider: FakeProvider) -> None:
    """The general prompts are shorter than the guided ones, and all of a kind have one count."""
    sample_id = samples.save(fresh_store, replications.sample(40))
    done = await replicate(fresh_store, sample_id, "recites")
    checks = study.judged(fresh_store).verdicts[done.run].checks
    assert checks
    assert Topic.PROMPTS not in {check.topic for check in checks}
