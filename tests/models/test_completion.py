import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.models.completion import Completion, read_completion, read_number
from dcq.models.faults import Trouble

# Halves of surrogate pairs too, which JSON can spell and UTF-8 cannot.
TEXT = st.text(st.characters(codec=None), max_size=10)
VAST = st.integers(300, 4000).map(lambda digits: -(10**digits))  # beyond what a float can hold
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | VAST | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def read(document: Any) -> Completion | Trouble:
    return read_completion(json.dumps(document).encode(), {})


@pytest.mark.parametrize(
    "document", [[], 3, None, {}, {"choices": []}, {"choices": [None]}, {"choices": {"0": {}}}]
)
def test_a_body_without_a_choice_is_passing_trouble(document: Any) -> None:
    got = read(document)
    assert isinstance(got, Trouble)
    assert got.status is None


def test_an_error_in_disguise_is_read_as_that_error() -> None:
    got = read({"error": {"code": 429, "message": "slow down"}})
    assert isinstance(got, Trouble)
    assert (got.status, got.overloaded) == (429, True)


def test_content_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "A"}, {"type": "image"}, {"type": "text", "text": ")"}]
    got = read({"choices": [{"message": {"content": parts}}]})
    assert isinstance(got, Completion)
    assert got.text == "A)"


def test_logprobs_are_those_of_the_first_token() -> None:
    top = [{"token": "B", "logprob": -1.5}, {"token": "C", "logprob": None}]
    content = [{"token": "A", "logprob": -0.5, "top_logprobs": top}, {"token": ")"}]
    got = read({"choices": [{"message": {}, "logprobs": {"content": content}}]})
    assert isinstance(got, Completion)
    assert got.logprobs == {"A": -0.5, "B": -1.5}


@given(message=JSON, usage=JSON, logprobs=JSON, finish=JSON)
def test_any_choice_is_read_without_failing(
    message: Any, usage: Any, logprobs: Any, finish: Any
) -> None:
    choice = {"message": message, "logprobs": {"content": logprobs}, "finish_reason": finish}
    got = read({"choices": [choice], "usage": usage})
    assert isinstance(got, Completion)
    assert got.text is None or isinstance(got.text, str)
    assert got.tokens_in is None or got.tokens_in >= 0


@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_failing(body: bytes) -> None:
    assert isinstance(read_completion(body, {}), Completion | Trouble)


def test_half_an_emoji_becomes_a_replacement_character() -> None:
    top = [{"token": "\udc00", "logprob": -1.5}]
    logprobs = {"content": [{"token": "\ud83d", "logprob": -0.5, "top_logprobs": top}]}
    message = {"content": "A \ud83d", "refusal": "no\udfff"}
    got = read({"choices": [{"message": message, "finish_reason": "\ud800", "logprobs": logprobs}]})
    assert isinstance(got, Completion)
    assert (got.text, got.refusal, got.finish_reason) == ("A \ufffd", "no\ufffd", "\ufffd")
    assert got.logprobs == {"\ufffd": -1.5}


def test_a_whole_emoji_is_left_as_it_is() -> None:
    got = read({"choices": [{"message": {"content": "A 😀"}}]})
    assert isinstance(got, Completion)
    assert got.text == "A 😀"


def test_halves_in_two_parts_are_no_emoji() -> None:
    parts = [{"text": "A \ud83d"}, {"text": "\ude00"}]
    got = read({"choices": [{"message": {"content": parts}}]})
    assert isinstance(got, Completion)
    assert got.text == "A \ufffd\ufffd"


@pytest.mark.parametrize("count", [-1, True, 1.5, "7", None, 10**12, 10**30, 2**31 - 1])
def test_a_count_of_tokens_that_cannot_be_is_unknown(count: object) -> None:
    got = read({"choices": [{}], "usage": {"prompt_tokens": count, "completion_tokens": 7}})
    assert isinstance(got, Completion)
    assert (got.tokens_in, got.tokens_out) == (None, 7)


def test_a_log_probability_that_no_float_holds_is_none() -> None:
    top = [{"token": "B", "logprob": -(10**400)}, {"token": "C", "logprob": True}]
    content = [{"token": "A", "logprob": -0.5, "top_logprobs": top}]
    got = read({"choices": [{"message": {}, "logprobs": {"content": content}}]})
    assert isinstance(got, Completion)
    assert got.logprobs == {"A": -0.5}


@pytest.mark.parametrize(
    ("value", "number"),
    [
        *((3, 3.0), (-0.5, -0.5), (float("-inf"), float("-inf")), (float("nan"), None)),
        *((10**400, None), (True, None), ("1", None), (None, None)),
    ],
)
def test_numbers_are_recognised_among_other_values(value: object, number: float | None) -> None:
    assert read_number(value) == number


def test_deep_nesting_is_trouble_and_no_crash() -> None:
    assert isinstance(read_completion(b"[" * 200_000, {}), Trouble)
