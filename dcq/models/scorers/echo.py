"""Reads a completion that echoes its prompt: which tokens are the prompt's, and which of them
belong to the text after a context.

Servers differ. A beginning-of-text token may stand at the start or not; ``tokens`` may be shown as
numbers, and halves of a character as a replacement; ``text_offset`` may count a beginning-of-text
token that the echoed text does not show, or be missing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from dcq.errors import RequestRejectedError
from dcq.models.choice import first_choice
from dcq.models.completion import read_name, read_number
from dcq.models.faults import Trouble, read_stated
from dcq.models.scorers.likelihood import Likelihood, ScoredText, check_length
from dcq.models.stated_errors import find_error

# Rounding can make the log-probability of a certain token positive; anything above is no logarithm.
_ROUNDING = 1e-3
# Tokens that are not shown as the text that they stand for: numbers, bytes, half of a character.
_NUMBERED = ("token_id:", "bytes:")
# Half a character, and how vocabularies themselves write spaces and line breaks.
_MARKS = "\N{REPLACEMENT CHARACTER}▁ĠĊ"
_AGREE = 0.05  # nats; batches of other sizes are computed in another order


@dataclass(frozen=True)
class Echo:
    """The tokens of a prompt as a server reports them. The first of ``logprobs`` is None where
    nothing stands before it. ``offsets`` is where each token begins in the prompt, empty where that
    is unknown; ``hidden``: the prompt does not show the first token."""

    logprobs: tuple[float | None, ...]
    tokens: tuple[str, ...] = ()
    offsets: tuple[int, ...] = ()
    hidden: bool = False
    served_model: str | None = None


def read_echo(body: bytes, prompt: str) -> Echo | Trouble | None:
    """The echoed prompt in a completion; None if nothing is echoed. Raises ``RequestRejectedError``
    where another text is: a server that cuts one long prompt scores all others."""
    document = _read_document(body)
    if isinstance(document, Trouble):
        return document
    try:
        choice = first_choice(document)
        echoed, token_lists = choice["text"], choice["logprobs"]
    except (LookupError, TypeError):
        return Trouble(None, "sent a reply that is not a completion")
    if not isinstance(echoed, str) or not isinstance(token_lists, dict):
        return None
    if not isinstance(token_lists.get("token_logprobs"), list):
        return None
    values: list[Any] = token_lists["token_logprobs"]
    count = len(values) - _count_generated(document)
    if count < 1:
        return None
    if not echoed.startswith(prompt):
        raise RequestRejectedError(
            "The endpoint scored another text than it was sent, as where a prompt is longer than it"
            " reads; leave this instance out or choose a model with a larger context."
        )
    logprobs = _read_logprobs(values[:count])
    if isinstance(logprobs, Trouble):
        return logprobs
    lists = [token_lists.get(name) or [] for name in ("tokens", "text_offset")]
    if any(not isinstance(column, list) or len(column) not in (0, len(values)) for column in lists):
        return _broken("sent lists of tokens and log-probabilities of unequal lengths")
    tokens, offsets = (tuple(column[:count]) for column in lists)
    if not all(isinstance(token, str) for token in tokens):
        return _broken("sent tokens that are not text")
    served = read_name(document.get("model"))
    if tokens and not any(_is_opaque(token, prompt) for token in tokens):
        walked = _walk(tokens, prompt)
        if walked is None:
            return _broken("sent tokens that do not make up the text")
        return Echo(logprobs, tokens, *walked, served)
    return Echo(logprobs, tokens, *_believe(offsets, tokens, prompt), served)


def read_likelihood(echo: Echo, text: ScoredText, alone: Echo | None = None) -> Likelihood | None:
    """The likelihood of the text's own tokens; ``alone`` is the echo of the context alone. None if
    it is unknown which tokens these are. Raises ``RequestRejectedError`` where no token can be
    scored, or where one token holds the end of the context and the beginning of the text."""
    first = int(echo.hidden)
    if text.context:
        placed = _find_behind(echo, text) if echo.offsets else _count_behind(echo, alone)
        if placed is None:
            return None
        first = max(first, placed)
    if first < len(echo.logprobs) and echo.logprobs[first] is None:
        first += 1
    scored = [value for value in echo.logprobs[first:] if value is not None]
    check_length(len(echo.logprobs), len(scored), len(echo.logprobs))
    prompt = text.context + text.text
    begins = [max(offset, len(text.context)) for offset in echo.offsets[first:]]
    return Likelihood(
        np.minimum(np.array(scored), 0.0),
        pieces=tuple(prompt[a:b] for a, b in pairwise([*begins, len(prompt)])) if begins else (),
        served_model=echo.served_model,
    )


def _read_document(body: bytes) -> Any:
    """A body as JSON, or the trouble that it states."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return Trouble(None, "sent a reply that is not valid JSON")
    error = find_error(document) if isinstance(document, dict) else None
    if error is None:
        return document
    return read_stated(error, {}, generated="choices" in document)


