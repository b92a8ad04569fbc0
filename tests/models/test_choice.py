"""Index 0 is read of several choices, wherever a server lists it."""

import json

from dcq.models.completion import Completion, read_completion
from dcq.models.scorers.echo import Echo, read_echo
from dcq.models.stream import join_stream

OTHER = {"index": 1, "message": {"content": "B"}, "finish_reason": "stop"}
FIRST = {"index": 0, "message": {"content": "A"}, "finish_reason": "stop"}


def test_a_completion_is_its_choice_of_index_0() -> None:
    got = read_completion(json.dumps({"choices": [OTHER, FIRST]}).encode(), {})
    assert isinstance(got, Completion)
    assert got.text == "A"


def test_a_stream_is_its_choice_of_index_0() -> None:
    pieces = [{**choice, "delta": choice["message"]} for choice in (OTHER, FIRST)]
    for piece in pieces:
        del piece["message"]
    body = f"data: {json.dumps({'choices': pieces})}\n\ndata: [DONE]\n\n".encode()
    got = read_completion(join_stream(body), {})
    assert isinstance(got, Completion)
    assert got.text == "A"


def test_an_echo_is_its_choice_of_index_0() -> None:
    def choice(index: int, value: float) -> dict[str, object]:
        lists = {"tokens": ["a", "b"], "token_logprobs": [None, value], "text_offset": [0, 1]}
        return {"index": index, "text": "ab", "logprobs": lists}

    body = {"choices": [choice(1, -9.0), choice(0, -1.0)], "usage": {"completion_tokens": 0}}
    got = read_echo(json.dumps(body).encode(), "ab")
    assert isinstance(got, Echo)
    assert got.logprobs[-1] == -1.0
