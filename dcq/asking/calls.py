"""A model ready to be asked with the settings of a prompt, or to score texts by their likelihood.

A scored text stands alone or after a context. The scores come back as a reply like any other: the
texts take the place of the prompt, and what a method keeps of the scores that of the reply.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager

from dcq.errors import ModelChoiceError
from dcq.models.chat import ChatClient
from dcq.models.endpoints import LIKELIHOOD, Endpoint
from dcq.models.hooks import NO_HOOKS, Hooks
from dcq.models.scorers.likelihood import Likelihood, ScoredText
from dcq.models.scorers.scoring import open_scorer
from dcq.models.serving import serve
from dcq.models.usage import NOTHING
from dcq.records import LETTERS, Ask, Mode, Reply

# Asked for in each call: enough for the letters beside some other words.
TOP_LOGPROBS = 20
# The embedded model and local servers give log-probabilities at no cost. Hosted ones differ by
# model (some answer 403, which also means a missing permission), so they are asked on request only.
_GIVES_LOGPROBS = frozenset({"embedded", "vllm", "llamacpp"})


@asynccontextmanager
async def asking(
    endpoint: Endpoint,
    *,
    temperature: float,
    max_tokens: int,
    logprobs: bool = False,
    hooks: Hooks = NO_HOOKS,
) -> AsyncIterator[Ask]:
    """A function that sends one prompt; a server of the embedded model lives until the block ends.
    ``logprobs`` asks for the log-probabilities of the first token's candidates, where the endpoint
    gives them. In likelihood mode a prompt is a list of texts to score, as ``write_texts`` writes
    it."""
    if endpoint.mode is Mode.LIKELIHOOD:
        async with scoring(endpoint, hooks) as score:
            yield score
        return
    with ExitStack() as stack:
        # In a thread, because a model takes a second to start and other runs have calls in flight.
        ready = await asyncio.to_thread(stack.enter_context, serve(endpoint))
        async with ChatClient(ready, hooks=hooks) as client:

            async def ask(prompt: str) -> Reply:
                return await client.ask(
                    prompt,
                    temperature=temperature,
                    max_tokens=max_tokens,
                    top_logprobs=TOP_LOGPROBS if logprobs else None,
                )

            yield ask


def gives_logprobs(endpoint: Endpoint) -> bool:
    """Whether this endpoint is asked for log-probabilities where no person has chosen."""
    return endpoint.preset in _GIVES_LOGPROBS


_REMEMBERED = 1024  # texts; a rotated quiz shows the same ones four times, one soon after the other

# What is kept of the likelihoods of a request's texts, in their order: the reply, and the
# log-probabilities beside it.
Says = Callable[[Sequence[Likelihood]], tuple[str, Mapping[str, float] | None]]


def by_letter(scores: Sequence[Likelihood]) -> tuple[str, Mapping[str, float]]:
    """The scores of a quiz's options as text, and the score per token by letter."""
    named = dict(zip(LETTERS, scores, strict=False))
    scores_by_letter = {
        letter: {"per_token": s.per_token, "total": s.total, "tokens": s.tokens}
        for letter, s in named.items()
    }
    return json.dumps(scores_by_letter), {letter: s.per_token for letter, s in named.items()}


@asynccontextmanager
async def scoring(
    endpoint: Endpoint, hooks: Hooks = NO_HOOKS, says: Says = by_letter
) -> AsyncIterator[Ask]:
    """A function that scores the texts that ``write_texts`` wrote; each is scored once after each
    of its contexts."""
    cache: OrderedDict[ScoredText, Likelihood] = OrderedDict()
    async with open_scorer(endpoint, hooks) as scorer:

        async def score(written: str) -> Reply:
            texts = _read_texts(written, endpoint)
            began = time.monotonic()
            likelihoods = {text: cache[text] for text in texts if text in cache}
            new = [text for text in dict.fromkeys(texts) if text not in likelihoods]
            if not endpoint.base_url:  # no client that would tell
                hooks.check()
                for _ in new:
                    hooks.on_call(NOTHING)
            scored = dict(zip(new, await scorer.score(new) if new else (), strict=True))
            likelihoods |= scored
            cache.update(scored)
            while len(cache) > _REMEMBERED:
                cache.popitem(last=False)
            used = sum((likelihood.used for likelihood in scored.values()), NOTHING)
            reply, logprobs = says([likelihoods[text] for text in texts])
            served = (likelihood.served_model for likelihood in likelihoods.values())
            return Reply(
                text=reply,
                tokens_in=used.tokens_in
                or sum(likelihood.tokens for likelihood in scored.values()),
                tokens_out=used.tokens_out,
                usage_reported=used.reported,
                seconds=time.monotonic() - began,
                attempts=max(1, sum(likelihood.calls for likelihood in scored.values())),
                sent=dict(scorer.settings),
                logprobs=logprobs,
                served_model=next((name for name in served if name), None),
            )

        yield score


def write_texts(texts: Sequence[str | ScoredText]) -> str:
    """The texts to be scored, as one text that can be shown and hashed: a JSON list, in which a
    text with a context is an object with both."""
    entries = [
        {"context": text.context, "text": text.text}
        if isinstance(text, ScoredText) and text.context
        else text.text
        if isinstance(text, ScoredText)
        else text
        for text in texts
    ]
    return json.dumps(entries, ensure_ascii=False, indent=1)


def _read_texts(written: str, endpoint: Endpoint) -> list[ScoredText]:
    try:
        texts = json.loads(written)
    except ValueError:
        texts = None
    if not isinstance(texts, list):
        raise ModelChoiceError(
            f"{endpoint.name} scores the options of a quiz and writes nothing; for this, name a"
            f" model without {LIKELIHOOD}"
        )
    return [
        ScoredText(str(entry["text"]), str(entry["context"]))
        if isinstance(entry, dict)
        else ScoredText(str(entry))
        for entry in texts
    ]
