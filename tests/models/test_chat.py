import asyncio
import math
import traceback
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from dcq.errors import (
    EndpointBusyError,
    EndpointError,
    EndpointRefusedError,
    ModelChoiceError,
    RequestRejectedError,
)
from dcq.models.chat import ChatClient
from dcq.models.endpoints import Endpoint
from dcq.models.hooks import Hooks, Retry
from dcq.models.quirks import REASONING_RESERVE
from dcq.records import Reply
from tests.support.provider import FakeProvider

KEY = "sk-key-that-must-not-show"
TEXT = "A text with {braces}, <b>HTML</b> & A) markers; temperature 30"
PROMPT = f"Which?\nA) one\nB) {TEXT}\nC) three\nD) four"


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider(key=KEY, seen=[TEXT], slow=5.0) as running:
        yield running


def endpoint(provider: FakeProvider, model: str, key: str | None = KEY) -> Endpoint:
    return Endpoint(
        model,
        model,
        provider.base_url,
        key=SecretStr(key) if key else None,
        key_variable="SOME_KEY",
        concurrency=8,
    )


def ask(
    provider: FakeProvider,
    model: str,
    *prompts: str,
    key: str | None = KEY,
    top_logprobs: int | None = None,
    max_tokens: int = 5,
    **options: Any,
) -> list[Reply]:
    """The replies to the prompts (to ``PROMPT`` if none is given), one after another."""

    async def go() -> list[Reply]:
        options.setdefault("first_wait", 0.001)
        async with ChatClient(endpoint(provider, model, key), **options) as client:
            return [
                await client.ask(
                    prompt, max_tokens=max_tokens, temperature=0.0, top_logprobs=top_logprobs
                )
                for prompt in prompts or (PROMPT,)
            ]

    return asyncio.run(go())


def test_a_reply_with_all_that_belongs_to_it(provider: FakeProvider) -> None:
    (reply,) = ask(provider, "knows-original", top_logprobs=4)
    assert reply.text == "B"
    assert reply.finish_reason == "stop"
    assert reply.tokens_in > 0
    assert reply.tokens_out == 1
    assert reply.attempts == 1
    assert 0 < reply.seconds < 5
    assert reply.sent == {
        "max_tokens": 5,
        "temperature": 0.0,
        "logprobs": True,
        "top_logprobs": 4,
    }
    assert reply.logprobs is not None
    assert set(reply.logprobs) == {"A", "B", "C", "D"}
    assert max(reply.logprobs, key=lambda letter: (reply.logprobs or {})[letter]) == "B"


@pytest.mark.parametrize("text", [TEXT, "x" * 20_000, "\u4e2d\u6587 😀 \x00 {0} %s", "A)\nB)"])
def test_a_prompt_arrives_as_it_is(provider: FakeProvider, text: str) -> None:
    ask(provider, "guess", text)
    assert provider.bodies[-1]["messages"] == [{"role": "user", "content": text}]


def test_a_prompt_that_cannot_travel_is_rejected_in_a_sentence(provider: FakeProvider) -> None:
    with pytest.raises(RequestRejectedError, match="broken character"):
        ask(provider, "guess", "half a pair: \ud800")


@pytest.mark.parametrize(
    ("model", "text", "refusal", "finish"),
    [
        ("refuses", None, "I can't help with that.", "stop"),
        ("null-content", None, None, "stop"),
        ("filter", None, None, "content_filter"),
        ("filter-400", None, None, "content_filter"),
        ("prose", "The answer is **", None, "stop"),
    ],
)
def test_what_is_a_reply_is_returned(
    provider: FakeProvider, model: str, text: str | None, refusal: str | None, finish: str
) -> None:
    (reply,) = ask(provider, model)
    assert (reply.text or "").startswith(text or "")
    assert (reply.text is None) == (text is None)
    assert (reply.refusal, reply.finish_reason, reply.attempts) == (refusal, finish, 1)


@pytest.mark.parametrize(
    ("model", "status"),
    [
        ("rate-limited", 429),
        ("flaky-500", 500),
        ("busy-503", 503),
        ("empty-choices", None),
        ("garbage-json", None),
        ("half-body", None),
        ("reset", None),
    ],
)
def test_passing_trouble_is_met_by_visible_retries(
    provider: FakeProvider, model: str, status: int | None
) -> None:
    retries: list[Retry] = []
    (reply,) = ask(provider, model, hooks=Hooks(on_retry=retries.append))
    assert reply.text in list("ABCD")
    assert reply.attempts == 3
    assert provider.counts[model] == 3
    assert [retry.number for retry in retries] == [1, 2]
    assert {retry.error.status for retry in retries} == {status}
    assert all(isinstance(retry.error, EndpointBusyError) for retry in retries)


@pytest.mark.parametrize("model", ["rate-limited", "flaky-500", "half-body", "reset"])
def test_retries_are_bounded(provider: FakeProvider, model: str) -> None:
    provider.faults = 100
    with pytest.raises(EndpointBusyError):
        ask(provider, model, max_retries=2)
    assert provider.counts[model] == 3


def test_a_slow_call_is_cut_and_made_again(provider: FakeProvider) -> None:
    retries: list[Retry] = []
    (reply,) = ask(provider, "slow-once", timeout=1, hooks=Hooks(on_retry=retries.append))
    assert reply.attempts == 3
    assert "did not answer within 1 s" in str(retries[0].error)


def test_retry_after_is_waited_for(provider: FakeProvider) -> None:
    provider.retry_after = 0.15
    retries: list[Retry] = []
    ask(provider, "rate-limited", hooks=Hooks(on_retry=retries.append))
    assert [retry.wait for retry in retries] == [0.15, 0.15]