def _broken(what: str) -> Trouble:
    """A reply that a server will hardly mend by itself."""
    return Trouble(None, what, retries=1)


def _count_generated(document: Mapping[str, Any]) -> int:
    """How many tokens in the reply do not belong to the prompt."""
    usage = document.get("usage")
    count = usage.get("completion_tokens") if isinstance(usage, dict) else None
    return count if isinstance(count, int) and count >= 0 else 1


def _read_logprobs(values: Sequence[Any]) -> tuple[float | None, ...] | Trouble:
    """The log-probabilities; only the first may be missing."""
    first: tuple[None, ...] = (None,) if values[0] is None else ()
    numbers: list[float] = []
    for value in values[len(first) :]:
        number = read_number(value)
        if number is None or not math.isfinite(number):
            return _broken("sent log-probabilities that are not numbers")
        if number > _ROUNDING:
            return _broken("sent log-probabilities above 0, which no probability has")
        numbers.append(number)
    if not math.isfinite(sum(numbers)):
        return _broken("sent log-probabilities that are not numbers")
    return (*first, *numbers)


def _is_opaque(token: str, prompt: str) -> bool:
    """Whether it is not shown as the text that it stands for."""
    return token.startswith(_NUMBERED) or any(
        mark in token and mark not in prompt for mark in _MARKS
    )


def _walk(tokens: Sequence[str], prompt: str) -> tuple[tuple[int, ...], bool] | None:
    """Where each token begins, and whether the first is hidden; None if they do not make up the
    prompt."""
    offsets, at, hidden = [], 0, False
    for number, token in enumerate(tokens):
        offsets.append(at)
        if prompt.startswith(token, at):
            at += len(token)
        elif at == 0 and token.startswith(" ") and prompt.startswith(token[1:]):
            at = len(token) - 1  # many tokenizers put a space before a text
        elif number == 0:
            hidden = True
        else:
            return None
    return (tuple(offsets), hidden) if at == len(prompt) else None


def _believe(
    offsets: Sequence[Any], tokens: Sequence[str], prompt: str
) -> tuple[tuple[int, ...], bool]:
    """The server's own account of where tokens begin, and whether the first is hidden; nothing if
    it contradicts the tokens or itself. Where tokens are shown as numbers it is not believed:
    vLLM then counts the characters of the numbers."""
    numbers = [n for n in offsets if isinstance(n, int) and not isinstance(n, bool)]
    if not numbers or len(numbers) < len(offsets) or any(t.startswith(_NUMBERED) for t in tokens):
        return (), False
    hidden = bool(tokens) and not prompt.startswith(tokens[0]) and not _is_opaque(tokens[0], prompt)
    if hidden:  # it counts in all others
        shift = len(tokens[0]) if len(numbers) > 1 and numbers[1] == len(tokens[0]) else 0
        numbers = [0, *(number - shift for number in numbers[1:])]
    rises = all(a <= b for a, b in pairwise([0, *numbers, len(prompt)]))
    fits = all(
        _is_opaque(token, prompt) or prompt.startswith(token, number)
        for token, number in list(zip(tokens, numbers, strict=False))[hidden:]
    )
    return (tuple(numbers), hidden) if numbers[0] == 0 and rises and fits else ((), False)


def _find_behind(echo: Echo, text: ScoredText) -> int:
    """The first token of the text. One that begins with the last white space of the context is the
    text's: so tokenizers write words."""
    end = len(text.context)
    first = sum(offset < end for offset in echo.offsets)
    if (first < len(echo.offsets) and echo.offsets[first] == end) or not text.text:
        return first
    if text.context[echo.offsets[first - 1] :].strip():
        raise RequestRejectedError(
            "One token holds the end of the context and the beginning of the text, so the text"
            " cannot be scored by itself; end the context with a line break or leave this instance"
            " out."
        )
    return first - 1


def _count_behind(echo: Echo, alone: Echo | None) -> int | None:
    """The first token of the text by the number of those of the context alone, if the server says
    the same of them with and without the text."""
    if alone is None or len(alone.logprobs) > len(echo.logprobs):
        return None
    count = len(alone.logprobs)
    same = alone.tokens == echo.tokens[: len(alone.tokens)] and all(
        a == b if a is None or b is None else abs(a - b) <= _AGREE
        for a, b in zip(alone.logprobs, echo.logprobs[:count], strict=True)
    )
    return count if same else None
