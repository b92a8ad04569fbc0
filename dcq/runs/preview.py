"""A quiz and its cost, seen before anything is frozen or asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dcq import settings
from dcq.errors import ModelChoiceError
from dcq.models.endpoints import resolve
from dcq.quiz import build, prompts
from dcq.quiz.leakage import TextOnly, text_only
from dcq.records import Item, Kind
from dcq.runs import prepare
from dcq.runs.estimate import estimate
from dcq.runs.freeze import questions, read_slot
from dcq.store import Store, samples
from dcq.store.samples import StoredSample


@dataclass(frozen=True)
class Preview:
    """What a quiz would be: how many questions from how many instances, the first as it would be
    sent, sentences worth showing, and what strategies without memory would score."""

    questions: int
    instances: int
    first_prompt: str
    notes: tuple[str, ...]
    baselines: tuple[TextOnly, ...]


def preview(store: Store, sample_id: str, kind: Kind, *, slot: str | None = None) -> Preview:
    """Build a quiz without keeping it. Raises InputError if no question can be built."""
    sample, built = _build(store, sample_id, kind, slot)
    used = len(sample.instances) - len(built.left_out)
    notes: tuple[str, ...] = ()
    if built.left_out:
        reason = next(iter(built.left_out.values()))
        notes = (f"{len(built.left_out)} instances are left out (the first: {reason}).",)
    return Preview(
        questions=len(built.items),
        instances=used,
        first_prompt=prompts.quiz_prompt(
            prompts.prompt_for(kind),
            sample.partition.title,
            sample.partition.split_title,
            built.items[0].options,
        ),
        notes=notes,
        baselines=text_only(built.items, sample.partition.language),
    )


def estimates(
    store: Store,
    sample_id: str,
    kind: Kind,
    models: Sequence[str],
    *,
    slot: str | None = None,
    limit: int | None = None,
) -> list[dict[str, Any]]:
    """What asking each model would take: model, calls, tokens_in, tokens_out, cost (words), ready
    (words)."""
    sample, built = _build(store, sample_id, kind, slot)
    items: Sequence[Item] = prepare.first_of(built.items, limit)
    partition, prompt = sample.partition, prompts.prompt_for(kind)
    rows = []
    for model in models:
        found = estimate(model, prompt, partition.title, partition.split_title, items)
        try:
            resolve(model, settings.load())
            ready = "yes"
        except ModelChoiceError as error:
            ready = str(error)
        rows.append(
            {
                "model": model,
                "calls": found.calls,
                "tokens_in": found.tokens_in,
                "tokens_out": found.tokens_out,
                "cost": cost_words(found.cost_usd),
                "ready": ready,
            }
        )
    return rows


def cost_words(usd: float | None) -> str:
    """A cost as a person reads it; an unknown price is said to be unknown."""
    if usd is None:
        return "price unknown"
    if usd == 0:
        return "nothing"
    return f"${usd:.2f}" if usd >= 0.01 else "under $0.01"


def _build(
    store: Store, sample_id: str, kind: Kind, slot: str | None
) -> tuple[StoredSample, build.Built]:
    sample = samples.load(store, sample_id)
    return sample, questions(store, sample, kind, read_slot(slot) if slot else None)
