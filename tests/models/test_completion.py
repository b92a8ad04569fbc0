import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.models.completion import Completion, read_completion
from dcq.models.faults import Trouble

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
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
    assert got.tokens_in >= 0


@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_failing(body: bytes) -> None:
    assert isinstance(read_completion(body, {}), Completion | Trouble)


def test_deep_nesting_is_trouble_and_no_crash() -> None:
    assert isinstance(read_completion(b"[" * 200_000, {}), Trouble)
