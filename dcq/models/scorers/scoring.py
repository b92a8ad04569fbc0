"""Scorers for endpoints in likelihood mode, and for models on this machine.

A plain completions endpoint returns the prompt with its log-probabilities (``echo`` and
``logprobs``), as vLLM does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from dcq.errors import EndpointError, EndpointRefusedError, RequestRejectedError
from dcq.models.client import Client
from dcq.models.endpoints import LIKELIHOOD, Endpoint, split_mode
from dcq.models.faults import NOT_FOR_COMPLETIONS, UNKNOWN_MODEL, Trouble
from dcq.models.hooks import NO_HOOKS, Hooks
from dcq.models.presets import EMBEDDED
from dcq.models.prices import estimate_tokens
from dcq.models.scorable import GGUF
from dcq.models.scorers.child import LLAMA_CPP, NUMPY
from dcq.models.scorers.child_scorer import ChildScorer
from dcq.models.scorers.echo import Echo, read_echo, read_likelihood
from dcq.models.scorers.folder import FolderScorer
from dcq.models.scorers.likelihood import Likelihood, ScoredText, Scorer
from dcq.models.usage import Meter


def _is_chat_only(trouble: Trouble) -> bool:
    """Whether an endpoint has no plain completions, rather than no such model."""
    if NOT_FOR_COMPLETIONS.search(trouble.words):
        return True
    unknown_model = UNKNOWN_MODEL.search(trouble.words) is not None
    return not unknown_model and (
        trouble.status in (404, 405, 501) or (trouble.no_such_path and not trouble.page)
    )


@asynccontextmanager
async def open_scorer(
    endpoint: Endpoint,
    hooks: Hooks = NO_HOOKS,
) -> AsyncIterator[Scorer]:
    """The scorer of an endpoint, or of a model on this machine, for which no ``hooks`` are
    called."""
    path = Path(endpoint.model)
    if endpoint.base_url:
        async with EchoScorer(endpoint, hooks=hooks) as scorer:
            yield scorer
    elif path.suffix == GGUF:
        embedded = split_mode(endpoint.name)[0] == EMBEDDED
        with closing(ChildScorer(NUMPY if embedded else LLAMA_CPP, path)) as local:
            yield local
    else:
        yield FolderScorer(path)


# One token is requested because some servers reject 0; generated tokens are not scored.
ASKED: Mapping[str, object] = {"echo": True, "logprobs": 1, "max_tokens": 1, "temperature": 0.0}


class EchoScorer(Client):
    """Scores texts by ``/completions`` of one endpoint: one call for a text, or two for a text
    after a context where a server does not say where tokens begin."""

    settings = ASKED
    # ``read_echo`` compares them with the prompt, and keeps numbers.
    echoes = frozenset({"text", "tokens"})

    async def score(self, texts: Sequence[ScoredText]) -> list[Likelihood]:
        """See ``Scorer.score``."""
        meters = [Meter(text.context + text.text) for text in texts]
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
        echo = await self._echo(text.context + text.text, meter)
        likelihood = read_likelihood(echo, text)
        if likelihood is None:  # it does not say where its tokens begin
            likelihood = read_likelihood(echo, text, await self._echo(text.context, meter))
        if likelihood is None:
            raise RequestRejectedError(
                f"{urlsplit(self.endpoint.base_url).netloc} does not say which tokens are the"
                " text's and which its context's (text_offset); serve the model with vLLM, or name"
                " its folder as likelihood:/path/to/folder."
            )
        return replace(likelihood, used=meter.taken, calls=meter.calls)

    async def _echo(self, prompt: str, meter: Meter) -> Echo:
        """What the endpoint says of a prompt's tokens."""
        body = {"model": self.endpoint.model, "prompt": prompt, **ASKED}
        retries = 0
        while True:
            got, _ = await self._post("/completions", body, estimate_tokens(prompt) + 1, meter, 1)
            if not isinstance(got, Trouble):
                try:
                    echo = read_echo(got.content, prompt)
                except RequestRejectedError:
                    meter.lose(1)
                    raise
                if echo is None:
                    meter.lose(1)
                    raise self._no_echo()
                if isinstance(echo, Echo):
                    meter.read(len(echo.logprobs), 1, 1, None)
                    return echo
                got = echo
            if _is_chat_only(got):
                raise self._no_completions()
            if got.rejected(ASKED):
                raise self._no_echo()
            if got.lost:
                meter.lose(1)
            retries += 1
            await self._wait_or_raise(got, retries)

    def _no_completions(self) -> EndpointRefusedError:
        return EndpointRefusedError(
            f"{urlsplit(self.endpoint.base_url).netloc} only chats: it has no /completions for"
            f" {self.endpoint.model}, which likelihood mode needs; serve the model with vLLM, or"
            f" name it without {LIKELIHOOD}"
        )

    def _no_echo(self) -> EndpointRefusedError:
        return EndpointRefusedError(
            f"{urlsplit(self.endpoint.base_url).netloc} does not return the log-probabilities of"
            " the prompt (echo and logprobs), which likelihood mode needs; serve the model with"
            " vLLM, or name its folder as likelihood:/path/to/folder."
        )
