"""Texts scored by their likelihood instead of being asked about: each by itself.

What comes of it is a reply like any other: the texts stand for the prompt, their scores for the
reply, and the scores per token, by letter, for log-probabilities.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from dcq.errors import ModelChoiceError
from dcq.models.endpoints import LIKELIHOOD, Endpoint
from dcq.models.hooks import NO_HOOKS, Hooks
from dcq.models.scorers.likelihood import Likelihood, ScoredText
from dcq.models.scorers.scoring import open_scorer
from dcq.models.usage import NOTHING
from dcq.records import LETTERS, Ask, Reply, fingerprint


@asynccontextmanager
async def scoring(
    endpoint: Endpoint,
    hooks: Hooks = NO_HOOKS,
) -> AsyncIterator[Ask]:
    """A function that scores the options that ``write_texts`` wrote."""
    known: dict[str, Likelihood] = {}  # a rotated quiz shows the same texts four times
    async with open_scorer(endpoint, hooks) as scorer:

        async def score(written: str) -> Reply:
            options = _read_texts(written, endpoint)
            began = time.monotonic()
            keys = [fingerprint(text) for text in options]
            new = {key: text for key, text in zip(keys, options, strict=True) if key not in known}
            if not endpoint.base_url:  # no client that would tell
                hooks.check()
                for _ in new:
                    hooks.on_call(NOTHING)
            if new:
                texts = [ScoredText(text) for text in new.values()]
                known.update(zip(new, await scorer.score(texts), strict=True))
            used = sum((known[key].used for key in new), NOTHING)
            scores = {letter: known[key] for letter, key in zip(LETTERS, keys, strict=False)}
            return Reply(
                text=json.dumps(
                    {
                        letter: {"per_token": s.per_token, "total": s.total, "tokens": s.tokens}
                        for letter, s in scores.items()
                    }
                ),
                tokens_in=used.tokens_in or sum(known[key].tokens for key in new),
                tokens_out=used.tokens_out,
                usage_reported=used.reported,
                seconds=time.monotonic() - began,
                attempts=max(1, sum(known[key].calls for key in new)),
                sent=dict(scorer.settings),
                logprobs={letter: s.per_token for letter, s in scores.items()},
                served_model=next(
                    (s.served_model for s in scores.values() if s.served_model), None
                ),
            )

        yield score


def write_texts(options: Sequence[str]) -> str:
    """The texts to be scored, as they are shown and hashed: a JSON list."""
    return json.dumps(options, ensure_ascii=False, indent=1)


def _read_texts(written: str, endpoint: Endpoint) -> list[str]:
    try:
        options = json.loads(written)
    except ValueError:
        options = None
    if not isinstance(options, list):
        raise ModelChoiceError(
            f"{endpoint.name} scores the options of a quiz and writes nothing; for this, name a"
            f" model without {LIKELIHOOD}"
        )
    return [str(text) for text in options]