def test_waits_grow_where_the_endpoint_names_none(provider: FakeProvider) -> None:
    provider.retry_after = None
    provider.faults = 4
    retries: list[Retry] = []
    ask(provider, "rate-limited", hooks=Hooks(on_retry=retries.append), first_wait=0.01)
    for number, retry in enumerate(retries):
        assert 0.005 * 2**number <= retry.wait <= 0.01 * 2**number


def test_a_wait_longer_than_a_minute_is_left_to_the_caller(provider: FakeProvider) -> None:
    provider.retry_after = 3600.0
    with pytest.raises(EndpointBusyError) as caught:
        ask(provider, "rate-limited")
    assert caught.value.retry_after == 3600.0
    assert provider.counts["rate-limited"] == 1


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("needs-max-completion-tokens", {"max_completion_tokens": 5, "temperature": 0.0}),
        ("no-temperature", {"max_tokens": 5}),
        ("no-logprobs", {"max_tokens": 5, "temperature": 0.0}),
    ],
)
def test_a_rejected_parameter_is_paid_for_once(
    provider: FakeProvider, model: str, sent: dict[str, object]
) -> None:
    first, second = ask(provider, model, "one", "two", top_logprobs=2)
    kept = {k: v for k, v in first.sent.items() if "logprobs" not in k}
    assert kept == sent
    assert ("logprobs" in first.sent) == (model != "no-logprobs")
    assert (first.attempts, second.attempts) == (2, 1)
    assert second.sent == first.sent


def test_a_reasoning_model_gets_room_to_think_and_keeps_it(provider: FakeProvider) -> None:
    first, second = ask(provider, "reasoning", "one", "two")
    assert first.text in list("ABCD")
    assert first.sent == {"max_completion_tokens": 5 + REASONING_RESERVE}
    assert first.attempts == 4  # two parameters and the limit
    assert second.attempts == 1
    assert second.sent == first.sent
    assert first.tokens_out > second.tokens_out  # the call that was thrown away counts


def test_reasoning_without_end_is_given_one_more_chance(provider: FakeProvider) -> None:
    (reply,) = ask(provider, "endless-reasoning")
    assert (reply.text, reply.finish_reason, reply.attempts) == ("", "length", 2)


@pytest.mark.parametrize(
    ("model", "kind", "status", "says"),
    [
        ("no-such-model", EndpointRefusedError, 404, "no-such-model"),
        ("quota", EndpointRefusedError, 429, "credit"),
        ("payment", EndpointRefusedError, 402, "credit"),
        ("overflow", RequestRejectedError, 400, "too long"),
    ],
)
def test_lasting_trouble_ends_at_the_first_call(
    provider: FakeProvider, model: str, kind: type[EndpointError], status: int, says: str
) -> None:
    with pytest.raises(kind, match=says) as caught:
        ask(provider, model)
    assert caught.value.status == status
    assert provider.counts[model] == 1
    assert_says_nothing_secret(caught.value)


@pytest.mark.parametrize(
    ("key", "says"), [(f"{KEY}-wrong", "not accept the key"), (None, "requires a key")]
)
def test_a_wrong_key_names_its_variable_and_stays_hidden(
    provider: FakeProvider, key: str | None, says: str
) -> None:
    with pytest.raises(EndpointRefusedError, match=says) as caught:
        ask(provider, "guess", key=key)
    assert "SOME_KEY" in str(caught.value)
    assert caught.value.status == 401
    assert_says_nothing_secret(caught.value)


def assert_says_nothing_secret(error: EndpointError) -> None:
    shown = "".join(traceback.format_exception(error)) + repr(error)
    assert KEY not in shown
    assert "braces" not in shown
    assert str(error).endswith(".")
    assert "\n" not in str(error)


def test_nobody_at_the_address_ends_the_run_within_a_second() -> None:
    nobody = Endpoint("m", "m", "http://127.0.0.1:1/v1")
    retries: list[Retry] = []

    async def go() -> None:
        async with ChatClient(nobody, hooks=Hooks(on_retry=retries.append)) as client:
            await client.ask("q", max_tokens=5, temperature=0.0)

    with pytest.raises(EndpointRefusedError, match="Nothing answers at http"):
        asyncio.run(go())
    assert sum(retry.wait for retry in retries) <= 0.5


def test_a_host_that_resolves_to_a_metadata_address_is_not_called() -> None:
    async def go() -> None:
        async with ChatClient(Endpoint("m", "m", "http://2852039166/v1")):
            pass

    with pytest.raises(ModelChoiceError, match="metadata"):
        asyncio.run(go())


def test_the_embedded_model_must_be_served_first() -> None:
    with pytest.raises(ValueError, match="served first"):
        ChatClient(Endpoint("embedded", "SmolLM2", "", preset="embedded"))


def test_calls_in_flight_keep_to_the_pace(provider: FakeProvider) -> None:
    provider.latency = 0.02
    provider.answers_at_most = 0  # until as many are in flight as may be

    async def go() -> None:
        async with ChatClient(endpoint(provider, "guess")) as client:
            asked = asyncio.gather(
                *(client.ask(f"q{i}", max_tokens=5, temperature=0.0) for i in range(40))
            )
            while provider.in_flight < 8:
                await asyncio.sleep(0.01)
            provider.answers_at_most = math.inf
            await asked

    asyncio.run(go())
    assert provider.in_flight_most == 8


def test_refusals_slow_the_client_down(provider: FakeProvider) -> None:
    provider.faults = 1

    async def go() -> int:
        async with ChatClient(endpoint(provider, "rate-limited"), first_wait=0.001) as client:
            await asyncio.gather(
                *(client.ask(f"q{i}", max_tokens=5, temperature=0.0) for i in range(8))
            )
            return client.pace.limit

    assert asyncio.run(go()) < 8
    assert provider.counts["rate-limited"] == 16
