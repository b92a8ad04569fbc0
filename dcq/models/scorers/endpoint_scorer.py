"""Likelihoods from a plain completions endpoint that returns the prompt with its log-probabilities
(``echo`` and ``logprobs``), as vLLM does."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from dcq.errors import EndpointError, EndpointRefusedError, RequestRejectedError
from dcq.models.client import Client
from dcq.models.completion import read_name, read_number
from dcq.models.faults import Trouble
from dcq.models.prices import estimate_tokens
from dcq.models.scorers.likelihood import Likelihood, ScoredText
from dcq.models.usage import Meter

# One token is requested because some servers reject 0; generated tokens are not scored.
ASKED: Mapping[str, object] = {"echo": True, "logprobs": 1, "max_tokens": 1, "temperature": 0.0}


class EchoScorer(Client):
    """Scores texts by ``/completions`` of one endpoint, one call per text."""

    settings = ASKED

    async def score(self, texts: Sequence[ScoredText]) -> list[Likelihood]:
        """See ``Scorer.score``."""
        meters = [Meter(one.context + one.text) for one in texts]
        calls = [
            asyncio.ensure_future(self._score(text, meter))
            for text, meter in zip(texts, meters, strict=True)
        ]
        try:
            return list(await asyncio.gather(*calls))
        except EndpointError as error:
            for meter in meters:
                meter.charge(error)
            raise
        finally:
            for call in calls:
                call.cancel()

    async def _score(self, text: ScoredText, meter: Meter) -> Likelihood:
        """As ``score`` for one text; its usage is counted in ``meter``."""
        sent = text.context + text.text
        body = {"model": self.endpoint.model, "prompt": sent, **ASKED}
        retries = 0
        while True:
            got, _ = await self._post("/completions", body, estimate_tokens(sent) + 1, meter, 1)
            if not isinstance(got, Trouble):
                found = read_echo(got.content, text)
                if found is None:
                    meter.lose(1)
                    raise self._no_echo()
                if isinstance(found, Likelihood):
                    # The first token may be left out of the score; one is generated.
                    meter.read(max(found.tokens + 1, estimate_tokens(text.context)), 1, 1, None)
                    return replace(found, used=meter.taken, calls=meter.calls)
                got = found
            elif got.rejected(ASKED):
                raise self._no_echo()
            if got.lost:
                meter.lose(1)
            retries += 1
            await self._wait_or_raise(got, retries)

    def _no_echo(self) -> EndpointRefusedError:
        return EndpointRefusedError(
            f"{urlsplit(self.endpoint.base_url).netloc} does not return the log-probabilities of"
            " the prompt (echo and logprobs), which likelihood mode needs; serve the model with"
            " vLLM, or name its folder as likelihood:/path/to/folder."
        )


def read_echo(body: bytes, text: ScoredText) -> Likelihood | Trouble | None:
    """The likelihood of ``text`` from a completion that echoes it; None if nothing is echoed.

    Raises ``RequestRejectedError`` if the text is a single token with nothing before it.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return Trouble(None, "sent a reply that is not valid JSON")
    try:
        choice = document["choices"][0]
        echoed, logprobs = choice["text"], choice["logprobs"]
    except (LookupError, TypeError):
        return Trouble(None, "sent a reply that is not a completion")
    if not isinstance(echoed, str) or not echoed.startswith(text.context + text.text):
        return None
    if not isinstance(logprobs, dict) or not isinstance(logprobs.get("token_logprobs"), list):
        return None
    values: list[Any] = logprobs["token_logprobs"]
    prompt = values[: len(values) - _count_generated(document)]
    if not prompt:
        return None
    pieces = _pieces(logprobs, len(values))
    begin = _begin(pieces, text.context)
    if begin is None:
        return Trouble(None, "did not say which tokens are the context's")
    begin += prompt[begin : begin + 1] == [None]
    scored = prompt[begin:]
    if not scored:
        raise RequestRejectedError("The option is too short to be scored; leave this instance out.")
    numbers = _numbers(scored)
    if numbers is None:
        return Trouble(None, "sent log-probabilities that are not numbers")
    return Likelihood(
        numbers,
        pieces=pieces[begin : len(prompt)],
        served_model=read_name(document.get("model")),
    )


def _pieces(logprobs: Mapping[str, Any], count: int) -> tuple[str, ...]:
    """The tokens as text; () where not each has one."""
    tokens = logprobs.get("tokens")
    if not isinstance(tokens, list) or len(tokens) != count:
        return ()
    return tuple(tokens) if all(isinstance(token, str) for token in tokens) else ()


def _begin(pieces: Sequence[str], context: str) -> int | None:
    """The first token after the context; one that is part of both is the context's. None where the
    tokens do not tell."""
    if not context:
        return 0
    read = 0
    for place, piece in enumerate(pieces):
        if read >= len(context):
            return place
        read += len(piece)
    return None


def _numbers(values: Sequence[Any]) -> NDArray[np.float64] | None:
    """None if one of the values, or their sum, is not a finite number."""
    numbers = [number for number in map(read_number, values) if number is not None]
    if len(numbers) < len(values):
        return None
    try:
        finite = math.isfinite(math.fsum(numbers))
    except (OverflowError, ValueError):
        return None
    return np.array(numbers, dtype=np.float64) if finite else None


def _count_generated(document: Mapping[str, Any]) -> int:
    """How many tokens in the reply do not belong to the prompt."""
    usage = document.get("usage")
    count = usage.get("completion_tokens") if isinstance(usage, dict) else None
    return count if isinstance(count, int) and count >= 0 else 1
