"""Plain completions as vLLM speaks them, with ``echo`` and ``logprobs``, for the test provider.

The model's name chooses the behaviour; ``scores`` finds each token of a text it has ``seen``
likelier than any other, and ``words`` gives each token a log-probability of its own.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from aiohttp import web

from tests.support.behaviours import failure

SEEN, UNSEEN, GENERATED = -0.5, -2.0, -9.0
GENERATES = " yes"
KNOWN = 0.25  # what ``words`` multiplies the log-probabilities of a text with that it has seen


def words_of(text: str) -> list[str]:
    """The tokens of ``words``: a word, or the white space between two."""
    return re.findall(r"\S+|\s+", text)


def scored_words(text: str, context: str = "", *, seen: bool = False) -> list[float]:
    """The log-probabilities of a text's own tokens after a context, which change with their place;
    nothing stands before the first token of a text that is alone."""
    before = len(words_of(context))
    found = [
        -(1 + zlib.crc32(f"{place} {token}".encode()) % 700 / 100) * (KNOWN if seen else 1.0)
        for place, token in enumerate(words_of(text), start=before)
    ]
    return found if context else found[1:]


def complete(body: dict[str, Any], seen: Sequence[str], number: int) -> web.Response:
    """The response to the ``number``-th call to this model."""
    model, prompt = body["model"], _read_by(body["model"], body["prompt"])
    tokens = re.findall(r"\n|[^\S\n]*\S+|\s+", prompt)
    logprob = SEEN if prompt.strip() in seen else UNSEEN
    token_logprobs: list[Any] = [None, *[logprob] * (len(tokens) - 1), GENERATED]
    text = prompt + GENERATES
    if model in LISTS:
        return _answer(text, LISTS[model](tokens), len(tokens))
    match model:
        case "scores" | "cuts-day-3":
            pass
        case "words":
            tokens = words_of(prompt)
            known = next((one for one in seen if prompt.endswith(one)), "")
            context = prompt.removesuffix(known) if known else prompt
            own = scored_words(known, context, seen=True) if known else []
            token_logprobs = [None, *scored_words(context), *own, GENERATED]
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
        case "scores-certainty":  # as text: no JSON writes it
            token_logprobs[1] = "-Infinity"
        case "scores-too-few":
            token_logprobs = [None, GENERATED]
        case _:
            return failure(404, f"The model `{model}` does not exist.", "model_not_found")
    shown = [*tokens, GENERATES]
    ends = [sum(map(len, shown[:place])) for place in range(len(shown))]
    logprobs = {"tokens": shown, "token_logprobs": token_logprobs, "text_offset": ends}
    return _answer(text, logprobs, len(tokens))


def _read_by(model: str, prompt: str) -> str:
    """What the model reads of a prompt; ``cuts-day-3`` reads the beginning of one."""
    return prompt[:20] if model == "cuts-day-3" and "day 3 " in prompt else prompt


def _lists(tokens: Sequence[str], begins: str = "") -> dict[str, list[Any]]:
    """As vLLM sends them; each token's log-probability tells its place among those of the text."""
    shown = [begins, *tokens] if begins else [*tokens]
    ends = list(accumulate(map(len, [*shown, GENERATES])))
    places = range(1 - bool(begins), len(tokens))
    return {
        "tokens": [*shown, GENERATES],
        "token_logprobs": [None, *(UNSEEN - place / 100 for place in places), GENERATED],
        "text_offset": [0, *ends[:-1]],
    }


def _without(lists: dict[str, list[Any]], *names: str) -> dict[str, list[Any]]:
    return {name: values for name, values in lists.items() if name not in names}


def _numbered(tokens: Sequence[str]) -> dict[str, list[Any]]:
    """As vLLM sends them if it is told to show tokens as numbers: offsets count their digits."""
    return _lists([f"token_id:{zlib.crc32(token.encode())}" for token in tokens])


def _changed(tokens: Sequence[str], name: str, place: int, value: object) -> dict[str, list[Any]]:
    lists = _lists(tokens)
    lists[name][place] = value
    return lists


# Lists of tokens by the model's name, from a prompt's tokens.
LISTS: dict[str, Callable[[Sequence[str]], dict[str, list[Any]]]] = {
    "scores-as-vllm-does": _lists,
    "scores-with-a-beginning": lambda tokens: _lists(tokens, "<|begin_of_text|>"),
    "scores-with-offsets-alone": lambda tokens: _without(_lists(tokens), "tokens"),
    "scores-without-tokens": lambda tokens: _without(_lists(tokens), "tokens", "text_offset"),
    "scores-with-numbers-for-tokens": _numbered,
    "scores-unequal": lambda tokens: _lists(tokens) | {"tokens": list(tokens)[1:]},
    "scores-above-zero": lambda tokens: _changed(tokens, "token_logprobs", 2, 0.3),
    "scores-with-a-gap": lambda tokens: _changed(tokens, "token_logprobs", 2, None),
    "scores-other-tokens": lambda tokens: _changed(tokens, "tokens", 1, " brook"),
    # Of the same tokens something else at every call, so that none can be recognised.
    "scores-by-chance": lambda tokens: {
        "token_logprobs": [None, *(-len(tokens) - 0.1 for _ in tokens[1:]), GENERATED]
    },
}


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
