from __future__ import annotations

import pytest

from dcq.models.stated_limits import Room, read_move, read_room

SENT: dict[str, object] = {
    **{"max_tokens": 9_000, "temperature": 0.0, "logprobs": True, "top_logprobs": 20}
}


@pytest.mark.parametrize(
    ("words", "sent", "move"),
    [
        ("'max_tokens': expected a value <= 8192, but got 9000", {}, ("max_tokens", 8192)),
        ("requests with max_tokens > 4096 must have stream=true", {}, ("max_tokens", 4096)),
        ("max_output_tokens must be in the range [1, 8193)", {}, ("max_tokens", 8192)),
        ("max_tokens (5) must be greater than 15", {"max_tokens": 5}, ("max_tokens", 16)),
        ("num_predict must be at least 32", {"max_tokens": 5}, ("max_tokens", 32)),
        ("'top_logprobs' must be less than or equal to 5", {}, ("top_logprobs", 5)),
        ("20 is greater than the maximum of 8 - 'logprobs'", {}, ("top_logprobs", 8)),
        ("temperature: range [0.01, 1.0]", {}, ("temperature", 0.01)),
        # What a call does not contradict, and what names no bound.
        ("max_tokens: expected a value <= 16384", {}, None),
        ("max_tokens is not supported; see article 4096", {}, None),
        ("temperature does not support 0, only the default (1)", {}, None),
        ("temperature must be at least 0.7", {}, None),  # too far from the protocol's
        ("seed must be at least 16", {"max_tokens": 5}, None),
        ("", {}, None),
    ],
)
def test_a_value_is_moved_to_the_nearest_that_is_taken(
    words: str, sent: dict[str, object], move: tuple[str, float] | None
) -> None:
    assert read_move(words, None, SENT | sent) == move


def test_the_parameter_that_the_endpoint_names_comes_first() -> None:
    words = "temperature and max_tokens: value must be at least 16"
    assert read_move(words, "max_output_tokens", SENT | {"max_tokens": 5}) == ("max_tokens", 16)


@pytest.mark.parametrize(
    ("words", "room"),
    [
        (
            "maximum context length is 4096 tokens and your request has 350 input tokens",
            (4096, 350),
        ),
        ("maximum context length is 4096 tokens, however you requested 4500 tokens", (4096, 500)),
        ("exceed context limit: 350 + 4000 > 4096, decrease input length", (4096, 350)),
        ("the request exceeds the available context size, try increasing it", None),
        ("your request has 350 input tokens", None),
    ],
)
def test_the_room_of_a_context_is_read(words: str, room: tuple[int, int] | None) -> None:
    assert read_room(words, 4_000) == (room and Room(*room))
