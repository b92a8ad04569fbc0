import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from dcq.errors import (
    EndpointBusyError,
    EndpointError,
    EndpointRefusedError,
    RequestRejectedError,
)
from dcq.models.endpoints import Endpoint
from dcq.models.faults import Trouble, explain, read_trouble
from dcq.models.quirks import Quirks

ENDPOINT = Endpoint(
    "m", "some-model", "https://host/v1", key=SecretStr("sk-x"), key_variable="SOME_KEY"
)


def trouble(status: int, message: str, code: object = None, param: object = None) -> Trouble:
    body = {"error": {"message": message, "code": code, "param": param}}
    return read_trouble(status, json.dumps(body).encode(), {})


# Wordings as providers publish or send them.
@pytest.mark.parametrize(
    ("status", "message", "kind", "says"),
    [
        (401, "bad key", EndpointRefusedError, "SOME_KEY"),
        (403, "not yours", EndpointRefusedError, "SOME_KEY"),
        (404, "no such model", EndpointRefusedError, "some-model"),
        (400, "m is not a valid model ID", EndpointRefusedError, "some-model"),
        (308, "", EndpointRefusedError, "base URL"),
        (402, "pay", EndpointRefusedError, "spending limit"),
        (403, "unsupported_country_region_territory", EndpointRefusedError, "your country"),
        (404, "No endpoints found matching your data policy", EndpointRefusedError, "account"),
        (429, "insufficient_quota", EndpointRefusedError, "credit"),
        (400, "Your credit balance is too low", EndpointRefusedError, "credit"),
        (429, "slow down", EndpointBusyError, "rate"),
        (529, "Overloaded", EndpointBusyError, "has a problem"),
        (500, "oops", EndpointBusyError, "has a problem"),
        (408, "timeout", EndpointBusyError, "has a problem"),
        (400, "This model's maximum context length is 8192", RequestRejectedError, "too long"),
        (400, "prompt is too long: 9 tokens > 8", RequestRejectedError, "too long"),
        (400, "exceeds the available context size (4096)", RequestRejectedError, "too long"),
        (400, "The input token count exceeds the maximum", RequestRejectedError, "too long"),
        (413, "", RequestRejectedError, "too large for host or for some-model"),
        (413, "prompt is too long", RequestRejectedError, "The prompt is too long"),
        (400, "something else", RequestRejectedError, "rejects"),
    ],
)
def test_each_failure_has_its_error_and_its_sentence(
    status: int, message: str, kind: type[EndpointError], says: str
) -> None:
    error = explain(trouble(status, message), ENDPOINT)
    assert type(error) is kind
    assert error.status == status
    assert says in str(error)


def test_403_without_a_key_may_be_a_firewall() -> None:
    said = str(explain(trouble(403, "Forbidden"), replace(ENDPOINT, key=None)))
    assert "probably requires a key" in said
    assert "your network" in said


def test_a_limit_of_a_day_is_not_called_one_of_a_minute() -> None:
    """Groq has both: tokens per minute and tokens per day."""
    words = "Request too large on tokens per day (TPD): Limit 1000, Requested 1400"
    assert "400 tokens more than host lets you send in a day" in str(
        explain(trouble(413, words), ENDPOINT)
    )


def test_no_answer_may_be_the_network() -> None:
    said = str(explain(Trouble(None, unreachable=True), ENDPOINT))
    assert "check your network and proxy" in said
    assert "a proxy or a login" in str(explain(Trouble(None, page=True), ENDPOINT))


def test_retry_after_travels_with_the_error() -> None:
    error = explain(read_trouble(429, b"", {"retry-after": "7"}), ENDPOINT)
    assert isinstance(error, EndpointBusyError)
    assert error.retry_after == 7.0


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        ({"retry-after": "99999999"}, "left alone for about 3 years"),
        ({"retry-after": "Fri, 01 Jan 9999 00:00:00 GMT"}, "more than 1,000 years"),
        ({"retry-after": "1e999"}, "more than 1,000 years"),
        (
            {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "99999d"},
            "about 274 years",
        ),
        ({"retry-after": "61"}, "about 1 minute"),
        ({"retry-after": "60"}, "wait a while"),
        ({"retry-after": "-5"}, "wait a while"),
        ({"retry-after": "nan"}, "wait a while"),
        ({"retry-after": ""}, "wait a while"),
        ({"retry-after": "9999-12-31T23:59:59-23:00"}, "more than 1,000 years"),
    ],
)
def test_a_long_wait_is_said_in_plain_words(headers: dict[str, str], says: str) -> None:
    said = str(explain(read_trouble(429, b"", headers), ENDPOINT))
    assert says in said
    assert said.endswith(".")


@given(st.sampled_from([400, 401, 403, 404, 422, 429, 500]), st.text(max_size=60))
def test_the_endpoints_own_words_are_never_repeated(status: int, words: str) -> None:
    secret = "zq-" + words.replace("\n", " ")
    error = explain(trouble(status, secret), ENDPOINT)
    assert "zq-" not in str(error)
    assert str(error).endswith(".")


@given(st.binary(max_size=100), st.integers(300, 599))
def test_any_error_body_is_read_without_failing(body: bytes, status: int) -> None:
    assert isinstance(explain(read_trouble(status, body, {}), ENDPOINT), EndpointError)


def test_gemini_wraps_its_errors_in_a_list() -> None:
    body = b'[{"error": {"message": "no", "param": "temperature"}}]'
    assert read_trouble(400, body, {}).rejected({"temperature": 0}) == "temperature"


@pytest.mark.parametrize(
    ("message", "param", "rejected"),
    [
        ("no", "temperature", "temperature"),
        ("'max_tokens' is not supported. Use 'max_completion_tokens'.", None, "max_tokens"),
        ("top_logprobs not allowed", None, "top_logprobs"),
        ("extra_forbidden", None, None),
        ("maximum context length is 10: lower max_tokens", None, None),
    ],
)
def test_the_rejected_parameter_is_found(
    message: str, param: str | None, rejected: str | None
) -> None:
    sent = {"max_tokens": 5, "temperature": 0, "logprobs": True, "top_logprobs": 4}
    assert trouble(400, message, param=param).rejected(sent) == rejected
    assert trouble(500, message, param=param).rejected(sent) is None


def test_the_limit_is_renamed_once_and_never_dropped() -> None:
    quirks = Quirks()
    sent = quirks.parameters(5, 0.0, None, 0)
    assert quirks.learn(trouble(400, "", param="max_tokens"), sent)
    sent = quirks.parameters(5, 0.0, None, 0)
    assert sent == {"max_completion_tokens": 5, "temperature": 0.0}
    assert not quirks.learn(trouble(400, "", param="max_completion_tokens"), sent)
    assert "max_completion_tokens" in quirks.parameters(5, 0.0, None, 0)


def test_logprobs_go_together() -> None:
    quirks = Quirks()
    sent = quirks.parameters(5, 0.0, 4, 0)
    assert quirks.learn(trouble(400, "", param="top_logprobs"), sent)
    assert quirks.parameters(5, 0.0, 4, 0) == {"max_tokens": 5, "temperature": 0.0}
