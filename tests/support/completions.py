"""Plain completions as vLLM speaks them, with ``echo`` and ``logprobs``, for the test provider.

The model's name chooses the behaviour; ``scores`` finds each token of a text it has ``seen``
likelier than any other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from tests.support.behaviours import failure

SEEN, UNSEEN, GENERATED = -0.5, -2.0, -9.0
GENERATES = " yes"


def complete(body: dict[str, Any], seen: Sequence[str], number: int) -> web.Response:
    """The response to the ``number``-th call to this model."""
    model, prompt = body["model"], body["prompt"]
    tokens = re.findall(r"\s*\S+", prompt)
    logprob = SEEN if prompt.strip() in seen else UNSEEN
    token_logprobs: list[Any] = [None, *[logprob] * (len(tokens) - 1), GENERATED]
    text = prompt + GENERATES
    match model:
        case "scores":
            pass
        case "scores-after-trouble":
            if number == 1:
                return failure(503, "Starting up.", "unavailable")
        case "ignores-echo":
            text, tokens, token_logprobs = GENERATES, [], [GENERATED]
        case "ignores-logprobs":
            return _answer(text, None, len(tokens))
        case "rejects-echo":
            return failure(400, "echo and logprobs cannot be used together.", "invalid_request")
        case "scores-nonsense":
            token_logprobs[1] = float("nan")
        case _:
            return failure(404, f"The model `{model}` does not exist.", "model_not_found")
    logprobs = {"tokens": [*tokens, GENERATES], "token_logprobs": token_logprobs}
    return _answer(text, logprobs, len(tokens))


def _answer(text: str, logprobs: object, prompt_tokens: int) -> web.Response:
    return web.json_response(
        {
            "object": "text_completion",
            "choices": [
                {"index": 0, "text": text, "logprobs": logprobs, "finish_reason": "length"}
            ],
            "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": 1},
        }
    )
