"""The offline generators in a model's place: asked by the same engine, at no cost.

A request has everything that the generator needs as JSON, and its reply is a JSON list of texts, so
its run is stored, resumed and inspected like any other.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dcq.asking.prompt import Prompt
from dcq.models.endpoints import Endpoint
from dcq.models.hooks import Hooks
from dcq.records import Ask, Instance, Reply
from dcq.variants.perturbations import Perturbation, perturb

NAME = "offline"


def name_of(kind: Perturbation) -> str:
    """The name of a generator, as a model and as a writer: ``offline``, ``offline-order``."""
    return f"{NAME}-{kind}" if kind else NAME


def _prompt(kind: Perturbation) -> Prompt:
    return Prompt(name=name_of(kind), version="v1", wording="", temperature=0.0, max_tokens=0)


def _endpoint(kind: Perturbation) -> Endpoint:
    name = name_of(kind)
    return Endpoint(name=name, model=name, base_url="", preset=NAME, concurrency=1, free=True)


PROMPTS = {kind: _prompt(kind) for kind in Perturbation}
ENDPOINTS = {name_of(kind): _endpoint(kind) for kind in Perturbation}
KINDS = {prompt.id: kind for kind, prompt in PROMPTS.items()}  # by the id of the prompt


def write_request(
    instance: Instance,
    count: int,
    language: str,
    seed: int,
    kind: Perturbation = Perturbation.WORD,
    *,
    prefer_common: bool = False,
) -> str:
    """The request for ``count`` versions of an instance; ``prefer_common`` prefers common
    words."""
    fields = {
        "text": instance.text,
        "count": count,
        "language": language,
        "protected": list(instance.protected),
        "seed": seed,
    }
    # Requests for words stay as they were before there was more to ask: answers keep their hash.
    more = ({"commoner": True} if prefer_common else {}) | ({"kind": kind} if kind else {})
    return json.dumps(fields | more, ensure_ascii=False)


def read_reply(reply: Reply) -> list[str]:
    """The texts of a reply."""
    return list(json.loads(reply.text or "[]"))


@asynccontextmanager
async def asking(hooks: Hooks) -> AsyncIterator[Ask]:
    """A function that answers requests; a language that it does not know raises InputError."""

    async def ask(request: str) -> Reply:
        hooks.check()
        fields = json.loads(request)
        texts = await asyncio.to_thread(
            perturb,
            Perturbation(fields.get("kind", Perturbation.WORD)),
            fields["text"],
            fields["count"],
            language=fields["language"],
            protected=fields["protected"],
            seed=fields["seed"],
            prefer_common=fields.get("commoner", False),
        )
        return Reply(json.dumps(texts, ensure_ascii=False))

    yield ask
